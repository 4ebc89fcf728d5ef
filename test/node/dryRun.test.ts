/** Dry Run: what would change comes out, and nothing that changes anything is sent. */
import type { IDataObject } from 'n8n-workflow';
import { runAction } from '../support/n8n';
import { byId, byName, mapAutomatically, mapEach } from '../support/parameters';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
let ids: string[];
useCard(
	'Dry',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
	],
	(made) => ({ workspace, card } = made),
);
beforeEach(async () => {
	ids = await workspace.records(card.id, [
		{ Key: 'a', Amount: 1 },
		{ Key: 'b', Amount: 2 },
	]);
});

async function run(
	operation: string,
	parameters: IDataObject,
	items: IDataObject[] = [{}],
	dry = true,
) {
	workspace.service.control.resetRequests();
	const { options, ...others } = parameters;
	const result = await runAction({
		credentials: workspace.apiKey,
		items,
		parameters: {
			resource: 'record',
			operation,
			cardId: byId(card.id),
			...others,
			options: { ...(options as IDataObject | undefined), ...(dry && { dryRun: true }) },
		},
	});
	return result;
}
const sent = () => workspace.requests().filter((one) => !one.startsWith('GET '));
const where = (field: string, condition: string, value: unknown = ''): IDataObject => ({
	filters: { conditions: [{ field, condition, value }] } as IDataObject,
});
const matchKey = (value: IDataObject) => ({
	columns: mapEach(value, { matchingColumns: ['Key'] }),
});
const rows = async () => await workspace.rows(card.id);

afterEach(async () => {
	if (sent().length > 0) return;
	expect(await rows()).toEqual([
		{ Key: 'a', Amount: 1 },
		{ Key: 'b', Amount: 2 },
	]);
});

test('Update shows the record before and after', async () => {
	const { json } = await run('update', {
		recordId: byId(ids[0] ?? ''),
		columns: mapEach({ Amount: '7' }),
	});
	expect(json).toEqual([
		{
			dry_run: true,
			action: 'update',
			id: ids[0],
			before: { Key: 'a', Amount: 1 },
			after: { Key: 'a', Amount: 7 },
		},
	]);
	expect(sent()).toEqual([]);
});

test('Delete shows what would be gone', async () => {
	const { json } = await run('delete', { recordId: byId(ids[1] ?? '') });
	expect(json).toEqual([
		{ dry_run: true, action: 'delete', id: ids[1], before: { Key: 'b', Amount: 2 }, after: null },
	]);
	expect(sent()).toEqual([]);
});

test('Update and Delete: items see what those before them would have done (M18)', async () => {
	const updated = await run(
		'update',
		{ recordId: byId(ids[0] ?? ''), columns: mapAutomatically() },
		[{ Key: 'x' }, { Amount: 5 }],
	);
	expect(updated.json.map(({ before, after }) => [before, after])).toEqual([
		[
			{ Key: 'a', Amount: 1 },
			{ Key: 'x', Amount: 1 },
		],
		[
			{ Key: 'x', Amount: 1 },
			{ Key: 'x', Amount: 5 },
		],
	]);
	expect(sent()).toEqual([]);
	const twice = { recordId: byId(ids[1] ?? ''), options: { ifNotFound: 'empty' } };
	const deleted = await run('delete', twice, [{}, {}]);
	expect(deleted.json).toMatchObject([{ action: 'delete', id: ids[1] }, {}]);
	expect(deleted.json[1]).toEqual({});
	expect(sent()).toEqual([]);
});

test('Create or Update: items see what those before them would have done', async () => {
	const { json, items } = await run(
		'upsert',
		matchKey({ Key: '={{ $json.key }}', Amount: '={{ $json.amount }}' }),
		[
			{ key: 'a', amount: 5 },
			{ key: 'new', amount: 1 },
			{ key: 'new', amount: 2 },
			{ key: 'a', amount: 6 },
		],
	);
	const entry = (action: string, id: unknown, before: unknown, after: unknown) => ({
		dry_run: true,
		action,
		id,
		before,
		after,
	});
	expect(json).toEqual([
		entry('update', ids[0], { Key: 'a', Amount: 1 }, { Key: 'a', Amount: 5 }),
		entry('create', null, null, { Key: 'new', Amount: 1 }),
		entry('update', null, { Key: 'new', Amount: 1 }, { Key: 'new', Amount: 2 }),
		entry('update', ids[0], { Key: 'a', Amount: 5 }, { Key: 'a', Amount: 6 }),
	]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3].map((item) => ({ item })));
	expect(sent()).toEqual([]);
});

test('Create Only does not change an existing record: action none', async () => {
	const { json } = await run('upsert', {
		...matchKey({ Key: 'a', Amount: 9 }),
		options: { upsertMode: 'createOnly' },
	});
	const values = { Key: 'a', Amount: 1 };
	expect(json).toEqual([
		{ dry_run: true, action: 'none', id: ids[0], before: values, after: values },
	]);
});

