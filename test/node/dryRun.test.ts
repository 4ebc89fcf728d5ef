/** Dry Run shows what would change; what was deleted or overwritten is in the output, and goes back in. */
import type { IDataObject } from 'n8n-workflow';
import { hintsOf, placesOf, succeeded } from '../support/n8n';
import { byId, byName, fromList, mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard, useWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
const { run, runCounted } = recordRuns(() => ({ workspace, card }));

describe('Dry Run', () => {
	let ids: string[];
	useCard('Dry', { Key: 'text', Amount: 'number' }, (made) => ({ workspace, card } = made));
	beforeEach(async () => {
		ids = await workspace.records(card.id, [
			{ Key: 'a', Amount: 1 },
			{ Key: 'b', Amount: 2 },
		]);
	});

	const run = async (
		operation: string,
		{ options, ...others }: IDataObject,
		items: IDataObject[] = [{}],
	) => {
		const { dryRun = true, ...more } = (options ?? {}) as IDataObject;
		// In operations that change many records it is a switch above the options.
		const place = /Many$/.test(operation)
			? { dryRun, options: more }
			: { options: { dryRun, ...more } };
		return await runCounted(operation, { ...others, ...place }, items);
	};
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
		if (workspace.changes().length > 0) return;
		expect(await rows()).toEqual([
			{ Key: 'a', Amount: 1 },
			{ Key: 'b', Amount: 2 },
		]);
	});

	test('Delete shows what would be gone', async () => {
		const { json } = await run('delete', { recordId: byId(ids[1] ?? '') });
		expect(json).toEqual([{ dry_run: true, action: 'delete', id: ids[1] }]);
		expect(workspace.changes()).toEqual([]);
	});

	test('Update and Delete: items see what those before them would have done', async () => {
		const update = { recordId: byId(ids[0] ?? ''), columns: mapAutomatically() };
		const updated = await run('update', update, [{ Key: 'x' }, { Amount: 5 }]);
		expect(updated.json).toEqual([
			entry('update', { Key: 'x', Amount: 1, id: ids[0] }, { Key: { from: 'a', to: 'x' } }),
			entry('update', { Key: 'x', Amount: 5, id: ids[0] }, amount(1, 5)),
		]);
		expect(workspace.changes()).toEqual([]);
		const twice = { recordId: byId(ids[1] ?? ''), options: { ifNotFound: 'empty' } };
		const deleted = await run('delete', twice, [{}, {}]);
		expect(deleted.json).toMatchObject([{ action: 'delete', id: ids[1] }, {}]);
		expect(deleted.json[1]).toEqual({});
		expect(workspace.changes()).toEqual([]);
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
		expect(json).toEqual([
			entry('update', { Key: 'a', Amount: 5, id: ids[0] }, amount(1, 5)),
			entry('create', { Key: 'new', Amount: 1, id: null, created_at: null }),
			entry('update', { Key: 'new', Amount: 2, id: null, created_at: null }, amount(1, 2)),
			entry('update', { Key: 'a', Amount: 6, id: ids[0] }, amount(5, 6)),
		]);
		expect(placesOf(items)).toEqual([0, 1, 2, 3]);
		expect(workspace.changes()).toEqual([]);
	});

	test("Create Only doesn't change an existing record: action none", async () => {
		const { json } = await run('upsert', {
			...matchKey({ Key: 'a', Amount: 9 }),
			options: { upsertMode: 'createOnly' },
		});
		expect(json).toEqual([entry('none', { Key: 'a', Amount: 1, id: ids[0] })]);
	});

	test('Update Many and Delete Many: each item finds what those before it would have left', async () => {
		const from = where('Amount', 'equals', '={{ $json.from }}');
		const columns = mapEach({ Amount: '={{ $json.to }}' });
		const updated = await run('updateMany', { ...from, columns }, [
			{ from: 1, to: 2 },
			{ from: 2, to: 3 },
		]);
		expect(updated.json.map(({ id, changes, Key }) => [id, changes, Key])).toEqual([
			[ids[0], amount(1, 2), 'a'],
			[ids[0], amount(2, 3), 'a'],
			[ids[1], amount(2, 3), 'b'],
		]);
		expect(workspace.changes()).toEqual([]);
		const deleted = await run('deleteMany', where('Amount', 'lessThan', '={{ $json.below }}'), [
			{ below: 2 },
			{ below: 9 },
		]);
		expect(deleted.json).toEqual([
			{ dry_run: true, action: 'delete', Key: 'a', Amount: 1, id: ids[0] },
			{ dry_run: true, action: 'delete', Key: 'b', Amount: 2, id: ids[1] },
		]);
		expect(workspace.changes()).toEqual([]);
	});

	test('values come under the keys that the options choose', async () => {
		const { json } = await run('update', {
			recordId: byId(ids[0] ?? ''),
			columns: mapEach({ Amount: 7 }),
			options: { fieldKeys: 'id', outputFields: ['Amount'] },
		});
		const amount = String(card.fieldIds.Amount);
		expect(json).toEqual([
			entry('update', { [amount]: 7, id: ids[0] }, { [amount]: { from: 1, to: 7 } }),
		]);
	});

	const UPDATE_ONLY = { options: { upsertMode: 'updateOnly' } };
	/** Failures of the real run; a dry run fails with the same message. */
	const FAILURES: Array<[string, string, IDataObject]> = [
		['an unknown field', 'update', { recordId: byId('x'), columns: mapEach({ Nope: 1 }) }],
		["a value that the field can't hold", 'upsert', matchKey({ Key: 'a', Amount: 'many' })],
		['no value', 'update', { recordId: byId('x'), columns: mapEach({}) }],
		['an empty matching value', 'upsert', matchKey({ Key: '', Amount: 1 })],
		['no condition', 'deleteMany', { filters: {} }],
		['no condition', 'updateMany', { filters: {}, columns: mapEach({ Amount: 1 }) }],
		['an unknown field in a condition', 'deleteMany', where('KEY', 'equals', 'a')],
		['a near name of a card', 'delete', { recordId: byId('x'), cardId: byName('DRY') }],
		['nothing to update', 'upsert', { ...matchKey({ Key: 'z' }), ...UPDATE_ONLY }],
		['a wrong option', 'delete', { recordId: byId('x'), options: { ifNotFound: 'no' } }],
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

	describe.each([
		['update', { columns: mapEach({ Amount: 1 }) }],
		['delete', {}],
	] as const)("%s of a record that doesn't exist", (operation, parameters) => {
		test.each([
			['error', "has no record 'gone'"],
			['skip', []],
			['empty', [{}]],
		])('%s', async (ifNotFound, expected) => {
			const gone = { recordId: byId('gone'), options: { ifNotFound } };
			const { json, error } = await run(operation, { ...parameters, ...gone });
			if (typeof expected === 'string') expect(error?.message).toContain(expected);
			else expect(json).toEqual(expected);
			expect(workspace.changes()).toEqual([]);
		});
	});

	test.each(['upsert', 'update', 'delete', 'updateMany', 'deleteMany'])(
		'%s: what is neither true nor false changes nothing',
		async (operation) => {
			const { error } = await run(operation, {
				...matchKey({ Key: 'a', Amount: 9 }),
				...where('Key', 'equals', 'a'),
				recordId: byId(ids[0] ?? ''),
				options: { dryRun: '={{ "yes" }}' },
			});
			expect(error?.message).toBe("'Dry Run' can't be 'yes'");
			expect(workspace.changes()).toEqual([]);
		},
	);
});

