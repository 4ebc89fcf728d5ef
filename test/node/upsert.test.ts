/** Create or Update finds its record, whatever was answered before. */
import type { IDataObject } from 'n8n-workflow';
import { mapAutomatically, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Upsert',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'At', type: 'datetime' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
	],
	(made) => ({ workspace, card } = made),
);

const { run, answer } = recordRuns(() => ({ workspace, card }));
const upsert = async (items: IDataObject[], matching: string[]) =>
	await run('upsert', { columns: mapAutomatically(matching) }, items);

test('also right after a create that was answered without an id', async () => {
	workspace.service.control.setVariants({ createStatus: 204 });
	const items = ['a', 'b', 'a', 'b', 'a'].map((Key, Amount) => ({ Key, Amount }));
	const { json, error } = await upsert(items, ['Key']);
	expect(error).toBeUndefined();
	expect(json.map(({ action }) => action)).toEqual([
		'created',
		'created',
		'updated',
		'updated',
		'updated',
	]);
	expect(await workspace.rows(card.id)).toEqual(
		expect.arrayContaining([
			{ Key: 'a', Amount: 4 },
			{ Key: 'b', Amount: 3 },
		]),
	);
	expect(await workspace.rows(card.id)).toHaveLength(2);
});

test('with one more reading for all creates that were answered without an id', async () => {
	workspace.service.control.setVariants({ createStatus: 204 });
	const items = Array.from({ length: 40 }, (_, n) => ({ Key: `k${n % 20}`, Amount: n }));
	const { json, error } = await upsert(items, ['Key']);
	expect(error).toBeUndefined();
	expect(json.filter(({ action }) => action === 'created')).toHaveLength(20);
	expect(
		workspace.requests().filter((request) => request === `GET /cards/${card.id}/records`),
	).toHaveLength(2);
	expect(await workspace.rows(card.id)).toHaveLength(20);
});

test('and writes no second one where that reading does not show it', async () => {
	answer('POST', '/records$', {}, { status: 201 });
	const { json, error } = await run(
		'upsert',
		{ columns: mapAutomatically(['Key']) },
		[{ Key: 'a' }, { Key: 'a' }, { Key: 'a' }],
		{ node: { onError: 'continueRegularOutput' } },
	);
	expect(error).toBeUndefined();
	const said = 'The record that an earlier item created cannot be found';
	expect(json.map(({ error: text }) => text)).toEqual([undefined, said, said]);
	expect(workspace.requests().filter((request) => request.startsWith('POST'))).toHaveLength(1);
});

test.each<[string, (ids: Record<string, string>) => IDataObject]>([
	['no values', () => ({})],
	['other values only', ({ Amount = '' }) => ({ [Amount]: 1 })],
	['its value in another spelling', ({ Key = '' }) => ({ [Key]: 'a@x' })],
])('also where answers show %s', async (_, data) => {
	const record = { id: 'r9', data: data(card.fieldIds) };
	answer('POST', '/records$', record, { status: 201 });
	for (let n = 0; n < 2; n += 1) answer('PATCH', '/records/r9$', record);
	const items = [1, 2, 3].map((Amount) => ({ Key: 'A@x', Amount }));
	const { json, error } = await upsert(items, ['Key']);
	expect(error).toBeUndefined();
	expect(json.map(({ id, action }) => [id, action])).toEqual([
		['r9', 'created'],
		['r9', 'updated'],
		['r9', 'updated'],
	]);
	for (const { fields } of json) {
		expect(Object.keys(fields as IDataObject).sort()).toEqual(['Amount', 'Key']);
	}
});

test.each<[string, string, number]>([
	['between the listing of fields and that of records', '/fields', 2],
	['between the listing of records and the write', '/records', 2],
])('when field ids change %s', async (_, path, readings) => {
	const { control } = workspace.service;
	await workspace.records(card.id, [{ Key: 'a', Amount: 1, Status: 'Open' }]);
	control.resetRequests();
	control.setLatency({ ms: 100 });
	const running = upsert(
		[
			{ Key: 'a', Amount: 2 },
			{ Key: 'a', Amount: 3 },
			{ Key: 'b', Amount: 4 },
			{ Key: 'b', Amount: 5 },
		],
		['Key'],
	);
	while (
		!control.requests().some((request) => request.path.endsWith(path) && request.status === 200)
	) {
		await new Promise(setImmediate);
	}
	control.rotateFieldIds({ cardId: card.id });
	const { json, error } = await running;
	control.setLatency({ ms: 0 });
	expect(error).toBeUndefined();
	expect(json.map(({ action, fields }) => [action, fields])).toEqual([
		['updated', { Key: 'a', Amount: 2, Status: 'Open' }],
		['updated', { Key: 'a', Amount: 3, Status: 'Open' }],
		['created', { Key: 'b', Amount: 4 }],
		['updated', { Key: 'b', Amount: 5 }],
	]);
	expect(
		workspace.requests().filter((request) => request === `GET /cards/${card.id}/records`),
	).toHaveLength(readings);
	expect(await workspace.rows(card.id)).toEqual([
		{ Key: 'a', Amount: 3, Status: 'Open' },
		{ Key: 'b', Amount: 5 },
	]);
});

test.each<[string, IDataObject, IDataObject, string]>([
	[
		'a point in time in another spelling',
		{ At: '2026-03-31T12:00:00Z' },
		{ At: '2026-03-31T14:00:00+02:00' },
		'At',
	],
	['a number as text', { Amount: 5 }, { Amount: ' 5.0 ' }, 'Amount'],
])('by %s', async (_, record, item, key) => {
	await workspace.records(card.id, [record]);
	const { json, error } = await upsert([item], [key]);
	expect(error).toBeUndefined();
	expect(json.map(({ action }) => action)).toEqual(['unchanged']);
});

test('not by a choice in another case: records are overwritten by exact values only (H2)', async () => {
	await workspace.records(card.id, [{ Status: 'Done' }]);
	const { error } = await upsert([{ Status: 'done' }], ['Status']);
	expect(error?.message).toBe('Field \'Status\' cannot hold "done"');
	expect(await workspace.rows(card.id)).toEqual([{ Status: 'Done' }]);
});

test('by a choice under its id', async () => {
	workspace.service.control.setVariants({ fieldOptions: 'idName' });
	const { fields } = (await workspace.send('GET', `/cards/${card.id}/fields`)) as {
		fields: Array<{ name: string; options: Array<{ id: string; name: string }> }>;
	};
	const choice = fields.find(({ name }) => name === 'Status')?.options[1];
	await workspace.records(card.id, [{ Status: 'Done' }]);
	const { json } = await upsert([{ Status: choice?.id }], ['Status']);
	expect(json.map(({ action }) => action)).toEqual(['unchanged']);
});

test('a missing record is an error, unless an option says otherwise', async () => {
	const updateOnly = async (ifNotFound?: string) =>
		await run('upsert', {
			columns: mapEach({ Key: 'none' }, { matchingColumns: ['Key'] }),
			options: { upsertMode: 'updateOnly', ...(ifNotFound && { ifNotFound }) },
		});
	expect((await updateOnly()).error?.message).toBe(
		`No record of card '${card.id}' matches this item`,
	);
	expect((await updateOnly('skip')).json).toEqual([]);
	expect((await updateOnly('empty')).json).toEqual([{}]);
});
