/** A run believes the listing that it reads: people may change anything between two runs. */
import type { IDataObject } from 'n8n-workflow';
import { succeeded } from '../support/n8n';
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
			const { json } = succeeded(await run(operation, parameters, [item]));
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

type Fault = Parameters<TestWorkspace['fail']>[2];

describe.each<[string, Fault]>([
	['no response', { mode: 'dropBefore' }],
	['status 502', { status: 502 }],
	['no ID', { mode: 'answer', status: 201, body: 'json', json: {} }],
])('%s to a creation, which may be carried out later', (_, fault) => {
	test.each(['upsert', 'sync'])('%s creates its key no second time for a minute', async (name) => {
		workspace.fail('POST', '/records$', fault);
		await run(name, byKey, [{ Key: 'a' }]);
		const second = await run(name, byKey, [{ Key: 'a' }]);
		expect(second.error?.message).toContain('may exist already');
		expect((await run(name, byKey, [{ Key: 'b' }])).json).toMatchObject([{ action: 'created' }]);
		await workspace.records(card.id, [{ Key: 'a' }]);
		expect((await run(name, byKey, [{ Key: 'a' }])).json).toMatchObject([{ action: 'unchanged' }]);
	});

	test.each(['reuse', 'error'])('nor does Field: Create with %s', async (ifExists) => {
		const field = { resource: 'field', name: 'New', type: 'text', additionalFields: { ifExists } };
		workspace.fail('POST', '/fields$', fault);
		await run('create', field);
		const { error } = await run('create', field);
		expect(error?.message).toBe("Field 'New' may exist already, but the service doesn't list it");
		succeeded(await run('create', { ...field, name: 'Other' }));
		expect((await workspace.fields(card.id)).map(({ name }) => name)).not.toContain('New');
	});

	test.each(['reuse', 'error'])('nor does Card: Create with %s', async (ifExists) => {
		const name = `New for ${ifExists}, ${JSON.stringify(fault)}`;
		const parameters = { resource: 'card', name, additionalFields: { ifExists } };
		workspace.fail('POST', '/cards$', fault);
		expect((await run('create', parameters)).error).toBeDefined();
		const { error } = await run('create', parameters);
		expect(error?.message).toContain("may exist already, but the service doesn't list it");
		expect(await workspace.cardsCalled(name)).toEqual([]);
	});
});

test('Sync deletes what an earlier execution has just written, if it has no item', async () => {
	await run('upsert', byKey, [{ Key: 'a' }, { Key: 'b' }]);
	const sync = { ...byKey, missingRecords: 'delete' };
	expect((await run('sync', sync, [{ Key: 'a' }])).json).toMatchObject([
		{ action: 'unchanged' },
		{ action: 'deleted', Key: 'b' },
	]);
	expect(await workspace.rows(card.id)).toEqual([{ Key: 'a' }]);
});
