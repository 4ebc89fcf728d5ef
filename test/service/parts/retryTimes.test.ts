/** When failed deliveries are due, by clocks of the test's own. */
import { createRetryTimes } from '../../../service/delivery/retryTimes.ts';

function retryTimes(firstMs: number) {
	const time = { now: 1_000_000, monotonic: 50 };
	const clock = { now: () => time.now, monotonic: () => time.monotonic };
	const pass = (ms: number) => {
		time.now += ms;
		time.monotonic += ms;
	};
	return { time, pass, times: createRetryTimes(clock, () => firstMs) };
}
const delivery = (failures: number, dueAt = 0, id = 1) => ({
	...{ id, failures, dueAt },
	subscriptionId: 's',
	body: '{}',
});

test('what has never failed is due at once', () => {
	const { times } = retryTimes(100);
	expect(times.waitOf(delivery(0, 9_999_999))).toBe(0);
});

test('pauses double with each failure, and run out', () => {
	const { times, pass } = retryTimes(100);
	expect([1, 2, 3].map((failures) => times.failed(1, failures))).toEqual([100, 200, 400]);
	expect(times.waitOf(delivery(3))).toBe(400);
	pass(399);
	expect(times.waitOf(delivery(3))).toBe(1);
	pass(2);
	expect(times.waitOf(delivery(3))).toBe(-1);
});

test('a clock that is set back or forward does not move them', () => {
	const { times, time } = retryTimes(100);
	times.failed(1, 1);
	time.now -= 3_600_000;
	expect(times.waitOf(delivery(1, 1_000_100))).toBe(100);
	time.now += 7_200_000;
	expect(times.waitOf(delivery(1, 1_000_100))).toBe(100);
});

describe('after a restart', () => {
	test('the time in the database counts', () => {
		const { times, pass } = retryTimes(100);
		expect(times.waitOf(delivery(2, 1_000_150))).toBe(150);
		pass(100);
		expect(times.waitOf(delivery(2, 1_000_150))).toBe(50);
	});

	test.each([
		[
			'a clock that was set back does not put a retry off for longer than its pause',
			9_000_000,
			200,
		],
		['what is overdue is tried at once', 1, 0],
	])('%s', (_name, dueAt, wait) => {
		expect(retryTimes(100).times.waitOf(delivery(2, dueAt))).toBe(wait);
	});
});

test('a delivery that was started afresh and failed again has its first pause', () => {
	const { times } = retryTimes(100);
	times.failed(1, 3);
	expect(times.waitOf(delivery(1, 1_000_030))).toBe(30);
});

test('what was forgotten is due as the database says', () => {
	const { times } = retryTimes(100);
	times.failed(1, 1);
	times.forget(1);
	expect(times.waitOf(delivery(1, 1_000_010))).toBe(10);
});

test('a shorter pause brings all forward, and puts none off', () => {
	const { times, pass } = retryTimes(1_000);
	times.failed(1, 2);
	times.failed(2, 1);
	pass(995);
	times.bringForward(10);
	expect(times.waitOf(delivery(2, 0, 1))).toBe(20);
	expect(times.waitOf(delivery(1, 0, 2))).toBe(5);
	times.bringForward(60_000);
	expect(times.waitOf(delivery(2, 0, 1))).toBe(20);
});
