/** Values and names on their way into records. */
import type { IDataObject } from 'n8n-workflow';
import { runAction, type ActionResult } from '../support/n8n';
import { byId, byName, mapAutomatically, mapEach } from '../support/parameters';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Mapping',
	[
		{ name: 'Title', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'Active', type: 'boolean' },
		{ name: 'Due', type: 'date' },
		{ name: 'At', type: 'datetime' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
		{ name: 'Tags', type: 'multi_select', options: ['a', 'b, c'] },
		{ name: 'Extra', type: 'json' },
	],
	(made) => ({ workspace, card } = made),
);

const write = async (
	columns: IDataObject,
	options: IDataObject = {},
	item: IDataObject = {},
	operation: IDataObject = { operation: 'create' },
): Promise<ActionResult> =>
	await runAction({
		credentials: workspace.apiKey,
		items: [item],
		parameters: { resource: 'record', cardId: byId(card.id), columns, options, ...operation },
	});

const stored = async () => (await workspace.rows(card.id))[0];

test('texts, numbers, booleans, dates, lists and objects keep their types', async () => {
	const values = {
		Title: 'é 🙂',
		Amount: 12.5,
		Active: true,
		Due: '2026-02-28',
		At: '2026-02-28T10:00:00Z',
		Status: 'Done',
		Tags: ['b, c', 'a'],
		Extra: { deep: [1, null, { x: false }] },
	};
	expect((await write(mapEach(values))).error).toBeUndefined();
	expect(await stored()).toEqual(values);
});

test.each([
	['Amount', '={{ 0 }}', 0],
	['Amount', ' 12.5 ', 12.5],
	['Active', '={{ false }}', false],
	['Active', 'true', true],
	['Title', '={{ "" }}', ''],
	['Due', '2026-03-31T23:30:00-05:00', '2026-03-31'],
	// The workflow's time zone is Europe/Berlin.
	['At', '2026-07-01T12:00:00', '2026-07-01T10:00:00.000Z'],
	['Status', 'done', 'Done'],
	['Tags', 'a', ['a']],
	['Tags', 'b, c', ['b, c']],
	['Tags', 'b, c, a', ['b, c', 'a']],
	['Tags', 'a, "b, c"', ['a', 'b, c']],
	['Tags', '={{ ["b, c"] }}', ['b, c']],
	['Tags', '["a","b, c"]', ['a', 'b, c']],
	['Extra', '{"a":1}', { a: 1 }],
])('%s: %j is stored as %j', async (name, entered, expected) => {
	const { error } = await write(mapEach({ [name]: entered }));
	expect(error).toBeUndefined();
	expect((await stored())?.[name]).toEqual(expected);
});

