/** What was deleted or overwritten is in the output, and goes back in (Q2); a dry run shows it before (Q6). */
import type { IDataObject } from 'n8n-workflow';
import { type ActionResult } from '../support/n8n';
import { byId, mapAutomatically, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
let ids: string[];
const FIELDS = [
	{ name: 'Key', type: 'text' },
	{ name: 'Note', type: 'text' },
	{ name: 'Amount', type: 'number' },
];
useCard('Undo', FIELDS, (made) => ({ workspace, card } = made));
const ROWS = [
	{ Key: 'a', Note: 'first', Amount: 1 },
	{ Key: 'b', Amount: 2 },
];
beforeEach(async () => {
	ids = await workspace.records(card.id, ROWS);
});

const { run } = recordRuns(() => ({ workspace, card }));
/** Runs an operation in version 2 of the node. */
const run2 = async (
	operation: string,
	parameters: IDataObject = {},
	items: IDataObject[] = [{}],
	typeVersion = 2,
): Promise<ActionResult> => await run(operation, parameters, items, { node: { typeVersion } });

const everything = {
	filters: { conditions: [{ field: 'Key', condition: 'isNotEmpty', value: '' }] },
	maxChanges: 9,
};
const columns = mapEach({ Note: 'new' });
const keyed = { columns: mapAutomatically(['Key']) };
const rows = async () => await workspace.rows(card.id);

describe('Q2: the old values of the fields that changed', () => {
	const created = { Key: 'c', Amount: 3 };
	const items = [{ Key: 'a', Note: 'new' }, { Key: 'b', Amount: 2 }, created];

	test.each([
		['Create or Update', 'upsert'],
		['Sync', 'sync'],
	])('%s returns them, for updated records only', async (_, operation) => {
		const { json } = await run2(operation, keyed, items);
		expect(json).toEqual([
			expect.objectContaining({ action: 'updated', before: { Note: 'first' } }),
			expect.objectContaining({ action: 'unchanged' }),
			expect.objectContaining({ action: 'created' }),
		]);
		expect(json.map((item) => 'before' in item)).toEqual([true, false, false]);
		expect(Object.keys(json[0] ?? {}).slice(-2)).toEqual(['before', 'action']);
	});

	test('Update Many returns them, null where there was none', async () => {
		const { json } = await run2('updateMany', { ...everything, columns });
		expect(json.map(({ before }) => before)).toEqual([{ Note: 'first' }, { Note: null }]);
	});

	test('Update returns them where the option is on, and reads the record first', async () => {
		const parameters = { recordId: byId(ids[0] ?? ''), columns };
		workspace.service.control.resetRequests();
		const plain = await run2('update', parameters);
		expect(plain.json[0]).not.toHaveProperty('before');
		expect(workspace.requests().filter((one) => one.includes('/records'))).toHaveLength(1);
		const back = { recordId: byId(ids[0] ?? ''), columns: mapEach({ Note: 'first' }) };
		const told = await run2('update', { ...back, options: { oldValues: true } });
		expect(told.json[0]).toMatchObject({ Note: 'first', before: { Note: 'new' } });
		const gone = { recordId: byId('rec_none'), columns, options: { oldValues: true } };
		expect((await run2('update', gone)).error?.message).toContain("has no record 'rec_none'");
	});

	test.each([
		['off', { oldValues: false }, 2, false],
		['off in version 1', {}, 1, false],
		['on in version 1', { oldValues: true }, 1, true],
	])('%s', async (_, options, version, has) => {
		const { json } = await run2('upsert', { ...keyed, options }, items, version);
		expect(json[0]?.action).toBe('updated');
		expect('before' in (json[0] ?? {})).toBe(has);
	});

	test('a value that is neither true nor false is refused before anything is sent', async () => {
		const { error } = await run2('upsert', { ...keyed, options: { oldValues: 'maybe' } }, items);
		expect(error?.message).toContain("'Return Old Values' cannot be 'maybe'");
		expect(await rows()).toEqual(ROWS);
	});

	test('go back in: Edit Fields and Update', async () => {
		const { json } = await run2('updateMany', { ...everything, columns });
		// What Edit Fields sets: `fields` to what was there before.
		const edited = json.map(({ id, before }) => ({ id, fields: before }));
		const back = {
			recordId: byId('={{ $json.id }}'),
			columns: mapAutomatically(),
		};
		expect((await run2('update', back, edited)).error).toBeUndefined();
		expect(await rows()).toEqual([ROWS[0], { ...ROWS[1] }]);
	});
});

describe('Q2: the values of deleted records', () => {
	const deleting: Array<[string, IDataObject, IDataObject[], IDataObject]> = [
		['deleteMany', everything, [{}], {}],
		['sync', { ...keyed, missingRecords: 'delete', maxDeletions: '9' }, [], { action: 'deleted' }],
	];
	const keep = { Key: 'c', Note: 'kept', Amount: 3 };

	test.each(deleting)('%s returns them, and Create brings them back', async (operation, given) => {
		const items = operation === 'sync' ? [keep] : [{}];
		const { json } = await run2(operation, given, items);
		const action = operation === 'sync' ? { action: 'deleted' } : {};
		const deleted = json.filter((item) => item.deleted === true);
		expect(deleted).toEqual([
			{ ...ROWS[0], id: ids[0], deleted: true, ...action },
			{ Key: 'b', Note: null, Amount: 2, id: ids[1], deleted: true, ...action },
		]);
		expect(Object.keys(deleted[0] ?? {}).slice(0, 4)).toEqual(['Key', 'Note', 'Amount', 'id']);
		const back = await run2('create', { columns: mapAutomatically() }, deleted);
		expect(back.error).toBeUndefined();
		const kept = operation === 'sync' ? [keep] : [];
		expect(await rows()).toEqual([...kept, ...ROWS]);
	});

	test('nested where Output Fields says so; in version 1 as before', async () => {
		const { json } = await run2('deleteMany', {
			...everything,
			options: { outputFormat: 'nested' },
		});
		expect(json[0]).toEqual({ deleted: true, id: ids[0], fields: ROWS[0] });
		await workspace.records(card.id, ROWS);
		const old = await run2('deleteMany', everything, [{}], 1);
		expect(old.json[0]).toEqual({ deleted: true, id: expect.any(String) as string });
	});
});

const hintsOf = (result: ActionResult): string[] =>
	(result.run.data.resultData.runData['Workspace Data']?.[0]?.hints ?? []).map(
		({ message }) => message,
	);

describe('Q6: a dry run at a glance', () => {
	test.each<[string, IDataObject, IDataObject[], unknown[], string]>([
		[
			'upsert',
			{ ...keyed, options: { dryRun: true } },
			[{ Key: 'a', Note: 'new' }, { Key: 'c', Amount: 3 }, ROWS[1] ?? {}],
			[
				{ Note: { from: 'first', to: 'new' } },
				{ Key: { from: null, to: 'c' }, Amount: { from: null, to: 3 } },
				{},
			],
			'1 record would be created, 1 updated; 1 unchanged',
		],
		[
			'updateMany',
			{ ...everything, columns, dryRun: true },
			[{}],
			[{ Note: { from: 'first', to: 'new' } }, { Note: { from: null, to: 'new' } }],
			'2 records would be updated',
		],
		[
			'deleteMany',
			{ ...everything, dryRun: true },
			[{}],
			[
				{
					Key: { from: 'a', to: null },
					Note: { from: 'first', to: null },
					Amount: { from: 1, to: null },
				},
				{ Key: { from: 'b', to: null }, Amount: { from: 2, to: null } },
			],
			'2 records would be deleted',
		],
	])('%s: what differs, and the counts', async (operation, parameters, items, changes, hint) => {
		const result = await run2(operation, parameters, items);
		const { json } = result;
		expect(json.map((item) => item.changes)).toEqual(changes);
		expect(hintsOf(result)).toContain(`Dry run of card '${card.id}': ${hint}`);
		expect(Object.keys(json[0] ?? {})).toEqual([
			'dry_run',
			'action',
			'id',
			'changes',
			'before',
			'after',
		]);
		expect(await rows()).toEqual(ROWS);
	});

	test('nothing that would change is said so; version 1 has no changes', async () => {
		const same = { ...keyed, options: { dryRun: true } };
		expect(hintsOf(await run2('upsert', same, [ROWS[0] ?? {}]))).toContain(
			`Dry run of card '${card.id}': nothing would change; 1 unchanged`,
		);
		const old = await run2('upsert', same, [{ Key: 'a', Note: 'new' }], 1);
		expect(old.json[0]).not.toHaveProperty('changes');
	});

	test('Create From Items gives one item for each field first, then the card', async () => {
		const name = 'Would be';
		const parameters = { resource: 'card', name, options: { dryRun: true } };
		const { json } = await run2('createFromItems', parameters, [{ A: 1, B: 'x' }]);
		const field = { dry_run: true, action: 'create', reason: expect.any(String) as string };
		expect(json).toEqual([
			{ ...field, field: 'A', type: 'number' },
			{ ...field, field: 'B', type: 'text' },
			expect.objectContaining({ dry_run: true, action: 'create', id: null }),
		]);
		expect((await run2('createFromItems', parameters, [{ A: 1 }], 1)).json).toHaveLength(1);
	});
});
