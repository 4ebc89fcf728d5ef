/** Dry Run shows what would change; what a run did, also one that ends halfway, is handed out and goes back in. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ActionResult, hintsOf, placesOf, succeeded } from '../support/n8n';
import { byId, byName, fromList, mapAutomatically, mapEach, where } from '../support/parameters';
import { GOING_ON, run, runCounted } from '../support/runs';
import { card, useCard, workspace } from '../support/workspace';

describe('Dry Run', () => {
	let ids: string[];
	useCard('Dry', { Key: 'text', Amount: 'number' });
	const ROWS = [
		{ Key: 'a', Amount: 1 },
		{ Key: 'b', Amount: 2 },
	];
	beforeEach(async () => {
		ids = await workspace.records(card.id, ROWS);
		workspace.service.control.resetRequests();
	});

	const run = async (operation: string, parameters: IDataObject, items: IDataObject[] = [{}]) =>
		await runCounted(operation, { dryRun: true, ...parameters }, items);
	const matchKey = (value: IDataObject) => ({
		columns: mapEach(value, { matchingColumns: ['Key'] }),
	});
	const rows = async () => await workspace.rows(card.id);
	const time: unknown = expect.any(String);
	/** An item of a dry run: what would be done, and the record as the real run would return it. */
	const entry = (action: string, values: IDataObject, changes?: IDataObject) => ({
		...{ dry_run: true, action, ...(changes && { changes }) },
		...{ created_at: time, ...values },
	});
	const amount = (from: number, to: number) => ({ Amount: { from, to } });

	afterEach(async () => {
		expect(workspace.changes()).toEqual([]);
		expect(await rows()).toEqual(ROWS);
	});

	test('Create or Update: items see what those before them would have done', async () => {
		const { json, items } = await run('upsert', { columns: mapAutomatically(['Key']) }, [
			{ Key: 'a', Amount: 5 },
			{ Key: 'new', Amount: 1 },
			{ Key: 'new', Amount: 2 },
			{ Key: 'a', Amount: 6 },
		]);
		expect(json).toEqual([
			entry('update', { Key: 'a', Amount: 5, id: ids[0] }, amount(1, 5)),
			entry('create', { Key: 'new', Amount: 1, id: null, created_at: null }),
			entry('update', { Key: 'new', Amount: 2, id: null, created_at: null }, amount(1, 2)),
			entry('update', { Key: 'a', Amount: 6, id: ids[0] }, amount(5, 6)),
		]);
		expect(placesOf(items)).toEqual([0, 1, 2, 3]);
	});

	const UPDATE_ONLY = { options: { upsertMode: 'updateOnly' } };
	/** Failures of the real run; a dry run fails with the same message. */
	const FAILURES: Array<[string, string, IDataObject]> = [
		['an unknown field', 'upsert', matchKey({ Key: 'a', Nope: 1 })],
		["a value that the field can't hold", 'upsert', matchKey({ Key: 'a', Amount: 'many' })],
		['no value', 'updateMany', { ...where('Key', 'equals', 'a'), columns: mapEach({}) }],
		['a matching value of blanks', 'upsert', matchKey({ Key: ' \u00a0\t', Amount: 1 })],
		['no condition', 'deleteMany', { filters: {} }],
		['no condition', 'updateMany', { filters: {}, columns: mapEach({ Amount: 1 }) }],
		['an unknown field in a condition', 'deleteMany', where('KEY', 'equals', 'a')],
		[
			'a near name of a card',
			'deleteMany',
			{ ...where('Key', 'equals', 'a'), cardId: byName('DRY') },
		],
		['nothing to update', 'upsert', { ...matchKey({ Key: 'z' }), ...UPDATE_ONLY }],
		['a wrong option', 'upsert', { ...matchKey({ Key: 'a' }), options: { ifNotFound: 'no' } }],
	];
	test.each(FAILURES)('%s fails as the real run of %s does', async (_, operation, parameters) => {
		const real = await runCounted(operation, parameters);
		const realSent = workspace.changes();
		const dry = await run(operation, parameters);
		expect(real.error?.message).toBeTruthy();
		expect(dry.error?.message).toBe(real.error?.message);
		expect(dry.error?.description).toBe(real.error?.description);
		expect([...realSent, ...workspace.changes()]).toEqual([]);
	});
});

