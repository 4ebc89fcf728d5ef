/** What each operation that reads records asks for and gives, item by item. */
import { countRecords } from '../../../../nodes/WorkspaceData/actions/record/count.operation';
import { getManyRecords } from '../../../../nodes/WorkspaceData/actions/record/getAll.operation';
import { getRecord } from '../../../../nodes/WorkspaceData/actions/record/get.operation';
import { getRecordPageOperation } from '../../../../nodes/WorkspaceData/actions/record/getPage.operation';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import {
	cardOf,
	memoryService,
	type Given,
	type MemoryService,
} from '../../../support/memoryService';
import { FIELDS, books, many, cardId, record, where, run, pages, keysOf } from './books';

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

	test('fails where the card has no such record, unless the option says otherwise', async () => {
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
