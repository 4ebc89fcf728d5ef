/** A service whose listing lags behind: what this process wrote in the last minute counts, also in other executions (O20). */
import type { IDataObject } from 'n8n-workflow';
import { mapAutomatically, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Lags',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'V', type: 'text' },
	],
	(made) => ({ workspace, card } = made),
);
const { run, answer } = recordRuns(() => ({ workspace, card }));
afterEach(() => jest.restoreAllMocks());

const columns = mapAutomatically(['Key']);
const upsert = async (...items: IDataObject[]) => await run('upsert', { columns }, items);
const actions = ({ json }: { json: IDataObject[] }) => json.map(({ action }) => action);
const list = async () => await workspace.send('GET', `/cards/${card.id}/records?limit=100`);
/** The next reading gives what was listed then. */
const lag = (listed: unknown) => answer('GET', '/records$', listed);

test('a key that was just created is not created again (O20)', async () => {
	const before = await list();
	expect(actions(await upsert({ Key: 'a', V: '1' }))).toEqual(['created']);
	lag(before);
	// Not unchanged: it may have been deleted since.
	expect(actions(await upsert({ Key: 'a', V: '1' }))).toEqual(['updated']);
	lag(before);
	const sync = { columns, missingRecords: 'delete', maxDeletions: 10 };
	expect(actions(await run('sync', sync, [{ Key: 'a', V: '2' }]))).toEqual(['updated']);
	expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', V: '2' }]);
});

test('a value is compared with what was just written, not with an older listing (O20)', async () => {
	await upsert({ Key: 'a', V: 'old' });
	const before = await list();
	await upsert({ Key: 'a', V: 'new' });
	lag(before);
	expect(actions(await upsert({ Key: 'a', V: 'old' }))).toEqual(['updated']);
	expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', V: 'old' }]);
});

test('what somebody else has written since counts (O20)', async () => {
	await upsert({ Key: 'a', V: 'before' });
	const [made] = (await upsert({ Key: 'a', V: 'ours' })).json;
	const id = made?.id as string;
	const theirs = async (data: Record<string, string>) =>
		await workspace.send('PATCH', `/cards/${card.id}/records/${id}`, {
			data: Object.fromEntries(
				Object.entries(data).map(([name, value]) => [card.fieldIds[name], value]),
			),
		});
	await theirs({ V: 'theirs' });
	const where = { filters: { conditions: [{ field: 'V', condition: 'equals', value: 'ours' }] } };
	expect((await run('deleteMany', where)).json).toEqual([]);
	expect(actions(await upsert({ Key: 'a', V: 'ours' }))).toEqual(['updated']);
	await theirs({ Key: 'b' });
	const sync = { columns, missingRecords: 'delete', maxDeletions: 10 };
	expect(actions(await run('sync', sync, [{ Key: 'b', V: 'ours' }]))).toEqual(['unchanged']);
	expect(await workspace.rows(card.id)).toEqual([{ Key: 'b', V: 'ours' }]);
});

test('several writes within the minute are compared as usual', async () => {
	for (const V of ['1', '2', '3']) await upsert({ Key: 'a', V });
	expect(actions(await upsert({ Key: 'a', V: '3' }))).toEqual(['unchanged']);
	workspace.service.control.resetRequests();
	await upsert({ Key: 'a', V: '4' });
	const sent = workspace.service.control.requests().find(({ method }) => method === 'PATCH');
	expect(JSON.parse(sent?.body ?? '')).toEqual({ data: { [card.fieldIds.V ?? '']: '4' } });
});

test.each(['updateMany', 'deleteMany'])(
	'%s finds what was just created (O20)',
	async (operation) => {
		const before = await list();
		await upsert({ Key: 'a' });
		lag(before);
		const filters = { conditions: [{ field: 'Key', condition: 'equals', value: 'a' }] };
		const { json } = await run(operation, { filters, columns: mapEach({ V: '2' }) });
		expect(json).toHaveLength(1);
	},
);

test('a record that was just deleted does not count as one (O20)', async () => {
	await upsert({ Key: 'a' });
	const before = await list();
	const filters = { conditions: [{ field: 'Key', condition: 'equals', value: 'a' }] };
	await run('deleteMany', { filters });
	lag(before);
	expect(actions(await upsert({ Key: 'a' }))).toEqual(['created']);
});

test('Sync deletes what an earlier execution has just written', async () => {
	await upsert({ Key: 'a' }, { Key: 'b' });
	const sync = { columns, missingRecords: 'delete', maxDeletions: 10 };
	expect(actions(await run('sync', sync, [{ Key: 'a' }]))).toEqual(['unchanged', 'deleted']);
});

test('what somebody else deletes meanwhile is created by the next run', async () => {
	const [made] = (await upsert({ Key: 'a', V: '1' })).json;
	await workspace.send('DELETE', `/cards/${card.id}/records/${made?.id as string}`);
	expect((await upsert({ Key: 'a', V: '2' })).error?.description).toContain('Run the item again');
	expect(actions(await upsert({ Key: 'a', V: '2' }))).toEqual(['created']);
});

test('after a minute the listing alone counts', async () => {
	const before = await list();
	await upsert({ Key: 'a' });
	const now = Date.now();
	jest.spyOn(Date, 'now').mockImplementation(() => now + 61_000);
	lag(before);
	expect(actions(await upsert({ Key: 'a' }))).toEqual(['created']);
});
