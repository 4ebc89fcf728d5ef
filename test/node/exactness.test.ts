/** Values, names and identifiers are what they are, or refused by name (D12-D14, D24, D26, D27, E9, E11). */
import type { IDataObject } from 'n8n-workflow';
import { byId, mapAutomatically, mapEach } from '../support/parameters';
import { runAction } from '../support/n8n';
import { recordRuns } from '../support/recordRuns';
import { startWebServer } from '../support/webServer';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Exactness',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'Due', type: 'date' },
		{ name: 'At', type: 'datetime' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'In Work', 'Done'] },
		{ name: 'Tags', type: 'multi_select', options: ['red', 'blue'] },
	],
	(made) => ({ workspace, card } = made),
);

const { run, answer } = recordRuns(() => ({ workspace, card }));
const sent = () => workspace.requests().filter((request) => !request.startsWith('GET'));

describe('filters compare values of the field’s type', () => {
	const find = async (field: string, condition: string, value: unknown) =>
		await run('getAll', {
			returnAll: true,
			filters: { conditions: [{ field, condition, value }] } as IDataObject,
		});
	const keys = async (field: string, condition: string, value: unknown) => {
		const { json, error } = await find(field, condition, value);
		if (error) throw error;
		return json.map(({ fields }) => (fields as IDataObject).Key);
	};

	test.each([
		['Due', '={{ DateTime.fromISO("2026-03-31T00:00:00", { zone: "Europe/Berlin" }) }}'],
		['Due', '={{ new Date("2026-03-31T10:00:00Z") }}'],
		['Due', '2026-03-31T23:30:00+02:00'],
		['At', '={{ DateTime.fromISO("2026-03-31T12:00:00", { zone: "Europe/Berlin" }) }}'],
		['At', '={{ new Date("2026-03-31T10:00:00Z") }}'],
	])('%s compared with %s (D12)', async (field, value) => {
		await workspace.records(card.id, [
			{ Key: 'before', Due: '2026-03-30', At: '2026-03-31T09:59:59Z' },
			{ Key: 'same', Due: '2026-03-31', At: '2026-03-31T12:00:00+02:00' },
			{ Key: 'after', Due: '2026-04-01', At: '2026-03-31T10:00:01Z' },
		]);
		expect(await keys(field, 'equals', value)).toEqual(['same']);
		expect(await keys(field, 'lessThan', value)).toEqual(['before']);
		expect(await keys(field, 'greaterOrEqual', value)).toEqual(['same', 'after']);
	});

	test('today, as n8n gives it (D12)', async () => {
		const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format();
		await workspace.records(card.id, [
			{ Key: 'today', Due: today },
			{ Key: 'past', Due: '2020-01-01' },
		]);
		expect(await keys('Due', 'equals', '={{ $today }}')).toEqual(['today']);
	});

	test.each([
		[
			'Status',
			'equals',
			'Opne',
			'Field \'Status\' cannot hold "Opne"',
			"'Open', 'In Work', 'Done'",
		],
		['Status', 'notEquals', 'Opne', "Field 'Status' cannot hold", "'Open'"],
		['Tags', 'equals', 'green', 'Field \'Tags\' cannot hold "green"', "'red', 'blue'"],
		['Amount', 'greaterThan', 'abc', 'Field \'Amount\' cannot hold "abc"', 'number such as'],
		['Amount', 'equals', '={{ true }}', "Field 'Amount' cannot hold true", 'number such as'],
		['Due', 'lessThan', '31.3.2026', "Field 'Due' cannot hold", 'YYYY-MM-DD'],
		['At', 'lessThan', 'soon', "Field 'At' cannot hold", 'ISO 8601'],
		['created_at', 'lessThan', 'soon', "Field 'Created At' cannot hold", 'ISO 8601'],
	])(
		'%s %s %j is refused as in writing (D13)',
		async (field, condition, value, message, advice) => {
			const { error } = await find(field, condition, value);
			expect(error?.message).toContain(message);
			expect(error?.description).toContain(advice);
		},
	);

	test.each([
		['equals', 'OPEN', ['a']],
		['contains', 'WORK', ['b']],
		['notEquals', ' done ', ['a', 'b']],
		['greaterThan', 'Open', ['b', 'c']],
	])('a choice %s %j, as in writing (D13)', async (condition, value, expected) => {
		await workspace.records(card.id, [
			{ Key: 'a', Status: 'Open' },
			{ Key: 'b', Status: 'In Work' },
			{ Key: 'c', Status: 'Done' },
		]);
		expect(await keys('Status', condition, value)).toEqual(expected);
	});
});

