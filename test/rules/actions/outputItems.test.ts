/** What comes out for a record: its fields by name, nothing that steers n8n, and nothing that two items share. */
import {
	createUnsharing,
	passedOn,
	recordOutput,
	type OutputOptions,
} from '../../../nodes/WorkspaceData/actions/outputItems';
import type { DataRecord } from '../../../nodes/WorkspaceData/model/response/record';
import { FieldIndex } from '../../../nodes/WorkspaceData/model/fieldIndex';
import { field } from '../model/fields';

const index = new FieldIndex(
	[
		field('Title'),
		field('Pages', 'number'),
		field('Twin', 'text', [], 't1'),
		field('Twin', 'text', [], 't2'),
	],
	'Books',
);

const recordOf = (data: DataRecord['data'], id = 'r1'): DataRecord => ({
	id,
	data,
	createdAt: '2026-01-31T12:00:00Z',
	raw: { id, data, created_at: '2026-01-31T12:00:00Z', owner: 'Ada' },
});
const own = { id: 'r1', created_at: '2026-01-31T12:00:00Z' };
const given = { t2: 2, 'id-Pages': 7, 'id-Title': 'Emma', orphan: true };

const output = (options: OutputOptions, data: DataRecord['data'] = given, simple: unknown = true) =>
	recordOutput(index, simple, options)(recordOf(data));

test.each<[OutputOptions, object]>([
	[{}, { ...own, fields: { Title: 'Emma', Pages: 7, t2: 2, orphan: true } }],
	[{ outputFields: ['Pages', 'id-Title'] }, { ...own, fields: { Pages: 7, Title: 'Emma' } }],
	[{ outputFields: 't1' }, { ...own, fields: {} }],
	[{ typeVersion: 2 }, { Title: 'Emma', Pages: 7, t1: null, t2: 2, ...own, orphan: true }],
	[
		{ typeVersion: 2, outputFields: 't1, Title' },
		{ t1: null, Title: 'Emma', ...own },
	],
])('%j: the chosen fields, or all and what is under an unknown ID: %j', (options, expected) => {
	expect(output(options)).toEqual(expected);
	expect(Object.keys(output(options))).toEqual(Object.keys(expected));
});

test('version 2: a key of the prototype is a field like any other', () => {
	const odd = new FieldIndex([field('__proto__'), field('id')], 'Odd');
	const record = recordOf({ 'id-__proto__': 1, 'id-id': 2 });
	expect(Object.entries(recordOutput(odd, true, { typeVersion: 2 })(record))).toEqual([
		['__proto__', 1],
		['fields.id', 2],
		['id', 'r1'],
		['created_at', own.created_at],
	]);
});

test("a value under an ID that is the name of a field doesn't pass for it", () => {
	expect(output({}, { Title: 'not the title' })).toEqual({ ...own, fields: {} });
	expect(output({}, { Title: 'not the title', 'id-Title': 'Emma' })).toEqual({
		...own,
		fields: { Title: 'Emma' },
	});
});

test('a record without an ID says so', () => {
	expect(recordOutput(index, true, {})(recordOf({}, ''))).toMatchObject({ id: null });
});

test('flat: the names of the record’s own properties go under fields', () => {
	const names = ['id', 'created_at', 'action', 'error', 'deleted', 'dry_run', 'fields', 'fields.x'];
	const fields = new FieldIndex(
		[...names, 'Title'].map((name) => field(name)),
		'Own',
	);
	const data = Object.fromEntries([...names, 'Title'].map((name) => [`id-${name}`, name]));
	expect(recordOutput(fields, true, { outputFormat: 'flat' })(recordOf(data))).toEqual({
		...own,
		...Object.fromEntries(names.map((name) => [`fields.${name}`, name])),
		Title: 'Title',
	});
});

test('a field called __proto__ is a field', () => {
	const fields = new FieldIndex([field('__proto__', 'text', [], 'f1')], 'Odd');
	const { fields: values } = recordOutput(fields, true, {})(recordOf({ f1: 'x' }));
	expect(Object.entries(values as object)).toEqual([['__proto__', 'x']]);
	expect(Object.getOwnPropertyDescriptor(values, '__proto__')).toEqual({
		value: 'x',
		enumerable: true,
		writable: true,
		configurable: true,
	});
});

test('Simplify by an expression that returns text', () => {
	expect(output({}, given, 'false')).toEqual(recordOf(given).raw);
	expect(() => output({}, given, 'raw')).toThrow("'Simplify' can't be 'raw'");
});

test.each([
	[{ fieldKeys: 'number' }, "can't be 'number'"],
	[{ outputFormat: 'round' }, "can't be 'round'"],
	[{ outputFields: ['Nope'] }, 'Nope'],
])('%j is refused', (options, message) => {
	expect(() => recordOutput(index, true, options)).toThrow(message);
	expect(() => recordOutput(index, false, options)).toThrow(message);
});

describe('the key `error`', () => {
	const separated = { onError: 'continueErrorOutput' } as const;
	test.each<[object, object, string]>([
		[{ error: 'x', a: 1 }, {}, 'error'],
		[{ error: 'x', a: 1 }, { retryOnFail: true }, 'error_'],
		[{ error: 'x', message: 'm', details: 1 }, separated, 'error_'],
		[{ error: 'x', a: 1 }, separated, 'error'],
		[{ error: 'x' }, { onError: 'continueRegularOutput' }, 'error'],
	])(
		'of an item %j that is passed on, where n8n takes some for failed ones: %j',
		(item, settings, key) => {
			const { error, ...rest } = item as Record<string, unknown>;
			expect(passedOn({ error, ...rest }, settings)).toEqual({ ...rest, [key]: error });
		},
	);

	test('an item without it is passed on as it is', () => {
		const item = { error_: 1, message: 'm' };
		expect(passedOn(item, { retryOnFail: true })).toBe(item);
		expect(
			passedOn(Object.create({ error: 1 }) as object as Record<string, unknown>, {
				retryOnFail: true,
			}),
		).toEqual({});
	});
});

describe('objects that two items would share', () => {
	const date = new Date(0);

	test('the first item keeps its objects, the next ones get copies', () => {
		const part = { deep: { a: 1 } };
		const own = createUnsharing();
		const first = { part, date };
		const [one, two] = [own(first), own({ part, date, twice: [part, part] })];
		expect(one).toBe(first);
		expect(one.part).toBe(part);
		expect(two).toEqual({ part, date, twice: [part, part] });
		(two.part as typeof part).deep.a = 2;
		expect(one.part).toEqual({ deep: { a: 1 } });
		expect((two.twice as unknown[])[0]).not.toBe((two.twice as unknown[])[1]);
		expect(two.date).toBe(date);
	});

	test('a key called __proto__ gets a copy, too', () => {
		const own = createUnsharing();
		const part = { a: 1 };
		own({ part });
		const odd = JSON.parse('{"__proto__":null}') as Record<string, unknown>;
		Object.defineProperty(odd, '__proto__', { value: part });
		const [[key, value] = []] = Object.entries(own(odd));
		expect([key, value]).toEqual(['__proto__', part]);
		expect(value).not.toBe(part);
	});
});