test('Update Many and Delete Many: each item finds what those before it would have left', async () => {
	const updated = await run(
		'updateMany',
		{
			...where('Amount', 'equals', '={{ $json.from }}'),
			columns: mapEach({ Amount: '={{ $json.to }}' }),
		},
		[
			{ from: 1, to: 2 },
			{ from: 2, to: 3 },
		],
	);
	expect(updated.json.map(({ id, before, after }) => [id, before, after])).toEqual([
		[ids[0], { Key: 'a', Amount: 1 }, { Key: 'a', Amount: 2 }],
		[ids[0], { Key: 'a', Amount: 2 }, { Key: 'a', Amount: 3 }],
		[ids[1], { Key: 'b', Amount: 2 }, { Key: 'b', Amount: 3 }],
	]);
	expect(sent()).toEqual([]);
	const deleted = await run('deleteMany', where('Amount', 'lessThan', '={{ $json.below }}'), [
		{ below: 2 },
		{ below: 9 },
	]);
	expect(deleted.json.map(({ action, id, after }) => [action, id, after])).toEqual([
		['delete', ids[0], null],
		['delete', ids[1], null],
	]);
	expect(sent()).toEqual([]);
});

test('values come under the keys that the options choose', async () => {
	const { json } = await run('update', {
		recordId: byId(ids[0] ?? ''),
		columns: mapEach({ Amount: 7 }),
		options: { fieldKeys: 'id', outputFields: ['Amount'] },
	});
	const amount = String(card.fieldIds.Amount);
	expect(json).toMatchObject([{ before: { [amount]: 1 }, after: { [amount]: 7 } }]);
});

/** Failures of the real run; a dry run fails with the same message. */
const FAILURES: Array<[string, string, IDataObject]> = [
	['an unknown field', 'update', { recordId: byId('x'), columns: mapEach({ Nope: 1 }) }],
	['a value that the field cannot hold', 'upsert', matchKey({ Key: 'a', Amount: 'many' })],
	['no value', 'update', { recordId: byId('x'), columns: mapEach({}) }],
	['an empty matching value', 'upsert', matchKey({ Key: '', Amount: 1 })],
	['no condition', 'deleteMany', { filters: {} }],
	['no condition', 'updateMany', { filters: {}, columns: mapEach({ Amount: 1 }) }],
	['an unknown field in a condition', 'deleteMany', where('KEY', 'equals', 'a')],
	['a near name of a card', 'delete', { recordId: byId('x'), cardId: byName('DRY') }],
	[
		'nothing to update',
		'upsert',
		{ ...matchKey({ Key: 'z' }), options: { upsertMode: 'updateOnly' } },
	],
	[
		'a wrong option',
		'update',
		{ recordId: byId('x'), columns: mapEach({ Amount: 1 }), options: { ifNotFound: 'no' } },
	],
	['a wrong option', 'delete', { recordId: byId('x'), options: { ifNotFound: 'no' } }],
];
test.each(FAILURES)('%s fails as the real run of %s does', async (_, operation, parameters) => {
	const real = await run(operation, parameters, [{}], false);
	const realSent = sent();
	const dry = await run(operation, parameters);
	expect(real.error?.message).toBeTruthy();
	expect(dry.error?.message).toBe(real.error?.message);
	expect(dry.error?.description).toBe(real.error?.description);
	expect([...realSent, ...sent()]).toEqual([]);
});

test('several matches fail as in the real run', async () => {
	await workspace.records(card.id, [{ Key: 'a', Amount: 3 }]);
	const { error } = await run('upsert', matchKey({ Key: 'a', Amount: 9 }));
	expect(error?.message).toBe("2 records of card 'Dry' match this item".replace('Dry', card.id));
	expect(sent()).toEqual([]);
	await workspace.send('DELETE', `/cards/${card.id}/records/${(await lastId()) ?? ''}`);
});
const lastId = async () => {
	const page = (await workspace.send('GET', `/cards/${card.id}/records`)) as {
		records: Array<{ id: string }>;
	};
	return page.records.at(-1)?.id;
};

describe.each([
	['update', { columns: mapEach({ Amount: 1 }) }],
	['delete', {}],
] as const)('%s of a record that does not exist', (operation, parameters) => {
	test.each([
		['error', "has no record 'gone'"],
		['skip', []],
		['empty', [{}]],
	])('%s', async (ifNotFound, expected) => {
		const { json, error } = await run(operation, {
			...parameters,
			recordId: byId('gone'),
			options: { ifNotFound },
		});
		if (typeof expected === 'string') expect(error?.message).toContain(expected);
		else expect(json).toEqual(expected);
		expect(sent()).toEqual([]);
	});
});

test.each(['upsert', 'update', 'delete', 'updateMany', 'deleteMany'])(
	'%s: what is neither true nor false changes nothing',
	async (operation) => {
		const { error } = await run(
			operation,
			{
				...matchKey({ Key: 'a', Amount: 9 }),
				...where('Key', 'equals', 'a'),
				recordId: byId(ids[0] ?? ''),
				options: { dryRun: '={{ "yes" }}' },
			},
			[{}],
			false,
		);
		expect(error?.message).toBe("'Dry Run' cannot be 'yes'");
		expect(sent()).toEqual([]);
	},
);
