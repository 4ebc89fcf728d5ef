/** What each operation on records sends, changes and gives, item by item. */
import { countRecords } from '../../../nodes/WorkspaceData/actions/record/count.operation';
import { createRecord } from '../../../nodes/WorkspaceData/actions/record/create.operation';
import { deleteManyRecords } from '../../../nodes/WorkspaceData/actions/record/deleteMany.operation';
import { deleteRecord } from '../../../nodes/WorkspaceData/actions/record/delete.operation';
import { getManyRecords } from '../../../nodes/WorkspaceData/actions/record/getAll.operation';
import { getRecord } from '../../../nodes/WorkspaceData/actions/record/get.operation';
import { getRecordPageOperation } from '../../../nodes/WorkspaceData/actions/record/getPage.operation';
import { syncRecords } from '../../../nodes/WorkspaceData/actions/record/sync.operation';
import { updateManyRecords } from '../../../nodes/WorkspaceData/actions/record/updateMany.operation';
import { updateRecord } from '../../../nodes/WorkspaceData/actions/record/update.operation';
import { upsertRecord } from '../../../nodes/WorkspaceData/actions/record/upsert.operation';
import type { Operation } from '../../../nodes/WorkspaceData/actions/operation';
import { ApiFailure, Unreachable } from '../../../nodes/WorkspaceData/transport/failure/failures';
import {
	cardOf,
	memoryService,
	runOperation,
	type Given,
	type MemoryService,
} from '../../support/memoryService';

