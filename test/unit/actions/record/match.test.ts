/** What the operations that find records by their values send, change and give, item by item. */
import { upsertRecord } from '../../../../nodes/WorkspaceData/actions/record/upsert.operation';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { cardOf, memoryService, type Given } from '../../../support/memoryService';
import {
	FIELDS,
	ROWS,
	books,
	refuseDeletion,
	cardId,
	values,
	where,
	run,
	changes,
	rowsOf,
	sync,
	syncItem,
} from './books';

describe('Create or Update', () => {
	const key = (value: Record<string, unknown>, options: object = {}) => ({
		...values(value, ['Key']),
		options,
	});

	test('updates, creates, or leaves unchanged, and says which', async () => {
		const service = books();
		const { json } = await run(service, upsertRecord, [
			key({ Key: 'a', Pages: 9 }),
			key({ Key: 'new', Pages: 1 }),
			key({ Key: 'b', Pages: '1' }),
			key({ Key: 'new', Pages: 2 }),
		]);
		expect(json.map(({ id, action }) => [id, action])).toEqual([
			['r1', 'updated'],
			['new1', 'created'],
			['r2', 'unchanged'],
			['new1', 'updated'],
		]);
		expect(rowsOf(service)).toHaveLength(4);
	});

	test.each<[string, object, unknown[], number]>([
		[
			'createOnly',
			{ upsertMode: 'createOnly' },
			[
				['r1', undefined],
				['new1', 'created'],
			],
			1,
		],
		[
			'updateOnly, skipping',
			{ upsertMode: 'updateOnly', ifNotFound: 'skip' },
			[['r1', 'updated']],
			1,
		],
		[
			'updateOnly, empty',
			{ upsertMode: 'updateOnly', ifNotFound: 'empty' },
			[
				['r1', 'updated'],
				[undefined, undefined],
			],
			1,
		],
		[
			'sending the unchanged',
			{ unchanged: 'send' },
			[
				['r1', 'updated'],
				['new1', 'created'],
			],
			2,
		],
	])('with %s', async (_, options, expected, writes) => {
		const service = books();
		const { json, errors } = await run(service, upsertRecord, [
			key({ Key: 'a', Pages: 9 }, options),
			key({ Key: 'z' }, options),
		]);
		expect(errors).toEqual([]);
		expect(json.map(({ id, action }) => [id, action])).toEqual(expected);
		expect(changes(service)).toHaveLength(writes);
	});

	test('with updateOnly and no record, the item fails', async () => {
		const { errors } = await run(
			books(),
			upsertRecord,
			key({ Key: 'z' }, { upsertMode: 'updateOnly' }),
		);
		expect(errors).toEqual([
			expect.objectContaining({ message: "No record of card 'c1' matches this item" }),
		]);
	});

	const twins = [
		{ Key: 'a', Pages: 1 },
		{ Key: 'a', Pages: 2 },
	];
	test.each<[string | undefined, string[], number]>([
		[undefined, [], 1],
		['first', ['r1'], 0],
		['all', ['r1', 'r2'], 0],
	])('several matches, %s', async (multipleMatches, ids, failures) => {
		const given = key({ Key: 'a', Pages: 9 }, { multipleMatches });
		const { json, errors } = await run(books(twins), upsertRecord, given);
		expect(json.map(({ id }) => id)).toEqual(ids);
		expect(errors).toHaveLength(failures);
	});

	test('in a dry run shows what would be done', async () => {
		const service = books();
		const dry = { dryRun: true };
		const { json } = await run(service, upsertRecord, [
			key({ Key: 'a', Pages: 9 }, dry),
			key({ Key: 'b', Pages: 1 }, dry),
			key({ Key: 'z' }, dry),
			key({ Key: 'c', Pages: 7 }, { ...dry, upsertMode: 'createOnly' }),
		]);
		expect(json.map(({ action, id }) => [action, id])).toEqual([
			['update', 'r1'],
			['none', 'r2'],
			['create', null],
			['none', 'r3'],
		]);
		expect(json[0]).toMatchObject({ before: { Pages: 3 }, after: { Pages: 9 } });
		expect(json[2]).toMatchObject({ before: null, after: { Key: 'z' } });
		expect(changes(service)).toEqual([]);
	});
});

