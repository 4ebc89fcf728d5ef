/** A run believes the listing that it reads: people may change anything between two runs. */
import type { IDataObject } from 'n8n-workflow';
import { mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard('Between', { Key: 'text', Note: 'text' }, (made) => ({ workspace, card } = made));
const { run } = recordRuns(() => ({ workspace, card }));

const byKey = { columns: mapAutomatically(['Key']) };
/** Somebody changes a record in the service. */
const edit = async (id: unknown, Note: string) =>
	await workspace.send('PATCH', `/cards/${card.id}/records/${String(id)}`, {
		data: { [String(card.fieldIds.Note)]: Note },
	});
const remove = async (id: unknown) =>
	await workspace.send('DELETE', `/cards/${card.id}/records/${String(id)}`);

const WRITES: Array<[string, IDataObject]> = [
	['upsert', byKey],
	['sync', byKey],
	['updateMany', { ...where('Key', 'equals', 'a'), columns: mapEach({ Note: 'new' }) }],
];

test.each(WRITES)(
	'%s again, after somebody has put the old values back: they are in before',
	async (operation, parameters) => {
		const [id] = await workspace.records(card.id, [{ Key: 'a', Note: 'old' }]);
		const item = { Key: 'a', Note: 'new' };
		for (const note of ['old', 'old', 'another']) {
			await edit(id, note);
			const { json, error } = await run(operation, parameters, [item]);
			expect(error).toBeUndefined();
			expect(json).toMatchObject([{ action: 'updated', before: { Note: note }, Note: 'new' }]);
		}
		expect(await workspace.rows(card.id)).toEqual([item]);
	},
);

test.each(['upsert', 'sync'])(
	'%s creates a record again that somebody has deleted, and meets no record that is gone',
	async (operation) => {
		const made = await run('create', { columns: mapEach({ Key: 'a' }) }, [{}, {}]);
		for (const { id } of made.json) await remove(id);
		const first = await run(operation, byKey, [{ Key: 'a', Note: 'x' }]);
		expect(first.json).toMatchObject([{ action: 'created' }]);
		await remove(first.json[0]?.id);
		const second = await run(operation, byKey, [{ Key: 'a', Note: 'x' }]);
		expect(second.json).toMatchObject([{ action: 'created' }]);
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Note: 'x' }]);
	},
);

test('Delete Many deletes what meets the conditions now, whatever an earlier run wrote', async () => {
	const [id] = await workspace.records(card.id, [{ Key: 'a', Note: 'open' }]);
	const open = where('Note', 'equals', 'open');
	await run('updateMany', { ...open, columns: mapEach({ Note: 'done' }) });
	await edit(id, 'open');
	expect((await run('deleteMany', open)).json).toMatchObject([{ id, Note: 'open' }]);
	expect(await workspace.rows(card.id)).toEqual([]);
});

test('an unclear change of an earlier run makes nothing doubtful: the listing counts', async () => {
	const ids = await workspace.records(card.id, [{ Key: 'a' }, { Key: 'b' }]);
	workspace.fail('PATCH', '', { status: 503, times: 3 });
	const unclear = await run('upsert', byKey, [{ Key: 'a', Note: 'x' }]);
	expect(unclear.error).toBeDefined();
	const { json } = await run('deleteMany', where('Key', 'equals', 'a'));
	expect(json.map(({ id }) => id)).toEqual([ids[0]]);
});

test('a key whose creation got no response is not created again for a minute', async () => {
	workspace.fail('POST', '/records$', { mode: 'dropBefore', times: 9 });
	const first = await run('upsert', byKey, [{ Key: 'a' }]);
	expect(first.error?.message).toContain('may have been created');
	workspace.service.control.clearFailures();
	const second = await run('upsert', byKey, [{ Key: 'a' }]);
	expect(second.error?.message).toContain('may exist already');
	expect((await run('upsert', byKey, [{ Key: 'b' }])).json).toMatchObject([{ action: 'created' }]);
	await workspace.records(card.id, [{ Key: 'a' }]);
	expect((await run('upsert', byKey, [{ Key: 'a' }])).json).toMatchObject([
		{ action: 'unchanged' },
	]);
});