describe('upsert matches values of the field’s type (D14)', () => {
	/** A card whose service keeps other spellings than are sent. */
	const stored = (data: IDataObject) => {
		answer('GET', '/fields$', {
			fields: [
				{ id: 'n', name: 'No', type: 'number' },
				{ id: 'd', name: 'Day', type: 'date' },
				{ id: 't', name: 'Time', type: 'datetime' },
				{
					id: 's',
					name: 'State',
					type: 'single_select',
					options: [
						{ id: 'o1', name: 'Open' },
						{ id: 'o2', name: 'Done' },
					],
				},
				{ id: 'x', name: 'Note', type: 'text' },
			],
		});
		answer('GET', '/records$', { records: [{ id: 'r1', data }], next_cursor: null });
		answer('PATCH', '/records/r1$', {});
	};

	test.each<[string, IDataObject, unknown]>([
		['State', { s: 'o1' }, 'Open'],
		['State', { s: 'Open' }, 'o1'],
		['No', { n: '10.00' }, 10],
		['No', { n: 10 }, '10.00'],
		['Day', { d: '2026-03-31T00:00:00Z' }, '2026-03-31'],
		['Time', { t: '2026-03-31T10:00:00+00:00' }, '2026-03-31T12:00:00+02:00'],
	])('%s: %j is found by %j', async (name, data, value) => {
		stored(data);
		const { json, error } = await run('upsert', { columns: mapAutomatically([name]) }, [
			{ [name]: value as string, Note: 'x' },
		]);
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ id: 'r1', action: 'updated' }]);
	});
});

describe('nothing is changed silently (D24)', () => {
	test('an output field is named with its outer spaces', async () => {
		const { id } = await workspace.card('Spaces', [
			{ name: 'Status', type: 'text' },
			{ name: 'Status ', type: 'text' },
		]);
		await workspace.records(id, [{ Status: 'without', 'Status ': 'with' }]);
		const { json } = await run('getAll', {
			cardId: byId(id),
			options: { outputFields: ['Status '] },
		});
		expect(json[0]?.fields).toEqual({ 'Status ': 'with' });
	});

	test.each([
		['Tags', ' '],
		['Tags', ','],
		['Amount', '9007199254740993.0'],
	])('%s: %j is refused', async (name, value) => {
		const { error } = await run('create', { columns: mapEach({ [name]: value }) });
		expect(error?.message).toContain(`Field '${name}' cannot hold`);
		expect(sent()).toEqual([]);
	});

	test('an entry of the mapper’s schema that cannot be read does not bring back hidden values', async () => {
		const schema = [
			{ displayName: 'without an ID' },
			{ id: 'Amount', displayName: null, removed: true },
			{ id: 'Key', displayName: 'Key', fieldId: card.fieldIds.Key },
		];
		const { error } = await run('create', {
			columns: mapEach({ Key: 'a', Amount: 0 }, { schema } as unknown as IDataObject),
		});
		expect(error).toBeUndefined();
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a' }]);
	});

	test('data under a deleted ID does not pass for the field of that name', async () => {
		answer('GET', '/fields$', { fields: [{ id: 'f2', name: 'Status', type: 'text' }] });
		const data = { f2: 'live', Status: 'of a deleted field', other: 'of another' };
		answer('GET', '/records$', { records: [{ id: 'r1', data }], next_cursor: null });
		const { json } = await run('getAll', { returnAll: true });
		expect(json[0]?.fields).toEqual({ Status: 'live', other: 'of another' });
	});

	test('a time-out that no timer can hold is refused', async () => {
		const { error } = await run('getAll', { options: { timeout: 2_592_000 } });
		expect(error?.message).toContain("'Timeout (Seconds)' is 2592000 seconds");
		expect(workspace.requests()).toEqual([]);
	});

	test('identifiers that are long numbers keep all their digits (O2)', async () => {
		await workspace.records(card.id, [{ Key: '9007199254740992' }, { Key: '9007199254740993' }]);
		workspace.service.control.setVariants({ longNumbers: true });
		const { json } = await run('getAll', { returnAll: true });
		const keys = json.map(({ fields }) => (fields as IDataObject).Key);
		expect(keys).toEqual(['9007199254740992', '9007199254740993']);
	});

	test.each([
		['getAll', { returnAll: true, simple: false }],
		['get', { simple: true }],
	])('%s: no two items share an object', async (operation, parameters) => {
		const [id = ''] = await workspace.records(card.id, [{ Key: 'a', Tags: ['red'] }]);
		const { items } = await run(operation, { ...parameters, recordId: byId(id) }, [{}, {}]);
		const [first, second] = items.map(({ json }) => (json.data ?? json.fields) as IDataObject);
		expect(first).toEqual(second);
		expect(first).not.toBe(second);
		const listOf = (data: IDataObject | undefined) => Object.values(data ?? {}).find(Array.isArray);
		expect(listOf(first)).toEqual(['red']);
		expect(listOf(first)).not.toBe(listOf(second));
	});
});

