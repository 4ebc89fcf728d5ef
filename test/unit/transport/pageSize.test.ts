/** How large the pages are that a service is asked for, whatever it answers. */
import type { Session } from '../../../nodes/WorkspaceData/transport/session';
import { ApiFailure, Unreachable } from '../../../nodes/WorkspaceData/transport/failure/failures';
import { PageSize } from '../../../nodes/WorkspaceData/transport/pageSize';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';
import { openRecordListing } from '../../../nodes/WorkspaceData/transport/recordListing';
import { createTestClock } from '../../support/clock';

const refusal = (status: number, title = 'Bad request') =>
	new ApiFailure({ status, title, kind: undefined, detail: undefined } as never);

let services = 0;

/** A service of so many records that decides about a limit. */
function service(count: number, decide: (limit: number | undefined) => number | Error) {
	const limits: Array<number | undefined> = [];
	const request = async ({ query }: ApiRequest) => {
		await Promise.resolve();
		const limit = query?.limit as number | undefined;
		limits.push(limit);
		const given = decide(limit);
		if (given instanceof Error) throw given;
		const start = Number(query?.cursor ?? 0);
		const end = Math.min(start + given, count);
		const records = Array.from({ length: end - start }, (_, n) => ({
			id: `r${start + n}`,
			data: {},
		}));
		return {
			status: 200,
			headers: {},
			body: { records, next_cursor: end < count ? String(end) : null },
		};
	};
	// The accepted size is remembered for each service.
	const session = {
		baseUrl: `https://s${(services += 1)}.example/api/v1`,
		request,
	} as unknown as Session;
	const read = async (wanted = Infinity) =>
		(await openRecordListing(session, 'c1', wanted).first(wanted)).map(({ id }) => id);
	return { limits, read };
}
const ids = (count: number) => Array.from({ length: count }, (_, n) => `r${n}`);
const upTo = (most: number, error: Error) => (limit: number | undefined) =>
	limit !== undefined && limit > most ? error : (limit ?? 20);

test('a service that gives 1,000: no other request than the pages', async () => {
	const { read, limits } = service(2_500, (limit) => limit ?? 20);
	expect(await read()).toEqual(ids(2_500));
	expect(limits).toEqual([1_000, 1_000, 1_000]);
});

test('a limit asks for no more than it needs', async () => {
	const { read, limits } = service(2_500, (limit) => limit ?? 20);
	expect(await read(50)).toEqual(ids(50));
	expect(await read(1_020)).toEqual(ids(1_020));
	// Pages of one size, as the size of a page may be part of what a cursor means.
	expect(limits).toEqual([50, 510, 510]);
});

test.each([400, 403, 422])(
	'refused with %d: the maximum that the answer names, remembered',
	async (status) => {
		const error = refusal(status, 'limit must be at most 250');
		const { read, limits } = service(600, upTo(250, error));
		expect(await read()).toEqual(ids(600));
		expect(await read()).toEqual(ids(600));
		expect(limits).toEqual([1_000, 250, 250, 250, 250, 250, 250]);
	},
);

test.each(['Unknown parameter: limit', 'limit must be at most 5000'])(
	'refused, and the answer names no smaller maximum (%j): halved, and at last the service chooses',
	async (title) => {
		const { read, limits } = service(60, (limit) => (limit ? refusal(400, title) : 20));
		expect(await read()).toEqual(ids(60));
		const halved = [1_000, 500, 250, 125, 62, 31, 15, 10];
		expect(limits).toEqual([...halved, undefined, undefined, undefined]);
		limits.length = 0;
		expect(await read(5)).toEqual(ids(5));
		expect(limits).toEqual([undefined]);
	},
);

test.each([401, 429])('refused with %d: that is the answer', async (status) => {
	const { read, limits } = service(60, () => refusal(status, 'No limit'));
	await expect(read()).rejects.toMatchObject({ problem: { status } });
	expect(limits).toEqual([1_000]);
});

test.each([200, 400, 403, 404, 406, 409, 414, 416, 422, 500, 501])(
	'refused with %d: ten are tried once (O11)',
	async (status) => {
		const { read, limits } = service(60, () => refusal(status, 'No'));
		await expect(read()).rejects.toMatchObject({ problem: { status } });
		expect(limits).toEqual([1_000, 10]);
	},
);

