/** Which records a search for missed ones reads, and which of them the workflow has not had. */
import type {
	KnownRecords,
	Stretch,
} from '../../../nodes/WorkspaceData/trigger/catchUp/knownRecords';
import {
	type Candidate,
	createdBetween,
	findMissed,
	keyOf,
} from '../../../nodes/WorkspaceData/trigger/catchUp/missedRecords';
import type { Problem } from '../../../nodes/WorkspaceData/model/answer/problem';
import {
	ApiFailure,
	UnexpectedAnswer,
	Unreachable,
} from '../../../nodes/WorkspaceData/transport/failure/failures';
import { cardOf, memoryService, type MemoryService } from '../../support/memoryService';

const FIRST = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ Title: `${n}` }));
const fields = [{ name: 'Title', type: 'text' }];

/** The records of a time, in groups; and the cards that were refused. */
async function readWithRefused(
	{ api }: Pick<MemoryService, 'api'>,
	watched: string | null,
	from: number,
	upTo: number,
) {
	const refused: string[] = [];
	const groups: string[][] = [];
	const onRefused = ({ id, name }: { id: string; name: string }, { message }: Error) =>
		void refused.push(`${name} (${id}): ${message}`);
	for await (const group of createdBetween(api, watched, from, upTo, onRefused)) {
		groups.push(group.map(({ cardId, record }) => cardId + record.id));
	}
	return { groups, refused };
}
const read = async (...given: Parameters<typeof readWithRefused>): Promise<string[][]> =>
	(await readWithRefused(...given)).groups;

describe('the records of a time', () => {
	const two = () =>
		memoryService(cardOf(fields, rows(5)), cardOf(fields, rows(3), { id: 'c2', name: 'Films' }));

	test('begin after its start, and include its end', async () => {
		const service = two();
		const { requests } = service;
		const groups = await read(service, 'c1', FIRST + MINUTE, FIRST + 3 * MINUTE);
		expect(groups).toEqual([['c1r3', 'c1r4']]);
		expect(requests().join()).not.toContain('c2');
		expect(requests()).not.toContain('GET cards');
	});

	test('are those of every card where no card is watched', async () => {
		const groups = await read(two(), null, FIRST, FIRST + 2 * MINUTE);
		expect(groups).toEqual([['c1r2', 'c1r3', 'c2r2', 'c2r3']]);
	});

	test('are none at all rather than an empty group', async () => {
		expect(await read(two(), 'c1', FIRST + 9 * MINUTE, Infinity)).toEqual([]);
	});

	test('do not include one that does not say when it was created', async () => {
		const service = two();
		Object.assign(service.cards[0]?.records[1] ?? {}, { created_at: null });
		expect(await read(service, 'c1', -Infinity, Infinity)).toEqual([
			['c1r1', 'c1r3', 'c1r4', 'c1r5'],
		]);
	});

	test('come in groups of a thousand, as n8n looks up no more at once', async () => {
		const service = memoryService(cardOf(fields, rows(2_000)));
		const groups = await read(service, 'c1', -Infinity, Infinity);
		expect(groups.map(({ length }) => length)).toEqual([1_000, 1_000]);
		expect(groups[1]?.[0]).toBe('c1r1001');
	});

	/** Reads two cards, the first of which fails. */
	async function readPast(error: Error, watched: string | null = null) {
		const service = two();
		service.hooks.refuse = ({ path }) => {
			if (path.includes('records') && JSON.stringify(path).includes('c1')) throw error;
		};
		return await readWithRefused(service, watched, -Infinity, Infinity);
	}
	const failure = (status: number, more: Partial<Problem> = {}) =>
		new ApiFailure({ status, title: `Status ${status}`, ...more });
	const others = [['c2r1', 'c2r2', 'c2r3']];

	test.each([
		failure(404, { kind: 'card-not-found' }),
		failure(410, { kind: 'gone' }),
		failure(404, { kind: 'resource-not-found' }),
	])('do not lack those of other cards where one is gone: $problem.kind (K16)', async (error) => {
		expect(await readPast(error)).toEqual({ groups: others, refused: [] });
	});

	test.each([failure(403), failure(403, { kind: 'forbidden' })])(
		'do not lack those of other cards where one is refused with $problem (K16)',
		async (error) => {
			const refused = [`Books (c1): Status ${error.problem.status}`];
			expect(await readPast(error)).toEqual({ groups: others, refused });
		},
	);

	test('include what was read of a card before it was refused (K16)', async () => {
		const service = memoryService(
			cardOf(fields, rows(1_500)),
			cardOf(fields, rows(2), { id: 'c2' }),
		);
		service.hooks.refuse = ({ path, query = {} }) => {
			if (path.includes('records') && 'cursor' in query) throw failure(403);
		};
		const { groups, refused } = await readWithRefused(service, null, -Infinity, Infinity);
		expect(refused).toHaveLength(1);
		expect(groups.flat()).toContain('c1r1');
		expect(groups.flat().slice(-2)).toEqual(['c2r1', 'c2r2']);
	});

	test.each([
		failure(500),
		failure(408),
		failure(401),
		failure(404, { foreign: true }),
		failure(403, { foreign: true }),
		// As a gateway answers.
		failure(404),
		failure(410),
		new ApiFailure({ status: 403, title: 'Too many' }, undefined, true),
		new UnexpectedAnswer('No list', ''),
		new Unreachable('No answer', { transient: true }),
	])('are not told without a card that fails otherwise: %s (K16)', async (error) => {
		await expect(readPast(error)).rejects.toBe(error);
	});

	test.each([failure(403), failure(404, { kind: 'card-not-found' })])(
		'are not told where the one watched card fails: %s (K16)',
		async (error) => {
			await expect(readPast(error, 'c1')).rejects.toBe(error);
		},
	);
});