describe('types by other names (D26)', () => {
	test.each<[string, unknown, unknown]>([
		['NUMBER', '5', 5],
		['integer', '5', 5],
		['checkbox', 'true', true],
		['bool', 'false', false],
		['Single Select', 'open', 'Open'],
		['select', 'open', 'Open'],
		['enum', 'open', 'Open'],
		['multiselect', 'open', ['Open']],
		['text', '5', '5'],
	])('%s: %j is sent as %j', async (type, value, expected) => {
		answer('GET', '/fields$', { fields: [{ id: 'f1', name: 'F', type, options: ['Open'] }] });
		answer('POST', '/records$', {});
		const { json, error } = await run('create', { columns: mapEach({ F: value } as IDataObject) });
		expect(error).toBeUndefined();
		expect(json[0]?.fields).toEqual({ F: expected });
	});

	test.each<[unknown, string, unknown]>([
		[7, '5', 5],
		[true, 'false', 'false'],
		[7, '007', '007'],
		[7, '2026-03-31T10:00:00Z', '2026-03-31T10:00:00Z'],
		[7, 'any text', 'any text'],
		['7', '5', '5'],
		[null, '5', '5'],
	])(
		'a type of the service’s own, whose records hold %j: %j is sent as %j (H22)',
		async (held, value, expected) => {
			answer('GET', '/fields$', { fields: [{ id: 'f1', name: 'F', type: 'rating' }] });
			answer('GET', '/records$', {
				records: [{ id: 'r1', data: { f1: held } }],
				next_cursor: null,
			});
			answer('POST', '/records$', {});
			const { json, error } = await run('create', { columns: mapEach({ F: value }) }, [{}]);
			expect(error).toBeUndefined();
			expect(json[0]?.fields).toEqual({ F: expected });
		},
	);
});

test('options of value and label: the value is sent, either is accepted (D27)', async () => {
	const options = [
		{ value: 'o', label: 'Open' },
		{ value: 'd', label: 'Done' },
	];
	for (const [entered, expected] of [
		['Open', 'o'],
		['o', 'o'],
		['DONE', 'd'],
	]) {
		answer('GET', '/fields$', {
			fields: [{ id: 'f1', name: 'F', type: 'single_select', options }],
		});
		answer('POST', '/records$', {});
		const { json } = await run('create', { columns: mapEach({ F: entered ?? '' }) });
		expect(json[0]?.fields).toEqual({ F: expected });
	}
});