test('refused for another reason after a page of that size: that is the answer', async () => {
	let pages = 0;
	const { read, limits } = service(5_000, (limit) =>
		(pages += 1) > 2 ? refusal(400, 'Cursor expired') : (limit ?? 20),
	);
	await expect(read()).rejects.toMatchObject({ problem: { status: 400 } });
	expect(limits).toEqual([1_000, 1_000, 1_000]);
});

test.each<[string, (limit: number | undefined) => number]>([
	['fewer than asked for', () => 7],
	['at most 100, silently', (limit) => Math.min(limit ?? 20, 100)],
	['more than asked for', (limit) => (limit ?? 20) + 3],
])('%s: all come, none twice', async (_, decide) => {
	const { read } = service(700, decide);
	expect(await read()).toEqual(ids(700));
	expect(await read(33)).toEqual(ids(33));
});

describe('a refusal with 400 that does not name the size may have a passing reason (H23)', () => {
	const passing = (times: number) => {
		let refusals = 0;
		return (limit: number | undefined) =>
			(refusals += 1) <= times ? refusal(400, 'Something is wrong') : (limit ?? 20);
	};
	test.each([1, 2])('%d times: later listings are read in large pages', async (times) => {
		const { read, limits } = service(60, passing(times));
		await read().catch(() => undefined);
		limits.length = 0;
		expect(await read()).toEqual(ids(60));
		expect(limits[0]).toBe(1_000);
	});
	test('seen twice, it is remembered', async () => {
		const { read, limits } = service(15, upTo(13, refusal(422, 'Invalid')));
		for (let n = 0; n < 3; n += 1) expect(await read()).toEqual(ids(15));
		expect(limits).toEqual([1_000, 10, 10, 1_000, 10, 10, 10, 10]);
	});
});

describe('H10: what a cursor means depends on the size of the pages', () => {
	/** A service whose cursor is the number of a page, or holds the size as well. */
	function numbered(sizes: readonly number[], withSize: boolean) {
		const limits: number[] = [];
		const texts = new Map([...new Set(sizes)].map((bytes) => [bytes, 'x'.repeat(bytes)]));
		const all = sizes.map((bytes, n) => ({ id: `r${n}`, data: { text: texts.get(bytes) } }));
		const request = async ({ query }: ApiRequest) => {
			await Promise.resolve();
			const [page = 0, size] = String(query?.cursor ?? '0')
				.split('x')
				.map(Number);
			const limit = (withSize && size) || Number(query?.limit ?? 20);
			limits.push(Number(query?.limit));
			const start = page * limit;
			const records = all.slice(start, start + limit);
			const bytes = sizes.slice(start, start + limit).reduce((sum, size) => sum + size, 0);
			if (bytes > 64_000_000) {
				throw new Unreachable('too large', { transient: false, tooLarge: true });
			}
			const more = start + limit < all.length;
			const next = withSize ? `${page + 1}x${limit}` : String(page + 1);
			return { status: 200, headers: {}, body: { records, next_cursor: more ? next : null } };
		};
		const session = { baseUrl: `https://n${(services += 1)}.example/api/v1`, request };
		const read = async (wanted = Infinity) =>
			(await openRecordListing(session as unknown as Session, 'c1', wanted).first(wanted)).length;
		return { read, limits };
	}
	const sizes = (...parts: Array<[count: number, bytes: number]>) =>
		parts.flatMap(([count, bytes]) => new Array<number>(count).fill(bytes));

	test.each<[string, number[], boolean]>([
		['large records, then small ones', sizes([600, 40_000], [3_400, 10]), false],
		['large records, then small ones', sizes([600, 40_000], [3_400, 10]), true],
		['small records, then large ones', sizes([2_000, 10], [300, 30_000], [700, 10]), false],
		['records of which a page is too large to be read', sizes([2_000, 10], [900, 90_000]), false],
		['the same, the size is part of the cursor', sizes([2_000, 10], [900, 90_000]), true],
	])('%s: all are read, and the size never grows', async (_, bytes, withSize) => {
		const { read, limits } = numbered(bytes, withSize);
		expect(await read()).toBe(bytes.length);
		for (const [place, limit] of limits.entries()) {
			if (place > 0) expect(limit).toBeLessThanOrEqual(limits[place - 1] ?? 0);
		}
	});

	test.each([999, 1_001, 1_500, 2_600])('the first %d of 4,000: each once', async (wanted) => {
		const { read, limits } = numbered(sizes([4_000, 10]), false);
		expect(await read(wanted)).toBe(wanted);
		expect(new Set(limits).size).toBe(1);
	});
});

