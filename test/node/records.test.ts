/** Reading, matching and filtering records: what is asked of the service, and what comes out. */
import type { IDataObject } from 'n8n-workflow';
import { runAction } from '../support/n8n';
import { byId, byName, mapAutomatically, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;

const FIELDS = [
	{ name: 'Key', type: 'text' },
	{ name: 'Region', type: 'text' },
	{ name: 'Amount', type: 'number' },
	{ name: 'Tags', type: 'multi_select', options: ['red', 'green', 'blue'] },
];

useCard('Records', FIELDS, (made) => ({ workspace, card } = made));

const { runCounted: run } = recordRuns(() => ({ workspace, card }));

const requested = (method: string, what: string) =>
	workspace.requests().filter((request) => request === `${method} /cards/${card.id}/${what}`);

describe('output', () => {
	test('one item for each input item, in input order, paired with it, whatever ran side by side', async () => {
		const items = Array.from({ length: 40 }, (_, n) => ({ key: `k${n}` }));
		const { items: output, error } = await run(
			'create',
			{ columns: mapEach({ Key: '={{ $json.key }}' }) },
			items,
		);
		expect(error).toBeUndefined();
		expect(output.map(({ json }) => (json.fields as IDataObject).Key)).toEqual(
			items.map(({ key }) => key),
		);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
		expect(requested('GET', 'fields')).toHaveLength(1);
		expect(requested('POST', 'records')).toHaveLength(40);
	});

	test('Max Parallel Requests 1 stores records in the order of the items', async () => {
		const items = Array.from({ length: 12 }, (_, n) => ({ key: `k${n}` }));
		await run(
			'create',
			{ columns: mapEach({ Key: '={{ $json.key }}' }), options: { maxParallel: 1 } },
			items,
		);
		expect((await workspace.rows(card.id)).map(({ Key }) => Key)).toEqual(
			items.map(({ key }) => key),
		);
	});

	test('fields by id, and only those that are wanted', async () => {
		await workspace.records(card.id, [{ Key: 'a', Amount: 1 }]);
		const byIds = await run('getAll', { returnAll: true, options: { fieldKeys: 'id' } });
		expect(byIds.json[0]?.fields).toEqual({
			[card.fieldIds.Key ?? '']: 'a',
			[card.fieldIds.Amount ?? '']: 1,
		});
		const wanted = await run('getAll', { returnAll: true, options: { outputFields: ['Amount'] } });
		expect(wanted.json[0]?.fields).toEqual({ Amount: 1 });
		const raw = await run('getAll', {
			returnAll: true,
			simple: false,
			options: { outputFields: 'Amount' },
		});
		expect(raw.json[0]?.data).toEqual({ [card.fieldIds.Amount ?? '']: 1 });
		const unknown = await run('getAll', { returnAll: true, options: { outputFields: ['Amuont'] } });
		expect(unknown.error?.message).toContain("no field 'Amuont'");
	});
});

describe('Get Many', () => {
	beforeEach(() => {
		workspace.service.control.fillCard({ cardId: card.id, count: 2_500 });
	});

	test('walks all pages, in the largest that the service gives', async () => {
		const { json } = await run('getAll', { returnAll: true });
		expect(new Set(json.map(({ id }) => id)).size).toBe(2_500);
		expect(requested('GET', 'records')).toHaveLength(3);
		expect(requested('GET', 'fields')).toHaveLength(1);
		expect(workspace.requests()).toHaveLength(4);
	});

	test('a limit stops early and asks for no more than it needs', async () => {
		const { json } = await run('getAll', { returnAll: false, limit: 1_020 });
		expect(json).toHaveLength(1_020);
		const sizes = workspace.service.control
			.requests()
			.filter(({ path }) => path.endsWith('/records'))
			.map(({ query }) => new URLSearchParams(query).get('limit'));
		// One size for all pages (H10): a cursor may be a page number.
		expect(sizes).toEqual(['510', '510']);
	});

	test.each([
		[{ returnAll: true }, false],
		[{ returnAll: false, limit: 10_000 }, true],
	])('%j: the hint about reading much names Limit: %j', async (paging, namesLimit) => {
		const filters = { conditions: [{ field: 'Key', condition: 'equals', value: 'none' }] };
		const { run: execution } = await run('getAll', { ...paging, filters });
		const [hint] = execution.data.resultData.runData['Workspace Data']?.[0]?.hints ?? [];
		expect(hint?.message).toContain('2500 records were read, because the service cannot filter');
		expect(hint?.message.includes("'Limit'")).toBe(namesLimit);
	});

	test('several items read the listing once', async () => {
		const { json } = await run('getAll', { returnAll: true }, [{}, {}, {}]);
		expect(json).toHaveLength(7_500);
		expect(requested('GET', 'records')).toHaveLength(3);
		expect(requested('GET', 'fields')).toHaveLength(1);
	});

	test.each([0, -1, 'many', 1.5])('limit %j is refused before anything is sent', async (limit) => {
		const { error } = await run('getAll', { returnAll: false, limit });
		expect(error?.message).toContain("'Limit'");
		expect(workspace.requests()).toEqual([]);
	});

	test('a cursor that repeats ends in a message, not in a loop', async () => {
		workspace.service.control.setPaging({ mode: 'repeatCursor' });
		const { error } = await run('getAll', { returnAll: true });
		expect(error?.message).toContain('does not end');
		expect(requested('GET', 'records').length).toBeLessThan(5);
	});

	test('no record comes twice while others are deleted and created', async () => {
		const listing = run('getAll', { returnAll: true });
		await workspace.records(card.id, [{ Key: 'late' }]);
		const { json } = await listing;
		expect(new Set(json.map(({ id }) => id)).size).toBe(json.length);
	});
});

describe('filters', () => {
	beforeEach(async () => {
		await workspace.records(card.id, [
			{ Key: 'Alpha', Amount: 1, Tags: ['red', 'blue'] },
			{ Key: 'beta', Amount: 10, Tags: ['green'] },
			{ Key: 'Gamma' },
		]);
	});

	const keys = async (conditions: IDataObject[], more: IDataObject = {}) => {
		const { json, error } = await run('getAll', {
			returnAll: true,
			filters: { conditions },
			...more,
		});
		if (error) throw error;
		return json.map(({ fields }) => (fields as IDataObject).Key);
	};

	test.each([
		['Key', 'equals', 'Alpha', ['Alpha']],
		['Key', 'notEquals', 'Alpha', ['beta', 'Gamma']],
		['Key', 'contains', 'MM', ['Gamma']],
		['Key', 'notContains', 'a', []],
		['Key', 'startsWith', 'be', ['beta']],
		['Key', 'endsWith', 'MA', ['Gamma']],
		['Amount', 'greaterThan', '1', ['beta']],
		['Amount', 'greaterOrEqual', '1', ['Alpha', 'beta']],
		['Amount', 'lessThan', '2', ['Alpha']],
		['Amount', 'lessOrEqual', '10', ['Alpha', 'beta']],
		['Amount', 'isEmpty', '', ['Gamma']],
		['Amount', 'isNotEmpty', '', ['Alpha', 'beta']],
		['Tags', 'equals', 'blue', []],
		['Tags', 'contains', 'blue', ['Alpha']],
		['Tags', 'isAnyOf', 'blue', ['Alpha']],
		['created_at', 'greaterThan', '2020-01-01T00:00:00Z', ['Alpha', 'beta', 'Gamma']],
		['created_at', 'lessThan', '2020-01-01T00:00:00Z', []],
	])('%s %s %j → %j', async (field, condition, value, expected) => {
		expect(await keys([{ field, condition, value }])).toEqual(expected);
		// E8: as the editor keeps it; a plain text is what 0.1.0 kept.
		const chosen = { __rl: true, mode: 'list', value, cachedResultName: value };
		expect(await keys([{ field, condition, value: chosen }])).toEqual(expected);
	});

	test('a time without an offset is in the time zone of the workflow', async () => {
		const { id } = await workspace.card('Appointments', [{ name: 'When', type: 'datetime' }]);
		await workspace.records(id, [{ When: '2026-07-01T08:00:00Z' }]);
		const found = async (condition: string, value: string) => {
			const { json } = await runAction({
				credentials: workspace.apiKey,
				parameters: {
					resource: 'record',
					operation: 'getAll',
					cardId: byId(id),
					returnAll: true,
					filters: { conditions: [{ field: 'When', condition, value }] },
				},
			});
			return json.length;
		};
		// Tests run in Berlin's, two hours ahead.
		expect(await found('greaterThan', '2026-07-01T09:59')).toBe(1);
		expect(await found('greaterThan', '2026-07-01T10:01')).toBe(0);
		expect(await found('equals', '2026-07-01 10:00')).toBe(1);
		expect(await found('greaterThan', '2026-07-01T09:00:00Z')).toBe(0);
	});

	test('all conditions, or any', async () => {
		const conditions = [
			{ field: 'Key', condition: 'contains', value: 'a' },
			{ field: 'Amount', condition: 'equals', value: '10' },
		];
		expect(await keys(conditions)).toEqual(['beta']);
		expect(await keys(conditions, { matchType: 'anyCondition' })).toEqual([
			'Alpha',
			'beta',
			'Gamma',
		]);
	});

	test('a limit counts the records that pass', async () => {
		const { json } = await run('getAll', {
			returnAll: false,
			limit: 1,
			filters: { conditions: [{ field: 'Amount', condition: 'equals', value: '10' }] },
		});
		expect(json.map(({ fields }) => (fields as IDataObject).Key)).toEqual(['beta']);
	});

	test('a field called id or created_at is meant by its id, and a hint says so', async () => {
		const named = await workspace.card('Own names', [{ name: 'id', type: 'text' }]);
		await workspace.records(named.id, [{ id: 'A7' }]);
		const find = async (field: string) =>
			await run('getAll', {
				cardId: byId(named.id),
				returnAll: true,
				filters: { conditions: [{ field, condition: 'equals', value: 'A7' }] },
			});
		const fieldId = named.fieldIds.id ?? '';
		expect((await find(fieldId)).json).toHaveLength(1);
		const { json, run: execution } = await find('id');
		expect(json).toEqual([]);
		expect(execution.data.resultData.runData['Workspace Data']?.[0]?.hints).toEqual([
			expect.objectContaining({
				message: expect.stringContaining(`use the field's ID: ${fieldId}`),
			}),
		]);
	});

	test.each([
		[
			{ field: '', condition: 'equals', value: 'x' },
			"'Field Name or ID' is empty in a condition of 'Filters'",
		],
		[{ field: 'Nope', condition: 'equals', value: 'x' }, "no field 'Nope'"],
		[{ field: 'Key', condition: 'like', value: 'x' }, "'Condition' cannot be 'like'"],
		[
			{ field: 'Key', condition: 'contains', value: '' },
			"'Value' is empty in a condition of 'Filters'",
		],
	])('%j is refused', async (condition, message) => {
		const { error } = await run('getAll', {
			returnAll: true,
			filters: { conditions: [condition] },
		});
		expect(error?.message).toContain(message);
	});
});

describe('records by id', () => {
	test('Get reads the listing once for all items, and stops where it has them', async () => {
		workspace.service.control.fillCard({ cardId: card.id, count: 3_200 });
		const { json: all } = await run('getAll', { returnAll: false, limit: 1_500 });
		const wanted = [all[1_400], all[3], all[77]].map((record) => ({ id: String(record?.id) }));
		const { json } = await run('get', { recordId: byId('={{ $json.id }}') }, wanted);
		expect(json.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
		expect(requested('GET', 'records')).toHaveLength(2);
	});

	const missing = { recordId: byId('={{ $json.id }}') };
	const changes: Record<string, IDataObject> = {
		get: {},
		update: { columns: mapEach({ Key: 'x' }) },
		delete: {},
	};

	test.each(['get', 'update', 'delete'])('%s: If Not Found, for each item', async (operation) => {
		const [id = ''] = await workspace.records(card.id, [{ Key: 'there' }]);
		const items = [{ id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }, { id }];
		const parameters = { ...missing, ...changes[operation] };
		const failed = await run(operation, parameters, items.slice(0, 1));
		expect(failed.error?.message).toMatch(/Record not found|has no record/);
		const empty = await run(
			operation,
			{ ...parameters, options: { ifNotFound: 'empty' } },
			items.slice(0, 1),
		);
		expect(empty.json).toEqual([{}]);
		const skipped = await run(operation, { ...parameters, options: { ifNotFound: 'skip' } }, items);
		expect(skipped.items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual([
			[id, { item: 1 }],
		]);
	});

	test('a card that does not exist is not taken for a missing record', async () => {
		const { error } = await runAction({
			credentials: workspace.apiKey,
			parameters: {
				resource: 'record',
				operation: 'delete',
				cardId: byId('crd_unknown'),
				recordId: byId('01ARZ3NDEKTSV4RRFFQ69G5FAV'),
				options: { ifNotFound: 'skip' },
			},
		});
		expect(error?.httpCode).toBe('404');
		expect(error?.context?.kind).toBe('card-not-found');
	});

	test.each([
		['a/b', 'a%2Fb'],
		['a b?c#d', 'a%20b%3Fc%23d'],
		['../../cards', '..%2F..%2Fcards'],
	])('id %j is percent-encoded', async (id, encoded) => {
		const { error } = await run('delete', { recordId: byId(id) });
		expect(error?.httpCode).toBe('404');
		expect(workspace.service.control.requests().map(({ path }) => path)).toEqual([
			expect.stringMatching(new RegExp(`/records/${encoded.replaceAll('.', '\\.')}$`)),
		]);
	});

	test.each(['.', '..', '={{ "" }}', '   '])(
		'id %j is refused before anything is sent',
		async (id) => {
			const { error } = await run('delete', { recordId: byId(id) });
			expect(error?.message).toContain("'Record'");
			expect(workspace.requests()).toEqual([]);
		},
	);

	test.each([
		['get', 'Record', {}],
		['update', 'Record', { columns: mapEach({ Key: 'x' }) }],
		['delete', 'Field', { resource: 'field', fieldId: byId('..') }],
		['update', 'Field', { resource: 'field', fieldId: byId('..'), updateFields: { name: 'x' } }],
	])('%s: no listing is read for a %s that cannot be', async (operation, parameter, parameters) => {
		const { error } = await run(operation, { recordId: byId('..'), ...parameters });
		expect(error?.message).toBe(`'${parameter}' cannot be '..'`);
		expect(workspace.requests()).toEqual([]);
	});
});

describe('upsert', () => {
	const upsert = async (
		items: IDataObject[],
		options: IDataObject = {},
		matching: string[] = ['Key'],
	) => await run('upsert', { columns: mapAutomatically(matching), options }, items);

	test('reads the card once, creates missing records and updates existing ones', async () => {
		await workspace.records(card.id, [{ Key: 'a', Amount: 1 }]);
		const { json, error } = await upsert([
			{ Key: 'a', Amount: 2 },
			{ Key: 'b', Amount: 3 },
		]);
		expect(error).toBeUndefined();
		expect(json.map(({ action, fields }) => [action, fields])).toEqual([
			['updated', { Key: 'a', Amount: 2 }],
			['created', { Key: 'b', Amount: 3 }],
		]);
		expect(requested('GET', 'records')).toHaveLength(1);
		expect(requested('GET', 'fields')).toHaveLength(1);
	});

	test('two items with the same key act on one record, in their order', async () => {
		const { json } = await upsert([
			{ Key: 'new', Amount: 1 },
			{ Key: 'new', Amount: 2 },
			{ Key: 'new', Amount: 3 },
		]);
		expect(json.map(({ action }) => action)).toEqual(['created', 'updated', 'updated']);
		expect(new Set(json.map(({ id }) => id)).size).toBe(1);
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'new', Amount: 3 }]);
	});

	test('matches on several fields', async () => {
		await workspace.records(card.id, [
			{ Key: 'a', Region: 'north', Amount: 1 },
			{ Key: 'a', Region: 'south', Amount: 1 },
		]);
		await upsert([{ Key: 'a', Region: 'south', Amount: 9 }], {}, ['Key', 'Region']);
		expect(await workspace.rows(card.id)).toEqual([
			{ Key: 'a', Region: 'north', Amount: 1 },
			{ Key: 'a', Region: 'south', Amount: 9 },
		]);
	});

	test.each([
		['error', undefined],
		['first', [9, 1]],
		['all', [9, 9]],
	] as const)('several matches: %s', async (multipleMatches, amounts) => {
		await workspace.records(card.id, [
			{ Key: 'a', Amount: 1 },
			{ Key: 'a', Amount: 1 },
		]);
		const { error } = await upsert([{ Key: 'a', Amount: 9 }], { multipleMatches });
		if (!amounts) expect(error?.message).toMatch(/^2 records of card .* match/);
		expect((await workspace.rows(card.id)).map(({ Amount }) => Amount)).toEqual(amounts ?? [1, 1]);
	});

	test('Create Only leaves existing records, Update Only creates none', async () => {
		await workspace.records(card.id, [{ Key: 'a', Amount: 1 }]);
		const created = await upsert([{ Key: 'a', Amount: 2 }, { Key: 'b' }], {
			upsertMode: 'createOnly',
		});
		expect(created.json.map(({ fields, action }) => [fields, action])).toEqual([
			[{ Key: 'a', Amount: 1 }, undefined],
			[{ Key: 'b' }, 'created'],
		]);
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }, { Key: 'b' }]);
		const { json } = await upsert([{ Key: 'a', Amount: 5 }, { Key: 'c' }], {
			upsertMode: 'updateOnly',
			ifNotFound: 'skip',
		});
		expect(json.map(({ action }) => action)).toEqual(['updated']);
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 5 }, { Key: 'b' }]);
	});

	test('no matching field: the message calls the list of them as the editor does', async () => {
		const { error } = await upsert([{ Key: 'a' }], {}, []);
		expect(error?.message).toBe("No field in 'Fields to match on'");
	});

	test.each([
		['no matching field', [], { Key: 'a' }, /No field in 'Fields to match on'/],
		[
			'an empty matching value',
			['Key'],
			{ Key: '', Amount: 1 },
			/Matching field 'Key' has no value/,
		],
		['a missing matching value', ['Key'], { Amount: 1 }, /Matching field 'Key' has no value/],
	])('%s: a message, and nothing is written', async (_what, matching, item, message) => {
		const { error } = await upsert([item], {}, matching);
		expect(error?.message).toMatch(message);
		expect(requested('POST', 'records')).toEqual([]);
	});
});

test('cards by name: messages for unknown and ambiguous names', async () => {
	const name = `Unique ${card.id}`;
	await workspace.card(name, FIELDS);
	const get = async (value: string) =>
		await runAction({
			credentials: workspace.apiKey,
			parameters: {
				resource: 'record',
				operation: 'getAll',
				returnAll: true,
				cardId: byName(value),
			},
		});
	expect((await get(name.toLowerCase())).error).toBeUndefined();
	expect((await get('no such card')).error?.message).toContain("no card called 'no such card'");
	await workspace.card(name, FIELDS);
	expect((await get(name)).error?.message).toMatch(/2 cards called/);
});