test('all bad values of an item are named (E9)', async () => {
	const { error } = await run('create', {
		columns: mapEach({ Key: 'fine', Amount: 'many', Status: 'Opne', Nothing: 1 }),
	});
	expect(error?.message).toBe('3 values of this item cannot be sent');
	expect(error?.description).toContain('Field \'Amount\' cannot hold "many". Enter a number');
	expect(error?.description).toContain(
		"Field 'Status' cannot hold \"Opne\". Did you mean 'Open'? Allowed values are",
	);
	expect(error?.description).toContain("has no field 'Nothing'. The fields are 'Key'");
	expect(sent()).toEqual([]);
});

test('written values come out in the card’s order, as in Get Many (E11)', async () => {
	const order = ['Key', 'Amount', 'Due', 'Status'];
	const value = { Status: 'Open', Due: '2026-03-31', Key: 'a', Amount: 1 };
	const names = ({ json }: { json: IDataObject[] }) => Object.keys(json[0]?.fields as object);
	const created = await run('create', { columns: mapEach(value) });
	expect(names(created)).toEqual(order);
	const columns = mapEach({ Status: 'Done', Key: 'b' });
	const updated = await run('update', { recordId: byId(String(created.json[0]?.id)), columns });
	expect(names(updated)).toEqual(order);
	expect(names(await run('getAll', { returnAll: true }))).toEqual(order);
	const upserted = await run('upsert', {
		columns: mapEach({ Due: '2026-04-01', Key: 'b' }, { matchingColumns: ['Key'] }),
	});
	expect(names(upserted)).toEqual(order);
});

describe('numbers of the service that JavaScript cannot keep (H25)', () => {
	const RECORDS = `{"records":[
		{"id":9007199254740993,"created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890,"j":{"n":1e400}}},
		{"id":9007199254740995,"created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567891,"j":null}}
	],"next_cursor":null}`;
	const FIELDS =
		'{"fields":[{"id":"a","name":"Amount","type":"number"},{"id":"j","name":"Extra","type":"json"}]}';
	const changes: string[] = [];
	let server: Awaited<ReturnType<typeof startWebServer>>;
	beforeEach(async () => {
		changes.length = 0;
		server = await startWebServer(({ method = '', url = '' }, response) => {
			if (method !== 'GET') changes.push(`${method} ${url.split('/').at(-1)}`);
			response.writeHead(method === 'DELETE' ? 204 : 200, { 'content-type': 'application/json' });
			response.end(method === 'GET' ? (url.includes('/fields') ? FIELDS : RECORDS) : undefined);
		});
	});
	afterEach(async () => await server.close());
	const runRaw = async (operation: string, parameters: IDataObject, items?: IDataObject[]) =>
		await runAction({
			credentials: {
				workspaceDataApi: { baseUrl: `${server.url}/api/v1`, workspaceId: 'w', apiKey: 'k' },
			},
			items: items ?? [{}],
			parameters: { resource: 'record', operation, cardId: byId('c'), ...parameters },
		});

	test('all digits are returned, as text', async () => {
		const { json } = await runRaw('getAll', { returnAll: true });
		expect(json.map(({ id, fields }) => [id, fields])).toEqual([
			['9007199254740993', { Amount: '12345678901234567890', Extra: { n: '1e400' } }],
			['9007199254740995', { Amount: '12345678901234567891', Extra: null }],
		]);
	});

	test('Delete Many deletes the one record, by its exact ID', async () => {
		const conditions = [{ field: 'id', condition: 'equals', value: '9007199254740995' }];
		const { error } = await runRaw('deleteMany', { filters: { conditions } });
		expect(error).toBeUndefined();
		expect(changes).toEqual(['DELETE 9007199254740995']);
	});

	test('Get Many → Update sends no other number', async () => {
		const { json } = await runRaw('getAll', { returnAll: true });
		const update = { recordId: byId('={{ $json.id }}'), columns: mapAutomatically() };
		const { error } = await runRaw('update', update, json);
		expect(error?.message).toBe('Field \'Amount\' cannot hold "12345678901234567890"');
		expect(changes).toEqual([]);
	});
});