test.each([
	['Amount', 'twelve', /Field 'Amount' cannot hold "twelve"/, /number such as/],
	['Due', '02/01/2024', /Field 'Due' cannot hold/, /YYYY-MM-DD/],
	['Due', '2026-02-30', /Field 'Due' cannot hold/, /YYYY-MM-DD/],
	['Status', 'Lost', /Field 'Status' cannot hold "Lost"/, /'Open', 'Done'/],
	['Titel', 'x', /has no field 'Titel'/, /Did you mean 'Title'/],
])('%s: %j is refused before anything is sent', async (name, entered, message, advice) => {
	workspace.service.control.resetRequests();
	const { error } = await write(mapEach({ [name]: entered }));
	expect(error?.message).toMatch(message);
	expect(error?.description).toMatch(advice);
	expect(workspace.requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
});

test('null clears; undefined and fields that are not mapped change nothing', async () => {
	await workspace.records(card.id, [{ Title: 'keep', Amount: 1, Status: 'Open' }]);
	const [record] = (
		(await workspace.send('GET', `/cards/${card.id}/records`)) as { records: Array<{ id: string }> }
	).records;
	const { error } = await write(
		mapEach({ Amount: '={{ null }}', Status: '={{ undefined }}' }),
		{},
		{},
		{ operation: 'update', recordId: byId(record?.id ?? '') },
	);
	expect(error).toBeUndefined();
	expect(await stored()).toEqual({ Title: 'keep', Status: 'Open' });
});

test.each([
	['ignore', { Title: 'old' }],
	['clear', {}],
])('empty values: %s', async (emptyValues, expected) => {
	const [id = ''] = await workspace.records(card.id, [{ Title: 'old' }]);
	await write(
		mapEach({ Title: '={{ "" }}', Amount: 1 }),
		{ emptyValues },
		{},
		{ operation: 'update', recordId: byId(id) },
	);
	expect(await stored()).toEqual({ ...expected, Amount: 1 });
});

test('where the service refuses an empty text, the message names the field and Empty Values (M17)', async () => {
	const columns = mapEach({ Title: 'a', Amount: '={{ "" }}' });
	const refused = await write(columns);
	expect(refused.error?.description).toContain(
		"Empty texts were sent for 'Amount'. The option 'Empty Values' can leave them out, or clear the fields.",
	);
	const { error } = await write(columns, { emptyValues: 'ignore' });
	expect(error).toBeUndefined();
});

test('unknown fields are left out where the option says so', async () => {
	const { error } = await write(mapEach({ Title: 'a', Nothing: 1 }), { unknownFields: 'ignore' });
	expect(error).toBeUndefined();
	expect(await stored()).toEqual({ Title: 'a' });
});

test.each([
	['the item’s fields', { id: 'x', fields: { Title: 'a', Amount: 1 }, other: 1 }],
	[
		'its top level without the record’s own properties',
		{ id: 'x', created_at: 'y', action: 'created', Title: 'a', Amount: 1 },
	],
])('Map Automatically takes %s', async (_what, item) => {
	expect((await write(mapAutomatically(), {}, item)).error).toBeUndefined();
	expect(await stored()).toEqual({ Title: 'a', Amount: 1 });
});

test.each([
	['nothing mapped', mapEach({})],
	['an empty item', mapAutomatically()],
])('E5 %s: a message with the label on the screen, and nothing is sent', async (_what, columns) => {
	workspace.service.control.resetRequests();
	const { error } = await write(columns);
	expect(error?.message).toBe("No value in 'Values to Send'");
	expect(workspace.requests()).toEqual([]);
});

test.each(['create', 'upsert', 'update', 'updateMany', 'sync'])(
	'E5 %s: a mistyped card is named before the values that its mapper could not offer',
	async (operation) => {
		const { error } = await runAction({
			credentials: workspace.apiKey,
			items: [{}],
			parameters: {
				resource: 'record',
				operation,
				cardId: byName('Mappping'),
				recordId: byId('rec_1'),
				columns: mapEach({}),
				filters: { conditions: [{ field: 'Title', condition: 'equals', value: 'a' }] },
			},
		});
		expect(error?.message).toBe("The workspace has no card called 'Mappping'");
		expect(error?.description).toContain("Did you mean 'Mapping");
	},
);

test('field values that the editor keeps for hidden columns are not written', async () => {
	const schema = [{ id: 'Active', displayName: 'Active', removed: true }];
	await write(mapEach({ Title: 'a', Active: false }, { schema }));
	expect(await stored()).toEqual({ Title: 'a' });
});

describe('a saved workflow continues to work', () => {
	const saved = () =>
		mapEach(
			{ Title: 'kept', Amount: 7 },
			{
				schema: [
					{ id: 'Title', displayName: 'Title', fieldId: card.fieldIds.Title },
					{ id: 'Amount', displayName: 'Amount', fieldId: card.fieldIds.Amount },
				],
			},
		);

	test('after a field was renamed', async () => {
		const mapping = saved();
		const fieldId = card.fieldIds.Amount ?? '';
		workspace.service.control.renameField({ cardId: card.id, fieldId, name: 'Price' });
		expect((await write(mapping)).error).toBeUndefined();
		expect(await stored()).toEqual({ Title: 'kept', Price: 7 });
	});

	test('after all field ids changed', async () => {
		const mapping = saved();
		workspace.service.control.rotateFieldIds({ cardId: card.id });
		expect((await write(mapping)).error).toBeUndefined();
		expect(await stored()).toEqual({ Title: 'kept', Amount: 7 });
	});

	test('after a rename, a refresh in the editor and a change of ids', async () => {
		const mapping = saved();
		const fieldId = card.fieldIds.Amount ?? '';
		workspace.service.control.renameField({ cardId: card.id, fieldId, name: 'Price' });
		const [, entry] = mapping.schema as IDataObject[];
		if (entry) entry.displayName = 'Price';
		workspace.service.control.rotateFieldIds({ cardId: card.id });
		expect((await write(mapping)).error).toBeUndefined();
		expect(await stored()).toEqual({ Title: 'kept', Price: 7 });
	});

	const listings = () =>
		workspace.requests().filter((request) => request === `GET /cards/${card.id}/fields`);

	test('when ids change between the listing and the write (B27)', async () => {
		const { control } = workspace.service;
		control.resetRequests();
		control.setLatency({ ms: 200 });
		const run = write(mapEach({ Title: 'late', Amount: 7 }));
		while (
			!control.requests().some(({ path, status }) => path.endsWith('/fields') && status === 200)
		) {
			await new Promise(setImmediate);
		}
		control.rotateFieldIds({ cardId: card.id });
		expect((await run).error).toBeUndefined();
		expect(await stored()).toEqual({ Title: 'late', Amount: 7 });
	});

	test('but not when the service refuses for another reason: one fresh listing, then its own words', async () => {
		const { control } = workspace.service;
		control.resetRequests();
		control.fail({ method: 'POST', path: '/records$', status: 422 });
		expect((await write(mapEach({ Title: 'late' }))).error?.httpCode).toBe('422');
		expect(listings()).toHaveLength(2);
	});
});

test.each([
	['emoji', '🙂 name'],
	['1,000 characters', 'x'.repeat(1_000)],
	['outer spaces', '  padded  '],
	['__proto__', '__proto__'],
	['constructor', 'constructor'],
	['toString', 'toString'],
	['error', 'error'],
])('a field called by %s makes an exact round trip (B28)', async (_what, name) => {
	const { id } = await workspace.card('Odd names', [{ name, type: 'text' }]);
	const value = Object.fromEntries([[name, 'value']]) as IDataObject;
	const { json, error } = await runAction({
		credentials: workspace.apiKey,
		parameters: {
			resource: 'record',
			operation: 'create',
			cardId: byId(id),
			columns: mapAutomatically(),
		},
		items: [{ fields: value }],
	});
	expect(error).toBeUndefined();
	expect(Object.entries(json[0]?.fields as object)).toEqual([[name, 'value']]);
	expect(({} as { value?: unknown }).value).toBeUndefined();
});

test('two fields of one name: the name is ambiguous, the ids work, and the output says which (B28)', async () => {
	const { id } = await workspace.card('Twins', [
		{ name: 'Twin', type: 'text' },
		{ name: 'Other', type: 'text' },
	]);
	const listing = (await workspace.send('GET', `/cards/${id}/fields`)) as {
		fields: Array<{ id: string }>;
	};
	const [first = { id: '' }, second = { id: '' }] = listing.fields;
	workspace.service.control.renameField({ cardId: id, fieldId: second.id, name: 'Twin' });
	const create = async (value: IDataObject) =>
		await runAction({
			credentials: workspace.apiKey,
			parameters: {
				resource: 'record',
				operation: 'create',
				cardId: byId(id),
				columns: mapEach(value),
			},
		});
	const { error } = await create({ Twin: 'x' });
	expect(error?.message).toMatch(/'Twin' matches 2 fields/);
	expect(error?.description).toContain(second.id);
	const { json } = await create({ [first.id]: 'one', [second.id]: 'two' });
	expect(json[0]?.fields).toEqual({ [first.id]: 'one', [second.id]: 'two' });
});