const HOUR = 3_600_000;

describe('a refusal', () => {
	test.each([400, 403, 500])(
		'with %d of more than ten records may be for their number',
		(status) => {
			const size = new PageSize(createTestClock());
			expect(size.smallerAfter(refusal(status), 11)).toBeDefined();
			expect(size.smallerAfter(refusal(status), 10)).toBeUndefined();
		},
	);

	test('of a size that was accepted before has another reason', () => {
		const size = new PageSize(createTestClock());
		size.accepted(500);
		size.accepted(200);
		expect(size.smallerAfter(refusal(400), 500)).toBeUndefined();
		expect(size.smallerAfter(refusal(400), 501)).toBeDefined();
	});

	test('that speaks of the cursor is not for the size', () => {
		const size = new PageSize(createTestClock());
		expect(size.smallerAfter(refusal(400, 'Invalid Cursor'), 1_000)).toBeUndefined();
	});

	test('that names the size, or says that the answer is too large, is for any size', () => {
		const size = new PageSize(createTestClock());
		size.accepted(500);
		expect(size.smallerAfter(refusal(400, 'Limit'), 1)).toBeDefined();
		expect(size.smallerAfter(refusal(413), 1)).toBeDefined();
	});

	test('of the credential, the rate or a thing that is gone is not for the size', () => {
		const size = new PageSize(createTestClock());
		const gone = new ApiFailure({ status: 404, title: 'Gone', kind: 'card-not-found' });
		for (const refused of [refusal(401), refusal(429), gone]) {
			expect(size.smallerAfter(refused, 1_000)).toBeUndefined();
		}
		expect(size.smallerAfter(new Error('Limit'), 1_000)).toBeUndefined();
	});
});

test.each<[number, [number, string?], number | undefined]>([
	[1_000, [400, 'limit must be at most 300'], 300],
	[1_000, [403, 'The limit is between 1 and 200, not 1000'], 200],
	[300, [400, 'limit must be at most 300'], 150],
	[100, [422], 10],
	[1_000, [500], 10],
	[10, [403, 'Limit'], undefined],
])('after %d, refused with %j: %s', (size, refused, smaller) => {
	expect(new PageSize(createTestClock()).smallerAfter(refusal(...refused), size)).toEqual({
		size: smaller,
	});
});

describe('what is learned', () => {
	const certain = (size: number) => ({ size, isCertain: true });
	const doubtful = { size: 1_000, isCertain: false };

	test('holds until something smaller is learned', () => {
		const size = new PageSize(createTestClock());
		expect(size.most).toBe(1_000);
		size.accepted(200, certain(1_000));
		size.accepted(250, certain(500));
		expect(size.most).toBe(200);
		size.accepted(undefined, certain(200));
		size.accepted(500, certain(1_000));
		expect(size.most).toBeUndefined();
	});

	test('from a doubtful refusal counts with the second one, within the same hour', () => {
		const clock = createTestClock();
		const size = new PageSize(clock);
		expect(size.most).toBe(1_000);
		size.accepted(200, doubtful);
		expect(size.most).toBe(1_000);
		clock.pass(HOUR);
		expect(size.most).toBe(1_000);
		size.accepted(200, doubtful);
		expect(size.most).toBe(1_000);
		size.accepted(200, doubtful);
		expect(size.most).toBe(200);
	});

	test('is forgotten after an hour, with the accepted sizes', () => {
		const clock = createTestClock();
		const size = new PageSize(clock);
		expect(size.most).toBe(1_000);
		size.accepted(1_000);
		size.accepted(300, certain(1_000));
		expect([size.most, size.smallerAfter(refusal(400), 1_000)]).toEqual([300, undefined]);
		clock.pass(HOUR);
		expect(size.most).toBe(1_000);
		expect(size.smallerAfter(refusal(400), 1_000)).toBeDefined();
	});
});