describe('fields and choices', () => {
	useCard('Dry', { Key: 'text', State: { type: 'single_select', options: ['Open'] } });

	test.each(['upsert', 'updateMany', 'sync'])(
		'a dry run of %s shows fields and choices that would be added, names them in hints, and adds none',
		async (operation) => {
			const [id = ''] = await workspace.records(card.id, [{ Key: 'a' }]);
			const added = { unknownFields: 'create', missingChoices: 'add' };
			const parameters = {
				cardId: fromList(card.id, 'Dry'),
				columns: mapAutomatically(['Key']),
				...where('Key', 'equals', 'a'),
				...{ dryRun: true, options: added },
			};
			const items = [{ Key: 'a', New: '12', State: 'Late' }];
			const result = succeeded(await runCounted(operation, parameters, items));
			const changes = { State: { from: null, to: 'Late' }, New: { from: null, to: 12 } };
			const record = { Key: 'a', State: 'Late', New: 12, id, created_at: expect.any(String) };
			expect(result.json).toEqual([{ dry_run: true, action: 'update', changes, ...record }]);
			expect(workspace.changes()).toEqual([]);
			const hints = hintsOf(result).join('\n');
			expect(hints).toMatch(
				/^Dry run: fields would be added to card 'Dry': 'New' \(number: .+\)$/m,
			);
			expect(hints).toMatch(
				/^Dry run: choices would be added to field 'State' of card 'Dry': 'Late'$/m,
			);
		},
	);
});

describe('what was there before', () => {
	let ids: string[];
	useCard('Undo', { Key: 'text', Note: 'text', Amount: 'number' });
	const ROWS = [
		{ Key: 'a', Note: 'first', Amount: 1 },
		{ Key: 'b', Amount: 2 },
	];
	beforeEach(async () => void (ids = await workspace.records(card.id, ROWS)));
	const everything = where('Key', 'isNotEmpty');
	const columns = mapEach({ Note: 'new' });
	const keyed = { columns: mapAutomatically(['Key']) };
	const rows = async () => await workspace.rows(card.id);

	test('Update returns the old values where the option is on, and reads the record first', async () => {
		const parameters = { recordId: byId(ids[0] ?? ''), columns };
		workspace.service.control.resetRequests();
		const plain = await run('update', parameters);
		expect(plain.json[0]).not.toHaveProperty('before');
		expect(workspace.requests(/records/)).toHaveLength(1);
		const back = { recordId: byId(ids[0] ?? ''), columns: mapEach({ Note: 'first' }) };
		const told = await run('update', { ...back, options: { oldValues: true } });
		expect(told.json[0]).toMatchObject({ Note: 'first', before: { Note: 'new' } });
		const gone = { recordId: byId('rec_none'), columns, options: { oldValues: true } };
		expect((await run('update', gone)).error?.message).toContain("has no record 'rec_none'");
	});

	describe('a dry run at a glance', () => {
		const changed = { Note: { from: 'first', to: 'new' } };
		const dryRun = true;
		const given = [{ Key: 'a', Note: 'new' }, { Key: 'c', Amount: 3 }, ROWS[1] ?? {}];
		const upserted = '1 record would be created, 1 updated; 1 unchanged';
		const filled = { Note: { from: null, to: 'new' } };
		const many = { ...everything, columns, dryRun };
		const dry = { ...keyed, dryRun };
		const removes = { ...dry, missingRecords: 'delete' };
		const synced = '1 record would be created, 1 updated, 1 deleted';
		const both = '2 records would be';
		const two = given.slice(0, 2);
		test.each<[string, IDataObject, IDataObject[], string[], unknown[], string]>([
			['upsert', dry, given, ['update', 'create', 'none'], [changed], upserted],
			['sync', removes, two, ['update', 'create', 'delete'], [changed], synced],
			['updateMany', many, [{}], ['update', 'update'], [changed, filled], `${both} updated`],
			['deleteMany', many, [{}], ['delete', 'delete'], [], `${both} deleted`],
		])('%s: what differs, and the counts', async (operation, parameters, items, ...expected) => {
			const [actions, changes, hint] = expected;
			const result = await run(operation, parameters, items);
			const { json } = result;
			expect(json.map(({ action }) => action)).toEqual(actions);
			expect(json.flatMap((item) => ('changes' in item ? [item.changes] : []))).toEqual(changes);
			expect(hintsOf(result)).toContain(`Dry run of card '${card.id}': ${hint}`);
			const first = ['dry_run', 'action', ...(changes[0] ? ['changes'] : [])];
			const own = operation === 'deleteMany' ? ['id'] : ['id', 'created_at'];
			const keys = [...first, 'Key', 'Note', 'Amount', ...own];
			expect(Object.keys(json[0] ?? {})).toEqual(keys);
			expect(await rows()).toEqual(ROWS);
		});

		test('nothing that would change is said so', async () => {
			const same = { ...keyed, dryRun: true };
			expect(hintsOf(await run('upsert', same, [ROWS[0] ?? {}]))).toContain(
				`Dry run of card '${card.id}': nothing would change; 1 unchanged`,
			);
		});
	});
});

