/** Which pages a listing asks for, in which size and when: each once, all of them, and never without an end. */
import * as fc from 'fast-check';
import type { Session } from '../../../nodes/WorkspaceData/transport/session';
import {
	ApiFailure,
	Unreachable,
} from '../../../nodes/WorkspaceData/transport/failure/failureKinds';
import { Listing } from '../../../nodes/WorkspaceData/transport/paging';
import {
	getRecordPage,
	openRecordListing,
} from '../../../nodes/WorkspaceData/transport/recordListing';
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
		const asked: unknown[] = [];
		const opened = new Listing('The listing', async (cursor) => {
			const page = asked.push(cursor);
			return { entries: entries(page), nextCursor: `cursor ${page}` };
		});
		return { opened, asked };
	};
	test.each<[string, (page: number) => Array<{ id: string }>, number]>([
		['the same entries', () => entriesOf(0, 10), 501],
		['nothing', (page) => (page === 1 ? entriesOf(0, 10) : []), 501],
		['something new without end', (page) => entriesOf(page, page + 1), 100_001],
	])('%s: ends with a message', async (_, entries, most) => {
		const { opened, asked } = endless(entries);
		await expect(opened.first(Infinity)).rejects.toThrow("The listing doesn't end");
		expect(asked).toHaveLength(most);
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
 * @param refuse why a page of a limit is refused, if it is
 */
function service(count: number, refuse: (limit: number, page: number) => Error | undefined) {
	const limits: Array<number | undefined> = [];
	const request = async ({ query }: ApiRequest) => {
		const limit = query?.limit === undefined ? undefined : Number(query.limit);
		limits.push(limit);
		const page = Number(query?.cursor ?? 0);
		const refused = await Promise.resolve(refuse(limit ?? OWN_SIZE, page));
		if (refused) throw refused;
		const size = limit ?? OWN_SIZE;
		const end = Math.min((page + 1) * size, count);
		const records = entriesOf(page * size, end).map((entry) => ({ ...entry, data: {} }));
		return {
			status: 200,
			headers: {},
			body: { records, next_cursor: end < count ? String(page + 1) : null },
		};
	};
	const session = { key: { omitsLimit: false }, request } as unknown as Session;
	const read = async (wanted = Infinity) => {
		const listing = openRecordListing(session, 'c1', wanted);
		return (await listing.first(wanted)).map(({ id }) => id);
	};
	const readPage = async (limit: number) => await getRecordPage(session, 'c1', { limit });
	return { limits, read, readPage };
}
/** The size of pages without a limit. */
const OWN_SIZE = 20;
const ids = (count: number) => entriesOf(0, count).map(({ id }) => id);
const refusal = (status: number, title = 'The limit is 100') => new ApiFailure({ status, title });
const upTo = (most: number, error: Error) => (limit: number) => (limit > most ? error : undefined);
const late = new Unreachable('late', { transient: true, httpCode: 'ETIMEDOUT' });
const tooLarge = new Unreachable('too large', { transient: false, tooLarge: true });

describe('the size of pages', () => {
	test.each<[number, Array<number | undefined>]>([
		[Infinity, [1_000, 1_000, 1_000]],
		[2_500, [834, 834, 834]],
		[1_000, [1_000]],
		[7, [7]],
	])('for %d records: as few pages as possible, of the same size', async (wanted, limits) => {
		const one = service(2_500, () => undefined);
		await one.read(wanted);
		expect(one.limits).toEqual(limits);
	});

	test.each<[string, Error]>([
		...[400, 413, 422, 502, 504].map((status): [string, Error] => [`${status}`, refusal(status)]),
		['a page that is too large to be read', tooLarge],
		['no response in time', late],
	])('%s: once without a limit, which is remembered if it works', async (_, error) => {
		const one = service(45, upTo(OWN_SIZE, error));
		expect(await one.read()).toEqual(ids(45));
		expect(one.limits).toEqual([1_000, undefined, undefined, undefined]);
		expect(await one.read(25)).toEqual(ids(25));
		expect(one.limits.slice(4)).toEqual([undefined, undefined]);
	});

	test.each<[string, Error]>([
		...[401, 409, 429, 500, 503].map((status): [string, Error] => [`${status}`, refusal(status)]),
		['a lost connection', new Unreachable('lost', { transient: true })],
	])('%s has another reason', async (_, error) => {
		const one = service(45, upTo(OWN_SIZE, error));
		await expect(one.read()).rejects.toBe(error);
		expect(one.limits).toEqual([1_000]);
	});

	test('without a limit it fails as well: the first failure is told, and nothing is remembered', async () => {
		const first = refusal(400, 'first');
		const one = service(45, (limit) => (limit === OWN_SIZE ? refusal(500, 'second') : first));
		for (let n = 0; n < 2; n += 1) await expect(one.read()).rejects.toBe(first);
		expect(one.limits).toEqual([1_000, undefined, 1_000, undefined]);
	});

	test('a later page has another reason', async () => {
		const one = service(5_000, (_, page) => (page === 2 ? refusal(400) : undefined));
		await expect(one.read()).rejects.toMatchObject({ problem: { status: 400 } });
		expect(one.limits).toEqual([1_000, 1_000, 1_000]);
	});

	test('of a single page is never dropped', async () => {
		const one = service(45, upTo(OWN_SIZE, refusal(400)));
		await expect(one.readPage(100)).rejects.toMatchObject({ problem: { status: 400 } });
		expect((await one.readPage(15)).records).toHaveLength(15);
		expect(await one.read()).toEqual(ids(45));
		await expect(one.readPage(100)).rejects.toMatchObject({ problem: { status: 400 } });
		expect(one.limits.filter((limit) => limit !== undefined)).toEqual([100, 15, 1_000, 100]);
	});
});
