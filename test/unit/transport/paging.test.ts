/** Which pages a listing asks for, and when. */
import * as fc from 'fast-check';
import { openListing } from '../../../nodes/WorkspaceData/transport/paging';
import { cases } from '../../support/cases';

const entriesOf = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, n) => ({ id: `e${from + n}` }));

/** A listing of so many entries in pages of 10, with what was asked for. */
function listing(
	count: number,
	options: { wanted?: number; keep?: boolean } = {},
	failAt = Infinity,
) {
	const asked: number[] = [];
	const opened = openListing(
		'The listing',
		async (cursor) => {
			const start = Number(cursor ?? 0);
			asked.push(start);
			await new Promise(setImmediate);
			if (start >= failAt) throw new Error('gone');
			const end = Math.min(start + 10, count);
			return { entries: entriesOf(start, end), nextCursor: end < count ? String(end) : null };
		},
		options,
	);
	return { opened, asked };
}
const quiet = async () => {
	for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

test('one page is on its way while another is worked on, and no more', async () => {
	const { opened, asked } = listing(50);
	for (let start = 0; start < 50; start += 5) {
		const part = await opened.part(start, 5, true);
		expect(part).toHaveLength(5);
		await quiet();
		expect(asked.length).toBe(Math.min(Math.floor(start / 10) + 2, 5));
	}
	expect(await opened.part(50, 5, true)).toEqual([]);
});

test('each page is requested once, whichever is read first, and no more than one is under way', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 60 }),
			fc.integer({ min: 1, max: 12 }),
			fc.scheduler(),
			async (count, step, s) => {
				const asked: number[] = [];
				let underWay = 0;
				let most = 0;
				const opened = openListing('The listing', async (cursor) => {
					const start = Number(cursor ?? 0);
					asked.push(start);
					underWay += 1;
					most = Math.max(most, underWay);
					const end = Math.min(start + 10, count);
					const nextCursor = end < count ? String(end) : null;
					await s.schedule(Promise.resolve(), `arrival of ${start}`);
					underWay -= 1;
					return { entries: entriesOf(start, end), nextCursor };
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
				expect(await s.waitFor(readAll())).toEqual(entriesOf(0, count));
				expect(asked).toEqual(
					Array.from({ length: Math.ceil(count / 10) }, (_, page) => page * 10),
				);
				expect(most).toBe(1);
			},
		),
		cases(300),
	);
});

describe('a listing that must be read again from the start (H10)', () => {
	/** Pages of 10, then of 5 from the page on that fails; cursors are numbers of pages. */
	function restarting(count: number, failAt: number, options: { keep?: boolean } = {}) {
		let size = 10;
		const asked: Array<string | undefined> = [];
		const opened = openListing(
			'The listing',
			async (cursor) => {
				asked.push(cursor);
				await Promise.resolve();
				const page = Number(cursor ?? 0);
				if (size === 10 && page === failAt) {
					size = 5;
					return 'restart';
				}
				const end = Math.min((page + 1) * size, count);
				return {
					entries: entriesOf(page * size, end),
					nextCursor: end < count ? String(page + 1) : null,
				};
			},
			options,
		);
		return { opened, asked };
	}
	test.each([true, false])('gives each entry once, in order (kept: %s)', async (keep) => {
		const { opened, asked } = restarting(47, 2, { keep });
		const seen: string[] = [];
		for await (const { id } of opened) seen.push(id);
		expect(seen).toEqual(entriesOf(0, 47).map(({ id }) => id));
		expect(asked.slice(0, 5)).toEqual([undefined, '1', '2', undefined, '1']);
	});
	test('after so many entries that the pages up to there bring nothing new', async () => {
		const { opened } = restarting(12_000, 1_100);
		expect(await opened.first(Infinity)).toHaveLength(12_000);
	});
});

test('nothing is asked for before it is needed', async () => {
	const { opened, asked } = listing(50);
	await opened.part(0, 10);
	await quiet();
	expect(asked).toEqual([0]);
});

test('reads no page beyond the wanted records', async () => {
	const { opened, asked } = listing(50, { wanted: 20 });
	await opened.part(0, 10, true);
	await opened.part(10, 10, true);
	await quiet();
	expect(asked).toEqual([0, 10]);
});

