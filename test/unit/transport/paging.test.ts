/** Which pages a listing asks for, and when. */
import * as fc from 'fast-check';
import { openListing } from '../../../nodes/WorkspaceData/transport/paging';

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

describe('a page that announces the next one before it is worked on', () => {
	/** As `listing`, but each page announces a cursor, and arrives when it is told to. */
	function announcing(
		count: number,
		{
			wanted,
			announced = (next) => next,
		}: {
			wanted?: number;
			announced?: (next: string) => string;
		} = {},
	) {
		const asked: string[] = [];
		const arrivals: Array<() => void> = [];
		const told: boolean[] = [];
		const opened = openListing(
			'The listing',
			async (cursor, _, announce) => {
				asked.push(cursor ?? 'first');
				const start = Number(cursor ?? 0);
				const end = Math.min(start + 10, count);
				const nextCursor = end < count ? String(end) : null;
				await new Promise<void>((arrive) => arrivals.push(arrive));
				if (nextCursor) told.push(announce(announced(nextCursor)));
				await quiet();
				return { entries: entriesOf(start, end), nextCursor };
			},
			{ ...(wanted && { wanted }) },
		);
		const arrive = async () => {
			arrivals.shift()?.();
			await quiet();
			await quiet();
		};
		return { opened, asked, told, arrive };
	}

	test('has it requested at once, and not again', async () => {
		const { opened, asked, arrive } = announcing(25);
		const first = opened.part(0, 10, true);
		await arrive();
		expect(await first).toEqual(entriesOf(0, 10));
		expect(asked).toEqual(['first', '10']);
		const second = opened.part(10, 10, true);
		await arrive();
		expect(await second).toEqual(entriesOf(10, 20));
		expect(asked).toEqual(['first', '10', '20']);
		const last = opened.part(20, 10, true);
		await arrive();
		expect(await last).toEqual(entriesOf(20, 25));
		expect(await opened.part(25, 10, true)).toEqual([]);
		expect(asked).toEqual(['first', '10', '20']);
	});

	test('has it requested before its own entries are there', async () => {
		const { opened, asked, arrive } = announcing(25);
		let isThere = false;
		const first = opened.part(0, 10, true).then(() => (isThere = true));
		const arrival = arrive();
		await new Promise(setImmediate);
		expect({ isThere, asked }).toEqual({ isThere: false, asked: ['first', '10'] });
		await Promise.all([first, arrival]);
	});

	test('that nobody waits for is one page ahead already', async () => {
		const { opened, asked, told, arrive } = announcing(45);
		const first = opened.part(0, 10, true);
		await arrive();
		await first;
		// The second page arrives while the first is worked on.
		await arrive();
		expect(asked).toEqual(['first', '10']);
		expect(told).toEqual([true, false]);
		expect(await opened.part(10, 10, true)).toEqual(entriesOf(10, 20));
		await quiet();
		expect(asked).toEqual(['first', '10', '20']);
	});

	test.each<[string, { wanted?: number }, boolean]>([
		['of which not all is wanted', { wanted: 20 }, true],
		['whose reader may stop', {}, false],
	])('of a listing %s: nothing is requested early', async (_, options, ahead) => {
		const { opened, told, arrive } = announcing(45, options);
		void opened.part(0, 10, ahead);
		await arrive();
		expect(told).toEqual([false]);
	});

	test('and then names a different one: the announced page is ignored', async () => {
		const { opened, asked, arrive } = announcing(25, { announced: (next) => `${next}.0` });
		const first = opened.part(0, 10, true);
		await arrive();
		expect(await first).toEqual(entriesOf(0, 10));
		expect(asked).toEqual(['first', '10.0', '10']);
		await arrive();
		await arrive();
		expect(await opened.part(10, 10, true)).toEqual(entriesOf(10, 20));
	});

	test('that points back requests nothing', async () => {
		const { opened, told, arrive } = announcing(45, { announced: () => '10' });
		const first = opened.part(0, 10, true);
		await arrive();
		await first;
		const second = opened.part(10, 10, true);
		await arrive();
		await second;
		expect(told).toEqual([true, false]);
	});

	test('each page is requested once, whichever is read first, and no more than two are under way', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 60 }),
				fc.integer({ min: 1, max: 12 }),
				fc.scheduler(),
				async (count, step, s) => {
					const asked: number[] = [];
					let underWay = 0;
					let most = 0;
					const opened = openListing('The listing', async (cursor, _, announce) => {
						const start = Number(cursor ?? 0);
						asked.push(start);
						underWay += 1;
						most = Math.max(most, underWay);
						const end = Math.min(start + 10, count);
						const nextCursor = end < count ? String(end) : null;
						await s.schedule(Promise.resolve(), `arrival of ${start}`);
						if (nextCursor) announce(nextCursor);
						await s.schedule(Promise.resolve(), `parsing of ${start}`);
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
					expect(most).toBeLessThanOrEqual(2);
				},
			),
			{ numRuns: 500 },
		);
	});

	test('which fails: every reader learns it, after the entries before it', async () => {
		const asked: Array<string | undefined> = [];
		const opened = openListing('The listing', async (cursor, _, announce) => {
			asked.push(cursor);
			await new Promise(setImmediate);
			if (cursor) throw new Error('gone');
			announce('10');
			await quiet();
			return { entries: entriesOf(0, 10), nextCursor: '10' };
		});
		expect(await opened.part(0, 10, true)).toHaveLength(10);
		await expect(opened.part(10, 10)).rejects.toThrow('gone');
		await expect(opened.first(30)).rejects.toThrow('gone');
		expect(asked).toEqual([undefined, '10']);
	});
});

test('without it, nothing is asked for before it is needed', async () => {
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