const FIELDS = [
	{ name: 'Key', type: 'text' },
	{ name: 'Pages', type: 'number' },
	{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
];
const ROWS = [
	{ Key: 'a', Pages: 3, Status: 'Open' },
	{ Key: 'b', Pages: 1, Status: 'Done' },
	{ Key: 'c', Pages: 2, Status: 'Open' },
];
const books = (rows: ReadonlyArray<Record<string, unknown>> = ROWS) =>
	memoryService(cardOf(FIELDS, rows));
/** Makes the service refuse to delete a record. @returns how */
const refuseDeletion = (service: ReturnType<typeof books>, id: string) => {
	const refusal = new ApiFailure({ status: 403, title: 'No' });
	service.hooks.refuse = ({ method, path }) => {
		const last = path.at(-1);
		if (method === 'DELETE' && typeof last === 'object' && last.value === id) throw refusal;
	};
	return refusal;
};
const many = (count: number) =>
	books(Array.from({ length: count }, (_, n) => ({ Key: `k${n}`, Pages: n })));

const cardId = { __rl: true, mode: 'id', value: 'c1' };
const record = (value: string) => ({ recordId: { __rl: true, mode: 'id', value } });
const values = (value: Record<string, unknown>, matchingColumns: string[] = []) => ({
	columns: { mappingMode: 'defineBelow', value, matchingColumns },
});
const where = (field: string, value: unknown, condition = 'equals') => ({
	filters: { conditions: [{ field, condition, value }] },
});

const run = async (
	service: MemoryService,
	operation: Operation,
	given: Given | Given[],
	...rest: [Parameters<typeof runOperation>[3]?]
) => {
	const all = Array.isArray(given)
		? given.map((own) => ({ cardId, ...own }))
		: { cardId, ...given };
	return await runOperation(service, operation, all, ...rest);
};

const changes = (service: MemoryService) =>
	service.requests().filter((line) => !line.startsWith('GET'));
const pages = (service: MemoryService) =>
	service.requests().filter((line) => line === 'GET cards/c1/records').length;
const keysOf = (json: ReadonlyArray<Record<string, unknown>>) =>
	json.map(({ fields }) => (fields as Record<string, unknown>).Key);
const rowsOf = ({ cards }: MemoryService) => cards[0]?.records.map(({ data }) => data);

describe('Count', () => {
	test.each([
		[{}, 3],
		[where('Status', 'Open'), 2],
		[{ ...where('Pages', 2, 'greaterOrEqual'), matchType: 'anyCondition' }, 2],
		[where('Key', 'z'), 0],
	])('with %j', async (given, count) => {
		expect((await run(books(), countRecords, given)).json).toEqual([{ count }]);
	});

	test('says how many records it read, where it were many', async () => {
		expect((await run(many(100), countRecords, {})).hints).toEqual([]);
		expect((await run(many(101), countRecords, {})).hints).toEqual([
			'101 records were read, because the service cannot filter or count.',
		]);
	});
});

describe('Get', () => {
	test('gives the record, simplified or as the service has it', async () => {
		const simple = { id: 'r2', created_at: '2026-01-01T00:01:00.000Z' };
		expect((await run(books(), getRecord, record('r2'))).json).toEqual([
			{ ...simple, fields: { Key: 'b', Pages: 1, Status: 'Done' } },
		]);
		const raw = await run(books(), getRecord, { ...record('r2'), simple: false });
		expect(raw.json).toEqual([{ ...simple, data: { f1: 'b', f2: 1, f3: 'Done' } }]);
	});

	test('says that the card has no such record, or what the option says', async () => {
		const get = async (options: object) =>
			await run(books(), getRecord, { ...record('r9'), options });
		expect((await get({})).errors).toEqual([
			expect.objectContaining({ message: "Card 'c1' has no record 'r9'" }),
		]);
		expect(await get({ ifNotFound: 'skip' })).toMatchObject({ json: [], errors: [] });
		expect(await get({ ifNotFound: 'empty' })).toMatchObject({ json: [{}], errors: [] });
	});
});

describe('Get Many', () => {
	const keys = async (given: Given, service = books()) =>
		keysOf((await run(service, getManyRecords, given)).json);
	const sort = (direction: string) => ({ sort: { by: [{ field: 'Pages', direction }] } });

	test.each<[string, Given, string[]]>([
		['all', { returnAll: true }, ['a', 'b', 'c']],
		['the first ones', { limit: 2 }, ['a', 'b']],
		['those that meet a condition', { returnAll: true, ...where('Status', 'Open') }, ['a', 'c']],
		['the first of these', { limit: 1, ...where('Status', 'Open') }, ['a']],
		['those with a text', { returnAll: true, search: 'don' }, ['b']],
		[
			'with a text and a condition',
			{ returnAll: true, search: 'c', ...where('Status', 'Open') },
			['c'],
		],
		['in an order', { returnAll: true, ...sort('asc') }, ['b', 'c', 'a']],
		['the first of an order', { limit: 1, ...sort('desc') }, ['a']],
		[
			'of a condition, in an order',
			{ returnAll: true, ...sort('asc'), ...where('Status', 'Open') },
			['c', 'a'],
		],
	])('gives %s', async (_, given, expected) => {
		expect(await keys(given)).toEqual(expected);
	});

	test('reads no further than it needs', async () => {
		const service = many(350);
		expect(await keys({ limit: 50 }, service)).toHaveLength(50);
		expect(pages(service)).toBe(1);
		const filtered = many(350);
		expect(await keys({ limit: 1, ...where('Pages', 5) }, filtered)).toEqual(['k5']);
		expect(pages(filtered)).toBe(1);
	});

	test.each<[string, Given, string[]]>([
		['nothing where it reads what it gives', { returnAll: true }, []],
		[
			'the cost of a condition',
			{ returnAll: true, ...where('Pages', 5) },
			['350 records were read, because the service cannot filter or count.'],
		],
		[
			'how to read less',
			{ limit: 2, ...where('Pages', 5) },
			[
				"350 records were read, because the service cannot filter or count. A lower 'Limit' ends the reading earlier.",
			],
		],
		[
			'that an order needs all',
			{ limit: 2, ...sort('asc') },
			[
				"350 records were read, although 'Limit' is 2: the service can neither sort nor tell which records are new.",
			],
		],
	])('says %s', async (_, given, hints) => {
		expect((await run(many(350), getManyRecords, given)).hints).toEqual(hints);
	});

	describe('Since Last Run', () => {
		/** A node whose static data stay. */
		function node(service: MemoryService, mode: 'trigger' | 'manual' | 'evaluation' = 'trigger') {
			const staticData: Record<string, unknown> = {};
			const get = async (given: Given = {}, ...more: Given[]) => {
				const all = [{ since: 'new', returnAll: true, ...given }, ...more];
				return await run(service, getManyRecords, all, { mode, staticData });
			};
			return { get, staticData, keys: async (given?: Given) => keysOf((await get(given)).json) };
		}
		const add = (service: MemoryService, key: string, minute: number) =>
			service.cards[0]?.records.push({
				id: `r-${key}`,
				data: { f1: key },
				created_at: new Date(Date.UTC(2026, 0, 2) + minute * 60_000).toISOString(),
			});

		test('gives each record once, oldest first', async () => {
			const service = books();
			const { keys } = node(service);
			service.cards[0]?.records.reverse();
			expect(await keys()).toEqual(['a', 'b', 'c']);
			expect(await keys()).toEqual([]);
			add(service, 'd', 1);
			expect(await keys()).toEqual(['d']);
			expect(await keys()).toEqual([]);
		});

		test('beyond the limit, the others come next', async () => {
			const { keys } = node(books());
			expect(await keys({ returnAll: false, limit: 2 })).toEqual(['a', 'b']);
			expect(await keys({ returnAll: false, limit: 2 })).toEqual(['c']);
		});

		test('gives changed records again, where these are asked for', async () => {
			const service = books();
			const { keys } = node(service);
			const since = { since: 'newOrChanged' };
			expect(await keys(since)).toHaveLength(3);
			const [, second] = service.cards[0]?.records ?? [];
			if (second) second.data = { ...second.data, f2: 100 };
			expect(await keys(since)).toEqual(['b']);
			expect(await keys(since)).toEqual([]);
		});

		test('starts again under another mark', async () => {
			const { keys } = node(books());
			await keys();
			expect(await keys({ options: { startAgain: 'x' } })).toHaveLength(3);
			expect(await keys({ options: { startAgain: 'x' } })).toEqual([]);
		});

		test('in one run, two items of a card share what comes', async () => {
			const { get } = node(books());
			const second = { since: 'new', returnAll: true };
			const { outputs } = await get({ returnAll: false, limit: 1 }, second);
			expect(outputs.map(keysOf)).toEqual([['a'], ['b', 'c']]);
		});

		test('two kinds of question about a card do not disturb each other', async () => {
			const { keys, staticData } = node(books());
			await keys();
			expect(await keys({ since: 'newOrChanged' })).toHaveLength(3);
			expect(await keys()).toEqual([]);
			expect(JSON.parse(String(staticData.returnedRecords))).toHaveLength(2);
		});

		test.each(['manual', 'evaluation'] as const)(
			'a %s run only shows what would come',
			async (mode) => {
				const { get, keys, staticData } = node(books(), mode);
				expect((await get()).hints).toEqual([
					expect.stringContaining('only shows what would come'),
				]);
				expect(await keys()).toHaveLength(3);
				expect(staticData).toEqual({});
			},
		);

		test('a run that fails gives its records again', async () => {
			const service = books();
			const { get, keys } = node(service);
			const failing = { since: 'new', limit: 0 };
			expect((await get({}, failing)).errors).toHaveLength(1);
			expect(await keys()).toHaveLength(3);
		});

		test('where nothing is new, nothing is saved', async () => {
			const service = books();
			const { keys, staticData } = node(service);
			await keys();
			const saved = staticData.returnedRecords;
			await keys();
			expect(staticData.returnedRecords).toBe(saved);
		});

		test.each(['not JSON', '{}', '[{"card":5}]', 7])(
			'saved data that cannot be read (%j) count as none',
			async (text) => {
				const { keys, staticData } = node(books());
				staticData.returnedRecords = text;
				expect(await keys()).toHaveLength(3);
				expect(await keys()).toEqual([]);
			},
		);

		test('keeps track of twenty cards', async () => {
			const cards = Array.from({ length: 21 }, (_, n) =>
				cardOf(FIELDS, [{ Key: 'a' }], { id: `c${n}`, name: `Card ${n}` }),
			);
			const service = memoryService(...cards);
			const { get } = node(service);
			const of = (n: number) => ({ cardId: { ...cardId, value: `c${n}` } });
			for (let n = 0; n < 20; n += 1) expect((await get(of(n))).json).toHaveLength(1);
			expect((await get(of(20))).errors).toEqual([
				expect.objectContaining({
					message: "'Since Last Run' keeps track of 20 cards already",
				}),
			]);
			expect((await get(of(19))).errors).toEqual([]);
			expect((await get({ ...of(20), options: { startAgain: 'x' } })).json).toHaveLength(1);
		});
	});
});

describe('Get Page', () => {
	test('gives a page and the cursor of the next one', async () => {
		const service = many(5);
		const first = await run(service, getRecordPageOperation, { limit: 3 });
		expect(first.json).toEqual(
			[{ records: { length: 3 }, next_cursor: '3' }].map((one) =>
				expect.objectContaining({ next_cursor: one.next_cursor }),
			),
		);
		const second = await run(service, getRecordPageOperation, { limit: 3, cursor: 3 });
		const [page] = second.json;
		expect(keysOf(page?.records as Array<Record<string, unknown>>)).toEqual(['k3', 'k4']);
		expect(page?.next_cursor).toBeNull();
	});

	test.each([[''], ['  '], [null], [undefined]])(
		'a cursor of %j is the first page',
		async (cursor) => {
			const service = books();
			await run(service, getRecordPageOperation, { cursor });
			expect(service.api.sent.at(-1)?.query).toEqual({ limit: expect.any(Number) });
		},
	);

	const refusal = (status: number, detail: string) =>
		new ApiFailure({ status, title: 'Refused', detail });

	test.each([
		['the cursor is refused', '7', refusal(400, 'Bad cursor'), true],
		['something else is refused', '7', refusal(400, 'Bad limit-free thing'), false],
		['the service fails', '7', refusal(500, 'cursor'), false],
		['there is no cursor', '', refusal(400, 'Bad cursor'), false],
	])('where %s, advice: %s', async (_, cursor, error, isAdvised) => {
		const service = books();
		service.hooks.refuse = ({ path }) => {
			if (path.at(-1) === 'records') throw error;
		};
		const { errors } = await run(service, getRecordPageOperation, { cursor });
		expect(errors).toHaveLength(1);
		expect(errors[0] === error).toBe(!isAdvised);
		if (isAdvised)
			expect(errors[0]).toMatchObject({ advice: expect.stringContaining("'next_cursor'") });
	});

	test('a cursor that is no text is refused', async () => {
		const { errors } = await run(books(), getRecordPageOperation, { cursor: { a: 1 } });
		expect(errors).toEqual([expect.objectContaining({ message: `'Cursor' cannot be '{"a":1}'` })]);
	});
});

describe('Create', () => {
	test('sends the values under IDs, and gives the record', async () => {
		const service = books([]);
		const { json } = await run(service, createRecord, values({ Key: 'x', Pages: '7' }));
		expect(json).toEqual([
			{ id: 'new1', created_at: expect.any(String), fields: { Key: 'x', Pages: 7 } },
		]);
		expect(service.api.sent.at(-1)).toMatchObject({
			method: 'POST',
			body: { data: { f1: 'x', f2: 7 } },
			creates: 'record',
		});
	});

	test('does the work again with new IDs, where the fields have changed since they were read', async () => {
		const service = books([]);
		let refused = 0;
		service.hooks.refuse = ({ method }) => {
			if (method !== 'POST' || refused > 0) return;
			refused += 1;
			const [field] = service.cards[0]?.fields ?? [];
			if (field) field.id = 'f9';
			throw new ApiFailure({ status: 422, title: 'No such field' });
		};
		const { json, errors } = await run(service, createRecord, values({ Key: 'x' }));
		expect(errors).toEqual([]);
		expect(json).toMatchObject([{ fields: { Key: 'x' } }]);
		expect(rowsOf(service)).toEqual([{ f9: 'x' }]);
	});

	test.each([
		['the fields are the same', 422],
		['the refusal is about something else', 403],
	])('passes the refusal on where %s', async (_, status) => {
		const service = books([]);
		const refusal = new ApiFailure({ status, title: 'No' });
		service.hooks.refuse = ({ method }) => {
			if (method === 'POST') throw refusal;
		};
		const { errors } = await run(service, createRecord, values({ Key: 'x' }));
		expect(errors).toEqual([refusal]);
		expect(changes(service)).toHaveLength(1);
	});
});

describe('Update', () => {
	test('changes only what was sent', async () => {
		const service = books();
		const { json } = await run(service, updateRecord, { ...record('r1'), ...values({ Pages: 9 }) });
		expect(json).toMatchObject([{ id: 'r1', fields: { Key: 'a', Pages: 9, Status: 'Open' } }]);
		expect(changes(service)).toEqual(['PATCH cards/c1/records/r1']);
	});

	test.each([
		['skip', []],
		['empty', [{}]],
	])('where the record does not exist, %s gives %j', async (ifNotFound, expected) => {
		for (const dryRun of [true, false]) {
			const options = { ifNotFound, dryRun };
			const given = { ...record('r9'), ...values({ Pages: 9 }), options };
			expect(await run(books(), updateRecord, given)).toMatchObject({ json: expected, errors: [] });
		}
	});

	test('passes other failures on', async () => {
		const service = books();
		const failure = new ApiFailure({ status: 404, title: 'No', kind: 'card-not-found' });
		service.hooks.refuse = ({ method }) => {
			if (method === 'PATCH') throw failure;
		};
		const options = { ifNotFound: 'skip' };
		const given = { ...record('r1'), ...values({ Pages: 9 }), options };
		expect((await run(service, updateRecord, given)).errors).toEqual([failure]);
	});

	test('in a dry run shows what would change, and sends nothing', async () => {
		const service = books();
		const options = { dryRun: true };
		const given = { ...record('r1'), ...values({ Pages: 9 }), options };
		expect((await run(service, updateRecord, given)).json).toEqual([
			{
				dry_run: true,
				action: 'update',
				id: 'r1',
				before: { Key: 'a', Pages: 3, Status: 'Open' },
				after: { Key: 'a', Pages: 9, Status: 'Open' },
			},
		]);
		expect(changes(service)).toEqual([]);
	});
});

describe('Delete', () => {
	test('deletes one record', async () => {
		const service = books();
		expect((await run(service, deleteRecord, record('r2'))).json).toEqual([
			{ deleted: true, id: 'r2' },
		]);
		expect(rowsOf(service)).toHaveLength(2);
		expect(service.api.sent.at(-1)).toMatchObject({ method: 'DELETE', deletes: 'record' });
	});

	test('the same record twice is an error the second time, or what the option says', async () => {
		expect((await run(books(), deleteRecord, [record('r2'), record('r2')])).errors).toHaveLength(1);
		const skip = { ...record('r2'), options: { ifNotFound: 'skip' } };
		const { outputs, errors } = await run(books(), deleteRecord, [skip, skip]);
		expect(errors).toEqual([]);
		expect(outputs).toEqual([[{ deleted: true, id: 'r2' }], []]);
	});

	test('in a dry run shows the record, and deletes nothing', async () => {
		const service = books();
		const given = { ...record('r2'), options: { dryRun: true } };
		expect((await run(service, deleteRecord, given)).json).toEqual([
			{
				dry_run: true,
				action: 'delete',
				id: 'r2',
				before: { Key: 'b', Pages: 1, Status: 'Done' },
				after: null,
			},
		]);
		expect(changes(service)).toEqual([]);
	});
});

describe('Update Many and Delete Many', () => {
	const open = where('Status', 'Open');

	test('change all records that meet the conditions, except records that have the values already', async () => {
		const service = books();
		const given = { ...open, ...values({ Pages: 2 }) };
		const { json } = await run(service, updateManyRecords, given);
		expect(json.map(({ id, action }) => [id, action])).toEqual([
			['r1', 'updated'],
			['r3', 'unchanged'],
		]);
		expect(changes(service)).toEqual(['PATCH cards/c1/records/r1']);
	});

	test('send all where the option says so', async () => {
		const service = books();
		const given = { ...open, ...values({ Pages: 2 }), options: { unchanged: 'send' } };
		const { json } = await run(service, updateManyRecords, given);
		expect(json.map(({ action }) => action)).toEqual(['updated', 'updated']);
		expect(changes(service)).toHaveLength(2);
	});

	test('each item sees what the items before it changed', async () => {
		const service = books();
		const { outputs } = await run(service, updateManyRecords, [
			{ ...open, ...values({ Status: 'Done' }) },
			{ ...where('Status', 'Done'), ...values({ Pages: 0 }) },
		]);
		expect(outputs.map((one) => one.length)).toEqual([2, 3]);
	});

	test('delete all records that meet the conditions, once', async () => {
		const service = books();
		const { outputs } = await run(service, deleteManyRecords, [open, open]);
		expect(outputs).toEqual([
			[
				{ deleted: true, id: 'r1' },
				{ deleted: true, id: 'r3' },
			],
			[],
		]);
		expect(rowsOf(service)).toEqual([{ f1: 'b', f2: 1, f3: 'Done' }]);
	});

	test('a record that is gone by then counts as deleted', async () => {
		const service = books();
		service.hooks.refuse = ({ method }) => {
			const card = service.cards[0];
			if (method === 'DELETE' && card) card.records = card.records.filter(({ id }) => id !== 'r3');
		};
		const { json, errors } = await run(service, deleteManyRecords, open);
		expect(errors).toEqual([]);
		expect(json).toHaveLength(2);
	});

	test.each<[string, Operation, Given]>([
		['updated', updateManyRecords, values({ Pages: 9 })],
		['deleted', deleteManyRecords, {}],
	])('more than allowed are not %s', async (done, operation, given) => {
		const service = books();
		const { errors } = await run(service, operation, { ...open, ...given, maxChanges: 1 });
		expect(errors).toEqual([
			expect.objectContaining({
				message: `2 records of card 'c1' would be ${done}, but 'Most Records to Change' is 1`,
			}),
		]);
		expect(changes(service)).toEqual([]);
		expect((await run(service, operation, { ...open, ...given, maxChanges: 2 })).errors).toEqual(
			[],
		);
	});

	test.each<[string, Operation, Given]>([
		['update', updateManyRecords, values({ Pages: 2 })],
		['delete', deleteManyRecords, {}],
	])('in a dry run they show what they would %s', async (action, operation, given) => {
		for (const dry of [{ dryRun: true }, { options: { dryRun: true } }]) {
			const service = books();
			const { json } = await run(service, operation, { ...open, ...given, ...dry });
			expect(json.map((one) => [one.dry_run, one.action, one.id])).toEqual([
				[true, action, 'r1'],
				[true, action === 'update' ? 'none' : 'delete', 'r3'],
			]);
			expect(changes(service)).toEqual([]);
		}
	});

	test('a failure says how many were done', async () => {
		const service = books();
		const failure = refuseDeletion(service, 'r3');
		const { errors, noteOn } = await run(service, deleteManyRecords, open);
		expect(errors).toEqual([failure]);
		expect(noteOn(failure)).toBe('1 of 2 records were deleted.');
	});

	test('nothing is changed where the fields changed while the records were read', async () => {
		const service = books();
		service.hooks.lose = ({ path }) => {
			if (path.at(-1) === 'records')
				service.cards[0]?.fields.push({ id: 'f9', name: 'New', type: 'text' });
		};
		const { errors } = await run(service, deleteManyRecords, open);
		expect(errors).toEqual([
			expect.objectContaining({
				message: "The fields of card 'c1' changed while its records were being read",
			}),
		]);
		expect(changes(service)).toEqual([]);
	});
});

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
	const item = (value: Record<string, unknown>) => values(value, ['Key']);
	const sync = async (service: MemoryService, items: Given[], given: Given = {}) =>
		await run(
			service,
			syncRecords,
			items.map((own) => ({ ...given, ...own })),
		);
	const actions = (json: ReadonlyArray<Record<string, unknown>>) =>
		json.map(({ id, action }) => [id, action]);
	const deletes = { missingRecords: 'delete', maxDeletions: '5' };
	const ABC = [item({ Key: 'a', Pages: 9 }), item({ Key: 'b', Pages: 1 }), item({ Key: 'z' })];

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
		const { late } = await sync(service, [item({ Key: 'a', Status: 'Open' })], {
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
		const { errors } = await sync(service, [...ABC, item({ Key: 'y', Pages: 'many' })], deletes);
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
			item({ Key: 'a' }),
			{ ...item({ Key: 'b' }), ...different },
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
		const { errors } = await sync(service, [item({ Key: 'a' })], given);
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
			"Dry run of card 'c1': 1 records would be created, 1 updated, 1 deleted; 1 stay unchanged",
		]);
		expect(changes(service)).toEqual([]);
	});

	test('a deletion that is refused says how many were done', async () => {
		const service = books();
		const refusal = refuseDeletion(service, 'r3');
		const { errors, noteOn } = await sync(service, [item({ Key: 'a' })], deletes);
		expect(errors).toEqual([refusal]);
		expect(noteOn(refusal)).toBe(
			"All items of card 'c1' were written. 1 of 2 records without an item were deleted. Run all items again to delete the others.",
		);
	});

	test('items of two cards are two lists', async () => {
		const other = cardOf(FIELDS, [{ Key: 'x' }, { Key: 'a' }], { id: 'c2', name: 'Films' });
		const service = memoryService(cardOf(FIELDS, ROWS), other);
		const second = { ...item({ Key: 'a' }), cardId: { ...cardId, value: 'c2' } };
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

describe('a write whose answer is lost', () => {
	test('is an error, and is not sent again', async () => {
		const service = books();
		const lost = new Unreachable('No answer', { transient: true });
		service.hooks.lose = ({ method }) => {
			if (method === 'POST') throw lost;
		};
		const { errors } = await run(service, createRecord, values({ Key: 'x' }));
		expect(errors).toEqual([lost]);
		expect(changes(service)).toHaveLength(1);
	});
});