describe('fields and choices', () => {
	useWorkspace((started) => (workspace = started));

	test.each(['upsert', 'update', 'updateMany', 'sync'])(
		'a dry run of %s shows fields and choices that would be added, names them in hints, and adds none',
		async (operation) => {
			card = await workspace.card('Dry', {
				Key: 'text',
				State: { type: 'single_select', options: ['Open'] },
			});
			const [id = ''] = await workspace.records(card.id, [{ Key: 'a' }]);
			const isSwitch = ['updateMany', 'sync'].includes(operation);
			const parameters = {
				cardId: fromList(card.id, 'Dry'),
				recordId: byId(id),
				columns: mapAutomatically(['Key']),
				...where('Key', 'equals', 'a'),
				...(isSwitch && { dryRun: true }),
				options: {
					...(!isSwitch && { dryRun: true }),
					...{ unknownFields: 'create', missingChoices: 'add' },
				},
			};
			const items = [{ Key: 'a', New: '12', State: 'Late' }];
			const result = succeeded(await runCounted(operation, parameters, items));
			expect(result.json).toEqual([
				{
					dry_run: true,
					action: 'update',
					changes: { State: { from: null, to: 'Late' }, New: { from: null, to: 12 } },
					...{ Key: 'a', State: 'Late', New: 12, id, created_at: expect.any(String) as string },
				},
			]);
			expect(workspace.changes()).toEqual([]);
			const texts = hintsOf(result);
			expect(texts).toContainEqual(
				expect.stringMatching(
					/^Dry run: fields would be added to card 'Dry': 'New' \(number: .+\)$/,
				),
			);
			expect(texts).toContain(
				"Dry run: choices would be added to field 'State' of card 'Dry': 'Late'",
			);
		},
	);
});