test('a page read ahead that fails throws when it is needed, for every reader', async () => {
	const { opened, asked } = listing(50, {}, 10);
	expect(await opened.part(0, 10, true)).toHaveLength(10);
	await quiet();
	await expect(opened.part(10, 10)).rejects.toThrow('gone');
	await expect(opened.first(30)).rejects.toThrow('gone');
	expect(asked).toEqual([0, 10]);
});

test.each([true, false])('keep: %j gives the same entries, in order', async (keep) => {
	const { opened } = listing(43, { keep });
	const seen: string[] = [];
	for await (const { id } of opened) seen.push(id);
	expect(seen).toEqual(entriesOf(0, 43).map(({ id }) => id));
	const again = listing(43, { keep });
	expect(await again.opened.find('e31')).toEqual({ id: 'e31' });
	expect(again.asked).toEqual([0, 10, 20, 30]);
	expect(await listing(43, { keep }).opened.find('none')).toBeUndefined();
});

test('a listing that keeps nothing cannot be read twice by mistake', async () => {
	const { opened } = listing(43, { keep: false });
	await opened.part(0, 10);
	await opened.part(10, 10);
	await expect(opened.part(0, 10)).rejects.toThrow('read twice');
});

test.each([true, false])(
	'a part has the entries that were asked for, and no others (kept: %s)',
	async (keep) => {
		const { opened } = listing(43, { keep });
		for (const [start, count] of [
			[0, 3],
			[3, 4],
			[7, 1],
			// On two pages, of which the second is not read yet.
			[8, 9],
			[12, 5],
		] as const) {
			// Only entries of pages that are there.
			const end = Math.min(start + count, Math.ceil((start + 1) / 10) * 10);
			expect(await opened.part(start, count)).toEqual(entriesOf(start, end));
		}
	},
);

test('entries that come twice, because the listing moved, are given once', async () => {
	for (const keep of [true, false]) {
		const pages = [entriesOf(0, 10), entriesOf(8, 15), entriesOf(0, 20)];
		const opened = openListing(
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
	}
});

describe('G5: a listing whose every page has a new cursor', () => {
	const endless = (entries: (page: number) => Array<{ id: string }>) => {
		let pages = 0;
		const opened = openListing('The listing', async () => {
			pages += 1;
			return { entries: entries(pages), nextCursor: `cursor ${pages}` };
		});
		return { opened, pages: () => pages };
	};

	test.each<[string, (page: number) => Array<{ id: string }>]>([
		['the same entries', () => entriesOf(0, 10)],
		['nothing', (page) => (page === 1 ? entriesOf(0, 10) : [])],
	])('%s: ends with a message after 500 pages without news', async (_, entries) => {
		const { opened, pages } = endless(entries);
		await expect(opened.first(Infinity)).rejects.toMatchObject({
			message: 'The listing does not end: its pages bring nothing new',
		});
		expect(pages()).toBe(501);
	});
	test.each([true, false])('a long listing is read to its end (kept: %s)', async (keep) => {
		const { opened } = listing(6_005, { keep });
		let count = 0;
		for await (const { id } of opened) expect(id).toBe(`e${count++}`);
		expect(count).toBe(6_005);
	});
	test('gaps of 400 empty pages are read', async () => {
		const { opened } = endless((page) => (page % 400 === 0 ? entriesOf(page, page + 1) : []));
		expect(await opened.first(3)).toHaveLength(3);
	});
});

test('a page that points back to an earlier one is reported at once', async () => {
	let pages = 0;
	const opened = openListing('The listing', async (cursor) => {
		pages += 1;
		const start = Number(cursor ?? 0);
		return { entries: entriesOf(start, start + 10), nextCursor: '10' };
	});
	await expect(opened.first(Infinity)).rejects.toMatchObject({
		message: 'The listing does not end: a page points back to an earlier one',
	});
	expect(pages).toBe(2);
	await expect(opened.find('e15')).resolves.toEqual({ id: 'e15' });
});

test('a listing whose pages bring something new without end is given up after 100,000 pages', async () => {
	let pages = 0;
	const opened = openListing('The listing', async () => {
		pages += 1;
		return { entries: entriesOf(pages, pages + 1), nextCursor: `cursor ${pages}` };
	});
	await expect(opened.first(Infinity)).rejects.toThrow('The listing does not end');
	expect(pages).toBe(100_001);
});
