/** Which pages a listing asks for, in which size and when: each once, all of them, and never without an end. */
import * as fc from 'fast-check';
import type { Session } from '../../../nodes/WorkspaceData/transport/session';
import { ApiFailure, Unreachable } from '../../../nodes/WorkspaceData/transport/failure/failures';
import { Listing } from '../../../nodes/WorkspaceData/transport/paging';
import {
	getRecordPage,
	openRecordListing,
} from '../../../nodes/WorkspaceData/transport/recordListing';
import { PageSize } from '../../../nodes/WorkspaceData/transport/pageSize';
import { systemClock } from '../../../nodes/WorkspaceData/transport/http/clock';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';
import { cases } from '../../support/cases';

const entriesOf = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, n) => ({ id: `e${from + n}` }));

/** Pages of 10 entries, and the positions that were asked for. @param arrive is awaited before a page comes */
function tens(count: number, options = {}, arrive: (start: number) => unknown = () => {}) {
	const asked: number[] = [];
	const opened = new Listing(
		'The listing',
		async (cursor) => {
			const start = Number(cursor ?? 0);
			asked.push(start);
			await arrive(start);
			const end = Math.min(start + 10, count);
			return { entries: entriesOf(start, end), nextCursor: end < count ? String(end) : null };
		},
		options,
	);
	return { opened, asked };
}

test('each page is requested once, the next one while its predecessor is worked on, whoever reads first', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 60 }),
			fc.integer({ min: 1, max: 12 }),
			fc.scheduler(),
			async (count, step, s) => {
				let underWay = 0;
				let most = 0;
				const { opened, asked } = tens(count, {}, async (start) => {
					most = Math.max(most, (underWay += 1));
					await s.schedule(Promise.resolve(), `arrival of ${start}`);
					underWay -= 1;
				});
				const readAll = async () => {
					const seen: Array<{ id: string }> = [];
					for (;;) {
						const part = await opened.part(seen.length, step, true);
						if (part.length === 0) return seen;
						seen.push(...part);
						await s.schedule(Promise.resolve(), `work until ${seen.length}`);
					}
				};
				expect(await s.waitFor(Promise.all([readAll(), readAll()]))).toEqual([
					entriesOf(0, count),
					entriesOf(0, count),
				]);
				expect(asked).toEqual(
					Array.from({ length: Math.ceil(count / 10) }, (_, page) => page * 10),
				);
				expect(most).toBe(1);
			},
		),
		cases(150),
	);
});

test('no page is read beyond the wanted records, nor before it is needed', async () => {
	const { opened, asked } = tens(50, { wanted: 20 });
	await opened.part(0, 10);
	expect(asked).toEqual([0]);
	await opened.part(10, 10, true);
	expect(asked).toEqual([0, 10]);
	expect(await opened.find('e31')).toEqual({ id: 'e31' });
	expect(asked).toEqual([0, 10, 20, 30]);
});

test('a page read ahead that fails throws when it is needed, for every reader', async () => {
	const { opened, asked } = tens(50, {}, (start) => {
		if (start === 10) throw new Error('gone');
	});
	expect(await opened.part(0, 10, true)).toHaveLength(10);
	await expect(opened.part(10, 10)).rejects.toThrow('gone');
	await expect(opened.first(30)).rejects.toThrow('gone');
	expect(asked).toEqual([0, 10]);
});

test.each([true, false])('kept: %j, entries that come again are given once', async (keep) => {
	const pages = [entriesOf(0, 10), entriesOf(8, 15), entriesOf(0, 20)];
	const opened = new Listing(
		'The listing',
		async (cursor) => {
			const place = Number(cursor ?? 0);
			return { entries: pages[place] ?? [], nextCursor: place < 2 ? String(place + 1) : null };
		},
		{ keep },
	);
	const seen: string[] = [];
	for await (const { id } of opened) seen.push(id);
	expect(seen).toEqual(entriesOf(0, 20).map(({ id }) => id));
	expect(opened.hasShifted).toBe(true);
});

describe('a listing whose every page has a new cursor', () => {
	const endless = (entries: (page: number) => Array<{ id: string }>) => {
		let pages = 0;
		const opened = new Listing('The listing', async () => {
			pages += 1;
			return { entries: entries(pages), nextCursor: `cursor ${pages}` };
		});
		return { opened, pages: () => pages };
	};
	test.each<[string, (page: number) => Array<{ id: string }>, number]>([
		['the same entries', () => entriesOf(0, 10), 501],
		['nothing', (page) => (page === 1 ? entriesOf(0, 10) : []), 501],
		['something new without end', (page) => entriesOf(page, page + 1), 100_001],
	])('%s: ends with a message', async (_, entries, most) => {
		const { opened, pages } = endless(entries);
		await expect(opened.first(Infinity)).rejects.toThrow("The listing doesn't end");
		expect(pages()).toBe(most);
	});
	test('gaps of 400 empty pages are read', async () => {
		const { opened } = endless((page) => (page % 400 === 0 ? entriesOf(page, page + 1) : []));
		expect(await opened.first(3)).toHaveLength(3);
	});
});

/**
 * A service whose cursor is the number of a page: what it means depends on the size of the pages.
 *
 * @param count of its records
 * @param decide how many records a page has, or why it is refused
 */