const candidate = (id: string, createdAt: number): Candidate => ({
	cardId: 'c1',
	createdAt,
	record: { id, data: {}, createdAt: new Date(createdAt).toISOString(), raw: {} },
});

/** A memory that has these records, and what was read of the card. */
async function search(
	stretches: Stretch[],
	records: Record<string, number>,
	{ had = [] as string[], isFull = true } = {},
) {
	const all = Object.entries(records).map(([id, at]) => candidate(id, at));
	const names = new Set(had.map((id) => keyOf(candidate(id, 0))));
	const reads: Array<[number, number]> = [];
	const known: Partial<KnownRecords> = {
		isFull: async () => isFull,
		stretches: async () => stretches,
		lookUp: async (keys) => new Set(keys.filter((key) => names.has(key))),
	};
	async function* between(after: number, upTo: number) {
		reads.push([after, upTo]);
		yield all;
	}
	const job = { from: 5, earlier: [], upTo: 300 };
	const missed = await findMissed(between, job, known as KnownRecords);
	return { missed: missed.map(({ record }) => record.id), reads };
}
const stretch = (after: number, upTo: number, cameUpTo?: number): Stretch => ({
	after,
	upTo,
	cameUpTo,
});

describe('the records that the workflow has not had', () => {
	test('are all that it does not remember, the oldest first', async () => {
		const records = { late: 200, known: 150, early: 50 };
		const { missed, reads } = await search([stretch(0, 300)], records, {
			had: ['known'],
			isFull: false,
		});
		expect(missed).toEqual(['early', 'late']);
		expect(reads).toEqual([[0, 300]]);
	});

	test('are read from the start of the first stretch, or else of the search', async () => {
		const later = [stretch(80, 100), stretch(100, 300)];
		expect((await search(later, {}, { isFull: false })).reads).toEqual([[80, 300]]);
		expect((await search([], {}, { isFull: false })).reads).toEqual([[5, 300]]);
	});

	test('are not those up to a landmark, which came although they may be forgotten', async () => {
		const records = { forgotten: 40, same: 100, missed: 101 };
		const { missed, reads } = await search([stretch(0, 300, 100)], records);
		expect(missed).toEqual(['missed']);
		expect(reads).toHaveLength(1);
	});

	test('are not those before the oldest known one, where the memory is full and has no landmark', async () => {
		const records = { newer: 120, known: 100, same: 100, forgotten: 40, alsoKnown: 110 };
		const { missed, reads } = await search([stretch(0, 300)], records, {
			had: ['known', 'alsoKnown'],
		});
		expect(missed).toEqual(['same', 'newer']);
		expect(reads).toEqual([
			[0, 300],
			[0, 300],
		]);
	});

	test('are all where the memory is full of other things', async () => {
		expect((await search([stretch(0, 300)], { one: 40, two: 100 })).missed).toEqual(['one', 'two']);
	});

	test('are told for each time without a search by its own records', async () => {
		const stretches = [stretch(0, 100), stretch(100, 200), stretch(200, 300)];
		const records = {
			a: 30,
			b: 60,
			known1: 100,
			c: 101,
			d: 149,
			known2: 150,
			e: 160,
			f: 201,
			g: 250,
		};
		const { missed } = await search(stretches, records, { had: ['known1', 'known2'] });
		expect(missed).toEqual(['e', 'f', 'g']);
	});

	test('are told by the landmark of a time, whatever else is known of it', async () => {
		const stretches = [stretch(0, 100, 50), stretch(100, 200)];
		const records = { forgotten: 40, known1: 70, between: 60, c: 110, known2: 150, e: 160 };
		const { missed } = await search(stretches, records, { had: ['known1', 'known2'] });
		expect(missed).toEqual(['between', 'e']);
	});

	test('are told by the landmark even where an older record is known', async () => {
		const stretches = [stretch(0, 100, 50), stretch(100, 200)];
		const { missed } = await search(stretches, { known: 20, a: 40 }, { had: ['known'] });
		expect(missed).toEqual([]);
	});

	test('may lie outside of every stretch of time', async () => {
		const { missed } = await search([stretch(100, 200)], { known: 50, a: 120 }, { had: ['known'] });
		expect(missed).toEqual(['a']);
	});
});