describe('what was there before', () => {
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
	const everything = where('Key', 'isNotEmpty');
	const columns = mapEach({ Note: 'new' });
	const keyed = { columns: mapAutomatically(['Key']) };
	const rows = async () => await workspace.rows(card.id);

	describe('the old values of the fields that changed', () => {
		const created = { Key: 'c', Amount: 3 };
		const items = [{ Key: 'a', Note: 'new' }, { Key: 'b', Amount: 2 }, created];

		test.each([
			['Create or Update', 'upsert'],
			['Sync', 'sync'],
		])('%s returns them, for updated records only', async (_, operation) => {
			const { json } = await run(operation, keyed, items);
			expect(json).toEqual([
				expect.objectContaining({ action: 'updated', before: { Note: 'first' } }),
				expect.objectContaining({ action: 'unchanged' }),
				expect.objectContaining({ action: 'created' }),
			]);
			expect(json.map((item) => 'before' in item)).toEqual([true, false, false]);
			expect(Object.keys(json[0] ?? {}).slice(-2)).toEqual(['before', 'action']);
		});

		test('Update Many returns them, null where there was none', async () => {
			const { json } = await run('updateMany', { ...everything, columns });
			expect(json.map(({ before }) => before)).toEqual([{ Note: 'first' }, { Note: null }]);
		});

		test('Update returns them where the option is on, and reads the record first', async () => {
			const parameters = { recordId: byId(ids[0] ?? ''), columns };
			workspace.service.control.resetRequests();
			const plain = await run('update', parameters);
			expect(plain.json[0]).not.toHaveProperty('before');
			expect(workspace.requests().filter((one) => one.includes('/records'))).toHaveLength(1);
			const back = { recordId: byId(ids[0] ?? ''), columns: mapEach({ Note: 'first' }) };
			const told = await run('update', { ...back, options: { oldValues: true } });
			expect(told.json[0]).toMatchObject({ Note: 'first', before: { Note: 'new' } });
			const gone = { recordId: byId('rec_none'), columns, options: { oldValues: true } };
			expect((await run('update', gone)).error?.message).toContain("has no record 'rec_none'");
		});

		test("aren't in the output if the option is off", async () => {
			const { json } = await run('upsert', { ...keyed, options: { oldValues: false } }, items);
			expect(json[0]?.action).toBe('updated');
			expect(json[0]).not.toHaveProperty('before');
		});
	});

	describe('a dry run at a glance', () => {
		test.each<[string, IDataObject, IDataObject[], unknown[], string]>([
			[
				'upsert',
				{ ...keyed, options: { dryRun: true } },
				[{ Key: 'a', Note: 'new' }, { Key: 'c', Amount: 3 }, ROWS[1] ?? {}],
				[{ Note: { from: 'first', to: 'new' } }, undefined, undefined],
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
				[undefined, undefined],
				'2 records would be deleted',
			],
		])('%s: what differs, and the counts', async (operation, parameters, items, changes, hint) => {
			const result = await run(operation, parameters, items);
			const { json } = result;
			expect(json.map((item) => item.changes)).toEqual(changes);
			expect(hintsOf(result)).toContain(`Dry run of card '${card.id}': ${hint}`);
			const first = ['dry_run', 'action', ...(changes[0] ? ['changes'] : [])];
			const own = operation === 'deleteMany' ? ['id'] : ['id', 'created_at'];
			const keys = [...first, 'Key', 'Note', 'Amount', ...own];
			expect(Object.keys(json[0] ?? {})).toEqual(keys);
			expect(await rows()).toEqual(ROWS);
		});

		test('nothing that would change is said so', async () => {
			const same = { ...keyed, options: { dryRun: true } };
			expect(hintsOf(await run('upsert', same, [ROWS[0] ?? {}]))).toContain(
				`Dry run of card '${card.id}': nothing would change; 1 unchanged`,
			);
		});
	});
});
