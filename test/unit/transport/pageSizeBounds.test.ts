/** When a page size counts as refused, which one is tried next, and what is remembered. */
import { ApiFailure } from '../../../nodes/WorkspaceData/transport/failure/failures';
import { PageSize, recordsWithin } from '../../../nodes/WorkspaceData/transport/pageSize';
import { createTestClock } from '../../support/clock';

const refusal = (status: number, title = 'Invalid') => new ApiFailure({ status, title });
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

test.each<[number, Parameters<typeof refusal>, number | undefined]>([
	[1_000, [400, 'limit must be at most 300'], 300],
	[1_000, [403, 'The limit is between 1 and 200, not 1000'], 200],
	[300, [400, 'limit must be at most 300'], 150],
	[100, [422], 50],
	[101, [400], 50],
	[99, [400], undefined],
	[1_000, [500], 10],
	[10, [403, 'Limit'], undefined],
])('after %d, refused with %j: %s', (size, refused, smaller) => {
	expect(new PageSize(createTestClock()).smallerAfter(refusal(...refused), size)).toEqual({
		size: smaller,
	});
});

describe('what is learned', () => {
	test('holds until something smaller is learned', () => {
		const size = new PageSize(createTestClock());
		expect(size.most).toBe(1_000);
		size.learned(1_000, 200, true);
		size.learned(500, 250, true);
		expect(size.most).toBe(200);
		size.learned(200, undefined, true);
		size.learned(1_000, 500, true);
		expect(size.most).toBeUndefined();
	});

	test('from a doubtful refusal counts with the second one, within the same hour', () => {
		const clock = createTestClock();
		const size = new PageSize(clock);
		expect(size.most).toBe(1_000);
		size.learned(1_000, 200, false);
		expect(size.most).toBe(1_000);
		clock.pass(HOUR);
		expect(size.most).toBe(1_000);
		size.learned(1_000, 200, false);
		expect(size.most).toBe(1_000);
		size.learned(1_000, 200, false);
		expect(size.most).toBe(200);
	});

	test('is forgotten after an hour, with the accepted sizes', () => {
		const clock = createTestClock();
		const size = new PageSize(clock);
		expect(size.most).toBe(1_000);
		size.accepted(1_000);
		size.learned(1_000, 300, true);
		expect([size.most, size.smallerAfter(refusal(400), 1_000)]).toEqual([300, undefined]);
		clock.pass(HOUR);
		expect(size.most).toBe(1_000);
		expect(size.smallerAfter(refusal(400), 1_000)).toBeDefined();
	});
});

describe('how many records fit into a page', () => {
	/** Records whose JSON has so many bytes. */
	const sized = (...bytes: number[]) =>
		bytes.map((size) => ({ raw: { t: 'x'.repeat(size - '{"t":""}'.length) } }));

	test('as many as 8 MB hold, whatever the number of those that are measured', () => {
		expect(recordsWithin(sized(10_000))).toBe(800);
		expect(recordsWithin(sized(10_000, 30_000))).toBe(400);
		expect(recordsWithin(sized(...new Array<number>(13).fill(10_000)))).toBe(800);
	});

	test('five from all parts of the page are measured', () => {
		const [small, large] = [10_000, 500_000];
		const everyOther = Array.from({ length: 14 }, (_, n) =>
			n % 2 === 0 && n < 10 ? small : large,
		);
		expect(recordsWithin(sized(...everyOther))).toBe(800);
		const last = [small, small, small, small, large];
		expect(recordsWithin(sized(...last))).toBe(Math.floor((8_000_000 * 5) / 540_000));
	});
});
