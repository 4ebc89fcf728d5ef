/** What an operation returns goes into another one: the stored records are then exactly as they were. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { cases } from '../support/cases';
import { byId, mapAutomatically, mapEach, where } from '../support/parameters';
import { runNode } from '../support/runs';
import { useWorkspace, workspace } from '../support/workspace';

useWorkspace();

const CHOICES = ['Open', 'open', 'a, b', '20', 'null', 'true', '"q"', 'x; y'];
const text = fc.oneof(
	fc.string({ unit: 'grapheme', maxLength: 12 }),
	fc.constantFrom('', ' ', 'null', '=1+1', '007', '1,234', '{"a":[1]}', '[', 'a\r\nb'),
	fc.constantFrom('12345678901234567890', '2026-01-02'),
);
const date = fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true });
const datetime = fc
	.tuple(date, fc.constantFrom('', '.5', '.123456', '.000000001'), fc.constantFrom('Z', '+05:30'))
	.map(([time, fraction, offset]) => time.toISOString().slice(0, 19) + fraction + offset);
const number = fc.oneof(
	fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
	fc.constantFrom(0, 1e21, 1e-7, 2 ** 53 - 1, 0.1 + 0.2, 2 ** 60),
);
/**
 * What n8n can't tell from something else isn't among them: text with an opening bracket is read as JSON, and a whole
 * number beyond 2^53 comes as text.
 */