function service(count: number, decide: (limit: number, start: number) => number | Error) {
	const limits: number[] = [];
	const request = async ({ query }: ApiRequest) => {
		const limit = Number(query?.limit);
		limits.push(limit);
		const page = Number(query?.cursor ?? 0);
		const given = await Promise.resolve(decide(limit, page * limit));
		if (given instanceof Error) throw given;
		const end = Math.min((page + 1) * given, count);
		const records = entriesOf(page * given, end).map((entry) => ({ ...entry, data: {} }));
		return {
			status: 200,
			headers: {},
			body: { records, next_cursor: end < count ? String(page + 1) : null },
		};
	};
	const session = { pace: { pageSize: new PageSize(systemClock) }, request };
	const read = async (wanted = Infinity) => {
		const listing = openRecordListing(session as unknown as Session, 'c1', wanted);
		return (await listing.first(wanted)).map(({ id }) => id);
	};
	const readPage = async (limit: number) =>
		await getRecordPage(session as unknown as Session, 'c1', undefined, limit);
	return { limits, read, readPage };
}
const ids = (count: number) => entriesOf(0, count).map(({ id }) => id);
const refusal = (status: number, title = 'No') => new ApiFailure({ status, title });
const upTo = (most: number, error: Error) => (limit: number) => (limit > most ? error : limit);
const late = new Unreachable('late', { transient: true, httpCode: 'ECONNABORTED' });
const tooLarge = new Unreachable('too large', { transient: false, tooLarge: true });
const HALVED = [1_000, 500, 250, 125, 62, 31, 15, 10];

describe('the size of pages', () => {
	test.each<[string, Error, number, number[]]>([
		['named by the refusal', refusal(400, 'limit must be at most 250'), 250, [1_000, 250]],
		['named without a maximum', refusal(403, 'Limit too large'), 300, [1_000, 500, 250]],
		['too large for the time-out', late, 200, [1_000, 500, 250, 125]],
		['too large to be read', tooLarge, 200, [1_000, 125]],
		...[400, 403, 404, 406, 409, 414, 416, 422, 500, 501].map(
			(status): [string, Error, number, number[]] => [
				`refused with ${status}, for whatever reason`,
				refusal(status),
				999,
				[1_000, 10],
			],
		),
	])('%s: smaller ones are asked for', async (_, error, most, sizes) => {
		const { read, limits } = service(15, upTo(most, error));
		expect(await read()).toEqual(ids(15));
		expect([...new Set(limits)]).toEqual(sizes);
	});

	test.each<[string, Error, number[]]>([
		['the credential', refusal(401, 'limit'), [1_000]],
		['the rate', refusal(429, 'limit'), [1_000]],
		['the card', new ApiFailure({ status: 404, title: '', kind: 'card-not-found' }), [1_000]],
		['the connection', new Unreachable('lost', { transient: true }), [1_000]],
		['anything', refusal(500), [1_000, 10]],
		['every size', tooLarge, [1_000, 125, 15, 1]],
		['the time', late, HALVED],
	])('a failure for %s is told', async (_, error, sizes) => {
		const { read, limits } = service(60, () => error);
		await expect(read()).rejects.toBe(error);
		expect(limits).toEqual(sizes);
	});

	test.each<[number, number[]]>([
		[20, [100, 50, 25, 12]],
		[10, [100, 50, 25, 12, 10]],
	])('of a single page is halved until it fits into %d', async (most, sizes) => {
		const { readPage, limits } = service(15, upTo(most, refusal(400, 'Limit too large')));
		expect((await readPage(100)).records).toHaveLength(sizes.at(-1) ?? 0);
		expect(limits).toEqual(sizes);
	});

	test('a refusal after a page of that size has another reason', async () => {
		const { read, limits } = service(5_000, (limit, start) =>
			start > 1_000 ? refusal(400) : limit,
		);
		await expect(read()).rejects.toMatchObject({ problem: { status: 400 } });
		expect(limits).toEqual([1_000, 1_000, 1_000]);
	});

	test('named, it is remembered; else from the second time on, as the reason may have passed', async () => {
		const named = service(15, upTo(250, refusal(400, 'limit must be at most 250')));
		for (let n = 0; n < 2; n += 1) expect(await named.read()).toEqual(ids(15));
		expect(named.limits).toEqual([1_000, 250, 250]);
		const unnamed = service(15, upTo(13, refusal(422)));
		for (let n = 0; n < 3; n += 1) expect(await unnamed.read()).toEqual(ids(15));
		expect(unnamed.limits).toEqual([1_000, 10, 10, 1_000, 10, 10, 10, 10]);
		const slow = service(15, upTo(200, late));
		for (let n = 0; n < 3; n += 1) expect(await slow.read()).toEqual(ids(15));
		expect(slow.limits).toEqual([1_000, 500, 250, 125, 1_000, 500, 250, 125, 125]);
	});

	test('is the same for all pages, as a cursor may depend on it, and never grows', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 2_500 }),
				fc.integer({ min: 1, max: 2_500 }),
				fc.integer({ min: 1, max: 1_200 }),
				fc.constantFrom(tooLarge, late, refusal(400, 'limit')),
				async (wanted, from, most, error) => {
					// From a record on, pages of so many records are too large.
					const { read, limits } = service(2_500, (limit, start) =>
						limit > Math.max(most, 10) && start + limit > from ? error : limit,
					);
					expect(await read(wanted)).toEqual(ids(wanted));
					expect(limits).toEqual([...limits].sort((a, b) => b - a));
				},
			),
			cases(20),
		);
	});
});
