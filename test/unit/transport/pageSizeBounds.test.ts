/** When a page size counts as refused, which one is tried next, and what is remembered. */
import { ApiFailure } from '../../../nodes/WorkspaceData/transport/failure/failures';
import { createPageSize, recordsWithin } from '../../../nodes/WorkspaceData/transport/pageSize';
import { createTestClock } from '../../support/clock';

const refusal = (status: number, title = 'Invalid') => new ApiFailure({ status, title });
const HOUR = 3_600_000;

describe('a refusal', () => {
	test.each([400, 403, 500])(
		'with %d of more than ten records may be for their number',
		(status) => {
			const size = createPageSize(createTestClock());
			expect(size.isRefused(refusal(status), 11)).toBe(true);
			expect(size.isRefused(refusal(status), 10)).toBe(false);
		},
	);

	test('of a size that was accepted before has another reason', () => {
		const size = createPageSize(createTestClock());
		size.accepted(500);
		size.accepted(200);
		expect(size.isRefused(refusal(400), 500)).toBe(false);
		expect(size.isRefused(refusal(400), 501)).toBe(true);
	});

	test('that speaks of the cursor is not for the size', () => {
		const size = createPageSize(createTestClock());
		expect(size.isRefused(refusal(400, 'Invalid Cursor'), 1_000)).toBe(false);
	});

	test('that names the size, or says that the answer is too large, is for any size', () => {
		const size = createPageSize(createTestClock());
		size.accepted(500);
		expect(size.isRefused(refusal(400, 'Limit'), 1)).toBe(true);
		expect(size.isRefused(refusal(413), 1)).toBe(true);
	});

	test('of the credential, the rate or a thing that is gone is not for the size', () => {
		const size = createPageSize(createTestClock());
		const gone = new ApiFailure({ status: 404, title: 'Gone', kind: 'card-not-found' });
		for (const refused of [refusal(401), refusal(429), gone]) {
			expect(size.isRefused(refused, 1_000)).toBe(false);
		}
		expect(size.isRefused(new Error('Limit'), 1_000)).toBe(false);
	});
});

test.each<[number, number | undefined, number | undefined, boolean]>([
	[1_000, 300, 300, true],
	[300, 300, 150, false],
	[100, undefined, 50, false],
	[101, undefined, 50, false],
	[99, undefined, undefined, false],
])(
	'after %d, with a maximum of %s in the description: %s',
	async (size, maximum, accepted, isCertain) => {
		const pageSize = createPageSize(createTestClock());
		expect(
			await pageSize.smallerThan(refusal(400), size, async () => await Promise.resolve(maximum)),
		).toEqual({
			accepted,
			isCertain,
		});
	},
);

describe('what is learned', () => {
	test('holds until something smaller is learned', () => {
		const size = createPageSize(createTestClock());
		expect(size.most()).toBe(1_000);
		size.learned({ refused: 1_000, accepted: 200, isCertain: true });
		size.learned({ refused: 500, accepted: 250, isCertain: true });
		expect(size.most()).toBe(200);
		size.learned({ refused: 200, accepted: undefined, isCertain: true });
		size.learned({ refused: 1_000, accepted: 500, isCertain: true });
		expect(size.most()).toBeUndefined();
	});

	test('from a doubtful refusal counts with the second one, within the same hour', () => {
		const clock = createTestClock();
		const size = createPageSize(clock);
		const doubtful = { refused: 1_000, accepted: 200, isCertain: false };
		size.most();
		size.learned(doubtful);
		expect(size.most()).toBe(1_000);
		clock.pass(HOUR);
		expect(size.most()).toBe(1_000);
		size.learned(doubtful);
		expect(size.most()).toBe(1_000);
		size.learned(doubtful);
		expect(size.most()).toBe(200);
	});

	test('is forgotten after an hour: the accepted sizes, and the description, too', async () => {
		const clock = createTestClock();
		const size = createPageSize(clock);
		let described = 0;
		const describe = async () => await Promise.resolve((described += 1) && 300);
		size.most();
		size.accepted(1_000);
		await size.smallerThan(refusal(400), 1_000, describe);
		await size.smallerThan(refusal(400), 1_000, describe);
		expect([size.isRefused(refusal(400), 1_000), described]).toEqual([false, 1]);
		clock.pass(HOUR);
		size.most();
		await size.smallerThan(refusal(400), 1_000, describe);
		expect([size.isRefused(refusal(400), 1_000), described]).toEqual([true, 2]);
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