describe('what a run did is undone by the scripts of docs/operations.md as they stand', () => {
	useCard('Undo', { Key: 'text', Note: 'text', Amount: 'number', id: 'text', action: 'text' });

	const page = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
	const [, section = ''] = page.split('### Bring back what was deleted or overwritten');
	const scripts = [...(section.split(/^## /m)[0] ?? '').matchAll(/```js\n(.*?)```/gs)].map(
		([, text = '']) => text,
	);
	const [DELETED = '', OVERWRITTEN = '', CREATED = ''] = scripts;

	/** Runs the text of a Code node. */
	function code(text: string, items: IDataObject[]): IDataObject[] {
		const $input = { all: () => items.map((json) => ({ json })) };
		const node = new Function('$input', text) as (input: object) => INodeExecutionData[];
		return node($input).map(({ json }) => json);
	}

	/** Does what the page says, with the output of a run. */
	async function undo(output: IDataObject[]): Promise<void> {
		const steps: Array<[string, string, IDataObject]> = [
			[CREATED, 'delete', { recordId: byId('={{ $json.id }}') }],
			[DELETED, 'create', { columns: mapAutomatically() }],
			[OVERWRITTEN, 'update', { recordId: byId('={{ $json.id }}'), columns: mapAutomatically() }],
		];
		for (const [text, operation, parameters] of steps) {
			const items = code(text, output);
			if (items.length === 0) continue;
			succeeded(await run(operation, parameters, items));
		}
	}

	const ROWS = [
		{ Key: 'a', Note: 'first', Amount: 1, id: 'own a', action: 'buy' },
		{ Key: 'b', Amount: 2, id: 'own b' },
		{ Key: 'c', Note: 'kept', Amount: 3 },
		{ Key: 'd', Note: 'last', Amount: 4, action: 'sell' },
	];
	const rows = async () =>
		(await workspace.rows(card.id)).sort((one, other) =>
			String(one.Key) < String(other.Key) ? -1 : 1,
		);
	beforeEach(async () => void (await workspace.records(card.id, ROWS)));

	const byKey = { columns: mapAutomatically(['Key']) };
	const ITEMS = [
		{ Key: 'a', Note: 'new', Amount: 9 },
		{ Key: 'b', Amount: 2 },
		{ Key: 'n', Note: 'created' },
		{ Key: 'c', Note: null },
	];

	const twice = [...ITEMS, { Key: 'a', Note: 'newer', Amount: 10 }, { Key: 'n', Note: 'newer' }];
	const remove = { ...byKey, missingRecords: 'delete', maxDeletions: -1 };
	const many = { ...where('Key', 'isNotEmpty'), columns: mapEach({ Note: 'first', Amount: 2 }) };
	const note = mapEach({ Note: '={{ $json.note }}' });
	describe.each<[string, string, IDataObject, IDataObject[]]>([
		['Create or Update', 'upsert', byKey, ITEMS],
		['Create or Update of one record by two items', 'upsert', byKey, twice],
		['Sync', 'sync', byKey, ITEMS],
		['Sync with deletions', 'sync', remove, [ITEMS[0] ?? {}, ITEMS[2] ?? {}]],
		['Update Many', 'updateMany', many, [{}, {}]],
		['Delete Many', 'deleteMany', where('Amount', 'lessThan', 3), [{}]],
		['Update', 'update', { recordId: byId('={{ $json.record }}'), columns: note }, []],
	])('%s', (name, operation, parameters, given) => {
		test('everything is as before, and nothing is doubled', async () => {
			const ids = (await run('getAll', { returnAll: true })).json.map(({ id }) => id as string);
			const items =
				name === 'Update' ? ['x', 'y'].map((note) => ({ note, record: ids[0] })) : given;
			const options = operation === 'update' ? { oldValues: true } : {};
			const before = await rows();
			const result = succeeded(await run(operation, { ...parameters, options }, items));
			expect(await rows()).not.toEqual(before);
			await undo(result.json);
			expect(await rows()).toEqual(before);
		});
	});

	test('what a failed run hands out goes back, too', async () => {
		workspace.fail('DELETE', '', { skip: 1, status: 409, json: { title: 'No' } });
		const { error }: ActionResult = await run('deleteMany', where('Key', 'isNotEmpty'));
		const { done } = (error?.context?.data ?? {}) as { done: IDataObject[] };
		expect(done).toHaveLength(3);
		await undo(done);
		expect(await rows()).toEqual(ROWS);
	});
});

describe('a run that ends halfway hands out what it did', () => {
	useCard('Halfway', { Key: 'text', Note: 'text' });

	const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
	const everything = where('Key', 'isNotEmpty');
	const byKey = mapAutomatically(['Key']);
	const keysOf = (items: IDataObject[]) => items.map(({ Key }) => Key as string).sort();
	const left = async () => (await workspace.rows(card.id)).map(({ Key }) => Key as string).sort();

	let ids: string[];
	beforeEach(async () => {
		ids = await workspace.records(
			card.id,
			KEYS.map((Key) => ({ Key, Note: 'old' })),
		);
		workspace.service.control.resetRequests();
	});

	/** What the error of a run says was done. */
	const detailsOf = ({ error }: ActionResult) =>
		error?.context?.data as IDataObject & { done: IDataObject[]; doneCount: number };

	const changed = { ...everything, columns: mapEach({ Note: 'new' }) };
	const removed = { columns: byKey, missingRecords: 'delete', maxDeletions: -1 };
	const all = { columns: mapAutomatically(['Note']), options: { multipleMatches: 'all' } };
	const OPERATIONS: Array<[string, string, IDataObject, IDataObject[]]> = [
		['deleteMany', 'DELETE', everything, [{}]],
		['updateMany', 'PATCH', changed, [{}]],
		['sync', 'DELETE', removed, [{ Key: 'new' }]],
		['upsert', 'PATCH', { columns: byKey }, KEYS.map((Key) => ({ Key, Note: 'new' }))],
		['upsert', 'PATCH', all, [{ Note: 'old', Key: 'same' }]],
	];

	describe.each(OPERATIONS)('%s: one %s is refused', (operation, method, parameters, items) => {
		const json = { title: 'No', type: 'urn:x/locked' };
		beforeEach(() => workspace.fail(method, '', { skip: 2, status: 409, json }));

		test('the details of the error have what was done, with the old values', async () => {
			const result = await run(operation, parameters, items);
			expect(result.error?.message).toBe('No');
			const { done, ...others } = detailsOf(result);
			// The other five, and what Sync had created before.
			const count = operation === 'sync' ? 6 : 5;
			const expected = { status: 409, kind: 'locked', doneCount: count, truncated: false };
			expect(others).toMatchObject(expected);
			expect(done).toHaveLength(count);
			if (method === 'DELETE') {
				const deleted = done.filter((item) => item.deleted === true);
				expect(deleted).toHaveLength(5);
				expect(deleted.every(({ Note }) => Note === 'old')).toBe(true);
				const kept = operation === 'sync' ? ['new'] : [];
				expect(await left()).toEqual(
					[...kept, ...KEYS.filter((key) => !keysOf(deleted).includes(key))].sort(),
				);
			} else {
				expect(done.every(({ before }) => Object.keys(before as object).length === 1)).toBe(true);
				const changed = (await workspace.rows(card.id)).filter(
					({ Note, Key }) => Note === 'new' || Key === 'same',
				);
				expect(changed).toHaveLength(5);
			}
		});

		test('where errors continue, the output has it, then the error', async () => {
			const { json, items: output } = succeeded(await run(operation, parameters, items, GOING_ON));
			const failed = json.filter((item) => item.error === 'No');
			expect(failed).toHaveLength(1);
			expect(json).toHaveLength(operation === 'sync' ? 7 : 6);
			if (items.length === 1) expect(json.at(-1)).toBe(failed[0]);
			const places = placesOf(output);
			expect(places).toEqual([...places].sort());
			if (method === 'DELETE')
				expect(json.filter(({ deleted }) => deleted === true)).toHaveLength(5);
			else expect(json.filter(({ before }) => before !== undefined)).toHaveLength(5);
		});
	});

	test('Update and Delete: the records that were written', async () => {
		const options = { maxParallel: 1 };
		workspace.fail('PATCH', '', { skip: 2, status: 422, json: { title: 'No' } });
		const recordId = byId('={{ $json.id }}');
		const given = ids.map((id) => ({ id }));
		const columns = mapEach({ Note: 'new' });
		const updated = await run('update', { recordId, columns, options }, given);
		const done = [{ id: ids[0] }, { id: ids[1] }];
		expect(detailsOf(updated)).toMatchObject({ done, doneCount: 2 });
		workspace.fail('DELETE', '', { skip: 1, status: 422, json: { title: 'No' } });
		const deleted = await run('delete', { recordId, options }, given);
		expect(detailsOf(deleted).done).toEqual([{ deleted: true, id: ids[0] }]);
	});

	test('cards and fields: what was done to them, too', async () => {
		const named = KEYS.slice(0, 3).map((name) => ({ name: `Card ${name}` }));
		const name = '={{ $json.name }}';
		const refusesThird = async (method: string, what: string, parameters: IDataObject) => {
			workspace.fail(method, '', { skip: 2, status: 422, json: { title: 'No' } });
			const [resource, operation = ''] = what.split(' ');
			const result = await run(operation, { resource, ...parameters }, named);
			expect(result.error?.message).toBe('No');
			const { done, doneCount } = detailsOf(result);
			expect(doneCount).toBe(2);
			return done;
		};
		const made = [{ name: 'Card a' }, { name: 'Card b' }];
		const field = { name, type: 'text' };
		expect(await refusesThird('POST', 'card create', { name })).toMatchObject(made);
		expect(await refusesThird('POST', 'field create', field)).toMatchObject(made);
		await workspace.card('Card c', {});
		await workspace.send('POST', `/cards/${card.id}/fields`, { name: 'Card c', type: 'text' });
		const found = { cardId: byName(name), updateFields: { description: 'new' } };
		const described = [{ description: 'new' }, { description: 'new' }];
		expect(await refusesThird('PATCH', 'card update', found)).toMatchObject(described);
		const fieldId = byName(name);
		const renamed = { fieldId, updateFields: { name: '={{ $json.name }}2' } };
		const names = [{ name: 'Card a2' }, { name: 'Card b2' }];
		expect(await refusesThird('PATCH', 'field update', renamed)).toMatchObject(names);
		const gone = [{ deleted: true }, { deleted: true }];
		expect(await refusesThird('DELETE', 'card delete', found)).toMatchObject(gone);
		named.splice(0, 2, ...names);
		expect(await refusesThird('DELETE', 'field delete', { fieldId })).toMatchObject(gone);
	});

	test('the error names the fields and choices that were added before', async () => {
		await workspace.card('Choices', {
			Key: 'text',
			State: { type: 'single_select', options: ['Open'] },
		});
		workspace.fail('POST', '/records$', { status: 422, json: { title: 'No', detail: 'Not now' } });
		const options = { unknownFields: 'create', missingChoices: 'add' };
		const parameters = { cardId: byName('Choices'), columns: mapAutomatically(), options };
		const { error } = await run('create', parameters, [{ Key: 'a', State: 'Late', New: 'x' }]);
		expect(error?.description).toBe(
			"Not now. Card 'Choices' has the new fields 'New'. Choices were added to field 'State' of card 'Choices': 'Late'",
		);
	});

	test("what wasn't written isn't in the details, and nothing is if nothing was written", async () => {
		const columns = mapAutomatically(['Key']);
		workspace.fail('POST', '', { status: 422, json: { title: 'No' } });
		const items = [{ Key: 'a', Note: 'old' }, { Key: 'n' }];
		const nothing = await run('upsert', { columns, options: { maxParallel: 1 } }, items);
		expect(nothing.error?.message).toBe('No');
		expect(detailsOf(nothing)).not.toHaveProperty('done');
		const invalid = await run('create', { columns: mapEach({ Nope: 1 }) });
		expect(invalid.error?.context?.data).toBeUndefined();
	});

	test('the details hold whole items up to 1 MB, and the number of all', async () => {
		const items = Array.from({ length: 241 }, (_, n) => ({
			Key: `k${n}`,
			Note: 'x'.repeat(5_000),
		}));
		workspace.fail('POST', '', { skip: 240, status: 422, json: { title: 'No' } });
		const options = { maxParallel: 1 };
		const result = await run('create', { columns: mapAutomatically(), options }, items);
		expect(result.error?.message).toBe('No');
		const { done, doneCount, truncated } = detailsOf(result);
		expect([doneCount, truncated]).toEqual([240, true]);
		expect(done.every(({ Note }) => (Note as string).length === 5_000)).toBe(true);
		const size = done.reduce((sum, item) => sum + JSON.stringify(item).length, 0);
		expect(size).toBeLessThanOrEqual(1_000_000);
		expect(size).toBeGreaterThan(990_000);
	});
});