describe.each(['number', 'mystery', 'json'])(
	'whole numbers beyond 2^53 in a field of type %s (O2)',
	(type) => {
		const [one, other] = ['363228830310334464', '363228830310334460'];

		/** The service writes such texts as JSON numbers, and says that their field has this type. */
		async function keep(...values: string[]) {
			const { Key, Due } = card.fieldIds;
			await workspace.records(
				card.id,
				values.map((value) => ({ Key: value, Due: '2026-01-01' })),
			);
			workspace.service.control.resetRequests();
			workspace.service.control.setVariants({ longNumbers: true });
			answer(
				'GET',
				'/fields$',
				{
					fields: [
						{ id: Key, name: 'Key', type },
						{ id: Due, name: 'Due', type: 'date' },
					],
				},
				{ times: 99 },
			);
		}
		const equals = (value: string) => ({
			filters: { conditions: [{ field: 'Key', condition: 'equals', value }] },
		});

		test('come back with all their digits', async () => {
			await keep(one, other);
			const { json } = await run('getAll', { returnAll: true });
			expect(json.map(({ fields }) => (fields as IDataObject).Key)).toEqual([one, other]);
		});

		test('are not taken for each other by a filter that deletes', async () => {
			await keep(one, other);
			await run('deleteMany', equals(other));
			const { json } = await run('getAll', { returnAll: true });
			expect(json.map(({ fields }) => (fields as IDataObject).Key)).toEqual([one]);
		});

		test('are not taken for each other, nor sent as another number, by an upsert', async () => {
			await keep(one);
			const { error, json } = await run('upsert', { columns: mapAutomatically(['Key']) }, [
				{ Key: other, Due: '2026-05-05' },
			]);
			const bodies = workspace.service.control.requests().map(({ body }) => body ?? '');
			expect(sent().filter((request) => request.startsWith('PATCH'))).toEqual([]);
			expect(bodies.join()).not.toContain(one);
			// The field of the reference service holds texts, and refuses the number that the node takes it for.
			if (type === 'number') expect(bodies.join()).toContain(other);
			else expect(error ?? json[0]?.action).toBe('created');
		});
	},
);

test('a condition with a number that may have lost digits is refused (O2)', async () => {
	const { error } = await run('deleteMany', {
		filters: {
			conditions: [{ field: 'Amount', condition: 'equals', value: '={{ 363228830310334464 }}' }],
		},
	});
	expect(error?.description).toContain('too many digits to be exact. Enter it as text.');
	expect(workspace.requests().filter((request) => !request.includes('/fields'))).toEqual([]);
});

test('decimals, exponents and whole numbers up to 2^53 stay numbers (O2)', async () => {
	const values = [0.1, 9_007_199_254_740_991, 1.5e300, -12.25];
	const { json } = await run(
		'create',
		{ columns: mapAutomatically() },
		values.map((Amount) => ({ Amount })),
	);
	expect(json.map(({ fields }) => (fields as IDataObject).Amount)).toEqual(values);
});

test.each([null, false, '', 0, 'text', { a: 1 }])(
	'%j under "error" in an object of the service is renamed: n8n would run the node again (O16)',
	async (error) => {
		answer('GET', `/cards/${card.id}$`, { id: card.id, name: 'Odd', error });
		const { json } = await runAction({
			credentials: workspace.apiKey,
			parameters: { resource: 'card', operation: 'get', cardId: byId(card.id) },
			node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 },
		});
		expect(json).toEqual([{ id: card.id, name: 'Odd', error_: error }]);
		expect(workspace.requests()).toHaveLength(1);
	},
);