describe('Sync', () => {
	const actions = (json: ReadonlyArray<Record<string, unknown>>) =>
		json.map(({ id, action }) => [id, action]);
	const deletes = { missingRecords: 'delete', maxDeletions: '5' };
	const ABC = [
		syncItem({ Key: 'a', Pages: 9 }),
		syncItem({ Key: 'b', Pages: 1 }),
		syncItem({ Key: 'z' }),
	];

	test('writes what differs, and keeps records without an item', async () => {
		const service = books();
		const { json, late } = await sync(service, ABC);
		expect(actions(json)).toEqual([
			['r1', 'updated'],
			['r2', 'unchanged'],
			['new1', 'created'],
		]);
		expect(late).toEqual([]);
		expect(rowsOf(service)).toHaveLength(4);
	});

	test('deletes records without an item last, paired with the first item', async () => {
		const service = books();
		const { late } = await sync(service, ABC, deletes);
		expect(late).toEqual([{ itemIndex: 0, json: { deleted: true, id: 'r3', action: 'deleted' } }]);
		expect(changes(service).at(-1)).toBe('DELETE cards/c1/records/r3');
		expect(rowsOf(service)?.map(({ f1 }) => f1)).toEqual(['a', 'b', 'z']);
	});

	test('only records that meet the conditions take part', async () => {
		const service = books();
		const open = where('Status', 'Open');
		const { late } = await sync(service, [syncItem({ Key: 'a', Status: 'Open' })], {
			...deletes,
			...open,
		});
		expect(late.map(({ json }) => json.id)).toEqual(['r3']);
	});

	test('deletes nothing where an item could not be written', async () => {
		const service = books();
		service.hooks.refuse = ({ method }) => {
			if (method === 'POST') throw new ApiFailure({ status: 403, title: 'No' });
		};
		const { errors, late, hints } = await sync(service, ABC, deletes);
		expect(errors).toHaveLength(1);
		expect(late).toEqual([]);
		expect(hints).toEqual([expect.stringContaining("No record of card 'c1' was deleted")]);
		expect(changes(service)).not.toContain('DELETE cards/c1/records/r3');
	});

	test('sends nothing where one item is not valid', async () => {
		const service = books();
		const { errors } = await sync(
			service,
			[...ABC, syncItem({ Key: 'y', Pages: 'many' })],
			deletes,
		);
		expect(errors.length).toBeGreaterThan(0);
		expect(changes(service)).toEqual([]);
	});

	test.each<[string, Given]>([
		['conditions', where('Status', 'Open')],
		['deletions', { missingRecords: 'delete' }],
		['dry runs', { dryRun: true }],
	])('sends nothing where items of a card have different %s', async (_, different) => {
		const service = books();
		const { errors } = await sync(service, [
			syncItem({ Key: 'a' }),
			{ ...syncItem({ Key: 'b' }), ...different },
		]);
		expect(errors).toContainEqual(
			expect.objectContaining({ message: expect.stringContaining('items 0 and 1 differ') }),
		);
		expect(changes(service)).toEqual([]);
	});

	test.each([
		['1', 1],
		['2', 0],
		['x', 1],
		['-1', 1],
	])('with at most %s deletions allowed, of two', async (maxDeletions, failures) => {
		const service = books();
		const given = { missingRecords: 'delete', maxDeletions };
		const { errors } = await sync(service, [syncItem({ Key: 'a' })], given);
		expect(errors).toHaveLength(failures);
		if (failures > 0) expect(changes(service)).toEqual([]);
	});

	test('in a dry run shows each change and counts them, and sends nothing', async () => {
		const service = books();
		const { json, late, hints } = await sync(service, ABC, { ...deletes, dryRun: true });
		expect(json.map(({ action, id }) => [action, id])).toEqual([
			['update', 'r1'],
			['create', null],
		]);
		expect(late).toMatchObject([
			{ itemIndex: 0, json: { dry_run: true, action: 'delete', id: 'r3' } },
		]);
		expect(hints).toEqual([
			"Dry run of card 'c1': 1 record would be created, 1 updated, 1 deleted; 1 unchanged",
		]);
		expect(changes(service)).toEqual([]);
	});

	test('a deletion that is refused says how many were done', async () => {
		const service = books();
		const refusal = refuseDeletion(service, 'r3');
		const { errors, noteOn } = await sync(service, [syncItem({ Key: 'a' })], deletes);
		expect(errors).toEqual([refusal]);
		expect(noteOn(refusal)).toBe(
			"All items of card 'c1' were written. 1 of 2 records without an item were deleted. Run all items again to delete the others.",
		);
	});

	test('items of two cards are two lists', async () => {
		const other = cardOf(FIELDS, [{ Key: 'x' }, { Key: 'a' }], { id: 'c2', name: 'Films' });
		const service = memoryService(cardOf(FIELDS, ROWS), other);
		const second = { ...syncItem({ Key: 'a' }), cardId: { ...cardId, value: 'c2' } };
		const { late } = await sync(service, [...ABC, second], deletes);
		const deleted = new Map(late.map(({ itemIndex, json }) => [itemIndex, json.id]));
		expect(deleted).toEqual(
			new Map([
				[0, 'r3'],
				[3, 'r1'],
			]),
		);
	});
});

test.each(['not-found', 'field-not-found'])(
	'a field with a new ID is no deleted record, although the service answers 404 %s: no second record is created (H37)',
	async (kind) => {
		const service = books();
		const [card] = service.cards;
		service.hooks.refuse = ({ method, body }) => {
			if (method !== 'PATCH' || !JSON.stringify(body).includes('f2')) return;
			for (const field of card?.fields ?? []) if (field.id === 'f2') field.id = 'f9';
			throw new ApiFailure({ status: 404, title: 'Not found', kind });
		};
		const { json, errors } = await run(
			service,
			upsertRecord,
			values({ Key: 'a', Pages: 99 }, ['Key']),
		);
		expect(errors).toEqual([]);
		expect(json).toMatchObject([{ id: 'r1', action: 'updated' }]);
		expect(rowsOf(service)).toHaveLength(3);
	},
);