const json = fc
	.oneof(
		text.filter((one) => !/^\s*[[{]/.test(one)),
		number,
		fc.boolean(),
		fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 2 }),
		fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
	)
	.filter((value) => !/(?<![\d."])\d{16}/.test(JSON.stringify(value)));

/** Values of each type, and one that somebody writes over them. */
const TYPES: Record<string, [fc.Arbitrary<unknown>, unknown]> = {
	text: [text, 'other'],
	long_text: [text, 'other'],
	number: [number, -77],
	boolean: [fc.boolean(), true],
	date: [date.map((day) => day.toISOString().slice(0, 10)), '1901-01-01'],
	datetime: [datetime, '1901-01-01T00:00:00Z'],
	single_select: [fc.constantFrom(...CHOICES), 'other'],
	multi_select: [fc.uniqueArray(fc.constantFrom(...CHOICES)), ['other']],
	email: [fc.constantFrom('a@b.example', 'Ä+1@b.example'), 'other@b.example'],
	url: [fc.constantFrom('https://b.example', 'http://b.example/?a=1&b=%20#c'), 'http://o.example'],
	json: [json, { other: [1] }],
};
/** Names of the nodes and of n8n: such a field is returned as `fields.<name>`. */
const OWN = [
	...['id', 'created_at', 'action', 'before', 'changes', 'deleted', 'dry_run', 'error', 'fields'],
	...['pairedItem', '$error', '$json'],
];
const NAMES = [
	...[...OWN, 'delivery_key', 'event', 'card_id', 'extra', 'binary', 'fields.x', 'fields.id'],
	...['constructor', '__proto__', 'toString', '=eq', '={{ 1 }}', 'a.b', '0', '10'],
	...['Name', 'name', ' Name ', 'NAME', 'Twin', 'Twin', 'Twin', 'ID', 'Deleted'],
];

const READERS: Record<string, IDataObject> = {
	get: { recordId: byId('={{ $json.id }}') },
	getAll: { returnAll: true },
	updateMany: { ...where('Key', 'isNotEmpty'), columns: mapEach({ Touch: 5 }) },
	deleteMany: where('Key', 'isNotEmpty'),
};
const WRITERS: Record<string, IDataObject> = {
	create: { columns: mapAutomatically() },
	update: { columns: mapAutomatically(), recordId: byId('={{ $json.id }}') },
	upsert: { columns: mapAutomatically(['Key']) },
	sync: { columns: mapAutomatically(['Key']) },
};
/** The nodes between two operations. The key of a record stays, and what has a name of the nodes. */
const EDITS = ['none', 'reversed', 'without nulls', 'with every second field'] as const;
function edited(item: IDataObject, edit: (typeof EDITS)[number], kept: string[]): IDataObject {
	const entries = Object.entries(item).filter(([key, value], place) => {
		if (kept.includes(key) || OWN.includes(key)) return true;
		return edit === 'without nulls'
			? value !== null
			: !(edit.startsWith('with every') && place % 2);
	});
	return Object.fromEntries(edit === 'reversed' ? entries.toReversed() : entries);
}

/** A whole number beyond 2^53. */
const REFUSALS = /too many digits|As a number it would become/;
/** The operations whose output can be selected. */
const SELECTS = ['get', 'getAll'];

const step = (operations: object) =>
	fc.record({
		operation: fc.constantFrom(...Object.keys(operations)),
		isKeyedById: fc.boolean(),
		/** The generated fields that are returned; all if it is empty. */
		subset: fc.oneof(fc.constant<number[]>([]), fc.uniqueArray(fc.nat(4), { minLength: 1 })),
		edit: fc.constantFrom(...EDITS),
	});
const fields = fc.array(
	fc.record({ name: fc.constantFrom(...NAMES), type: fc.constantFrom(...Object.keys(TYPES)) }),
	{ minLength: 1, maxLength: 5 },
);
const rowOf = (types: string[]) =>
	fc.tuple(...types.map((type) => fc.option(TYPES[type]?.[0] ?? fc.nat(), { nil: undefined })));
const round = fields.chain((made) =>
	fc.record({
		fields: fc.constant(made),
		rows: fc.array(rowOf(made.map(({ type }) => type)), { minLength: 1, maxLength: 2 }),
		reader: step(READERS),
		writers: fc.tuple(step(WRITERS), step(WRITERS)),
	}),
);
type Round = typeof round extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Round['reader'];

type Data = Record<string, unknown>;
type Stored = { id: string; data: Data };
type Field = Awaited<ReturnType<typeof workspace.fields>>[number];

let cardId = '';
const records = () => `/cards/${cardId}/records`;
/** The records of the card by the value of their first field. */
async function stored(keyId: string): Promise<Map<unknown, Stored>> {
	const page = (await workspace.send('GET', records())) as { records: Stored[] };
	return new Map(page.records.map((record) => [record.data[keyId], record]));
}
/** The keys of fields in an item. */
const keysIn = (listed: Field[], isKeyedById: boolean) =>
	listed.map(({ id, name }) => {
		const isDoubled = listed.filter((other) => other.name === name).length > 1;
		if (isKeyedById || isDoubled) return id;
		return OWN.includes(name) || name.startsWith('fields.') ? `fields.${name}` : name;
	});

async function makeCard({ fields: generated, rows }: Round) {
	const named = [{ name: 'Key', type: 'text' }, { name: 'Touch', type: 'number' }, ...generated];
	const options = [...CHOICES, 'other'];
	const made = named.map((one) => (one.type.endsWith('select') ? { ...one, options } : one));
	const cards = [{ name: 'Round', fields: made as never }];
	const [{ id } = { id: '' }] = workspace.service.control.seed({ cards }).cards;
	cardId = id;
	const listed = await workspace.fields(cardId);
	const truth: Data[] = [];
	for (const [place, row] of rows.entries()) {
		const values = [`k${place}`, undefined, ...row];
		const data = Object.fromEntries(listed.map(({ id }, at) => [id, values[at]]));
		truth.push(((await workspace.send('POST', records(), { data })) as Stored).data);
	}
	return { listed, truth };
}

/** Somebody else deletes the records, or writes other values over theirs. */
async function spoil(listed: Field[], kept: Iterable<Stored>, isDeleted: boolean): Promise<void> {
	for (const { id, data } of kept) {
		const others = listed
			.slice(2)
			.map(({ id: at, type }) => [at, type === 'boolean' ? data[at] !== true : TYPES[type]?.[1]]);
		if (isDeleted) await workspace.send('DELETE', `${records()}/${id}`);
		else await workspace.send('PATCH', `${records()}/${id}`, { data: Object.fromEntries(others) });
	}
}

/** Other operations return all fields, by name. */
const isById = ({ operation, isKeyedById }: Step) => isKeyedById && SELECTS.includes(operation);

/** Runs an operation. @returns its items; undefined if it was refused for a reason of `REFUSALS` */
async function pass(listed: Field[], step: Step, items: IDataObject[]) {
	const { operation, subset } = step;
	const isKeyedById = isById(step);
	const selected = SELECTS.includes(operation) ? subset : [];
	const wanted = selected.map((place) => listed[place + 2]?.id).filter((id) => id !== undefined);
	const outputFields = wanted.length > 0 ? [listed[0]?.id ?? '', ...wanted] : [];
	const fieldKeys = isKeyedById ? 'id' : 'name';
	const options = SELECTS.includes(operation) ? { fieldKeys, outputFields } : {};
	const parameters = READERS[operation] ?? WRITERS[operation];
	const place = { resource: 'record', operation, cardId: byId(cardId) };
	const { error, json } = await runNode({ ...place, ...parameters, options }, items);
	if (REFUSALS.test(`${error?.message} ${error?.description}`)) return undefined;
	expect(error).toBeUndefined();
	const keys = keysIn(listed, isKeyedById).filter((_, place) => {
		const { id = '' } = listed[place] ?? {};
		return outputFields.length === 0 || outputFields.includes(id);
	});
	// What Update returns has only what was sent or shown, as the record wasn't read.
	if (operation !== 'update')
		for (const item of json) expect(Object.keys(item)).toEqual(expect.arrayContaining(keys));
	return json;
}

async function play(round: Round): Promise<void> {
	const { reader, writers } = round;
	const { listed, truth } = await makeCard(round);
	const [keyId = '', touchId = ''] = listed.map(({ id }) => id);
	const ids = [...(await stored(keyId)).values()].map(({ id }) => ({ id }));
	let items = await pass(listed, reader, reader.operation === 'get' ? ids : [{}]);
	if (reader.operation === 'updateMany') for (const data of truth) data[touchId] = 5;
	for (const [place, writer] of writers.entries()) {
		if (!items) return;
		const earlier = writers[place - 1] ?? reader;
		const { edit } = earlier;
		const keys = keysIn(listed, isById(earlier));
		const needed = keys.filter((_, at) => at === 0 || OWN.includes(listed[at]?.name ?? ''));
		items = items.map((item) => edited(item, edit, needed));
		const kept = await stored(keyId);
		const isGone = kept.size === 0 || items.some(({ id }) => typeof id !== 'string');
		const operation = isGone && writer.operation === 'update' ? 'upsert' : writer.operation;
		await spoil(listed, kept.values(), operation === 'create');
		const before = await stored(keyId);
		const output = await pass(listed, { ...writer, operation }, items);
		if (!output) return;
		for (const [at, item] of items.entries()) {
			const expected: Data = { ...before.get(`k${at}`)?.data };
			for (const [field, { id }] of listed.entries()) {
				if (Object.hasOwn(item, keys[field] ?? '')) expected[id] = truth[at]?.[id];
			}
			truth[at] = JSON.parse(JSON.stringify(expected)) as Data;
		}
		const after = [...(await stored(keyId)).values()].map(({ data }) => data);
		expect(after).toHaveLength(truth.length);
		expect(after).toEqual(expect.arrayContaining(truth));
		items = output;
	}
}

const deadline = 60_000 * Number(process.env.FAST_CHECK_TIMES ?? 1);
test(
	'every value goes back exactly, from every operation into every other one',
	async () => {
		await fc.assert(fc.asyncProperty(round, play), cases(50));
	},
	deadline,
);
