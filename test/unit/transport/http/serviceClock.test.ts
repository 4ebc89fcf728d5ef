/** The time at the service, learned from answers. */
import fc from 'fast-check';
import { createServiceClock } from '../../../../nodes/WorkspaceData/transport/http/serviceClock';

const START = Date.UTC(2026, 0, 1);
const header = (ms: number) => ({ date: new Date(ms).toUTCString() });

/** A local clock that the test sets. */
function createClock() {
	let now = START;
	return { now: () => now, pass: (ms: number) => (now += ms) };
}

test('knows nothing before an answer tells the time', () => {
	const clock = createServiceClock(createClock());
	clock.learn({});
	clock.learn({ date: 'yesterday' });
	expect([clock.aheadMs, clock.isStale()]).toEqual([undefined, true]);
	expect(clock.now()).toBe(START);
	expect(clock.now(5_000)).toBe(START + 5_000);
});

test('any difference, whatever time the answers take: right to the second, never ahead of the service', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: -86_400_000, max: 86_400_000 }),
			fc.array(
				fc.record({
					pause: fc.integer({ min: 0, max: 2_000 }),
					latency: fc.integer({ min: 0, max: 800 }),
				}),
				{ minLength: 1, maxLength: 20 },
			),
			(ahead, answers) => {
				const local = createClock();
				const clock = createServiceClock(local);
				for (const { pause, latency } of answers) {
					local.pass(pause);
					const answered = local.now() + ahead;
					local.pass(latency);
					clock.learn(header(answered));
				}
				const error = local.now() + ahead - clock.now(0);
				expect(error).toBeGreaterThanOrEqual(0);
				expect(error).toBeLessThan(1_000 + 800);
			},
		),
	);
});

test('the most exact of the answers counts', () => {
	const local = createClock();
	const clock = createServiceClock(local);
	for (const latency of [900, 20, 600]) {
		// Answered at the begin of a second, so that the header loses nothing.
		local.pass(1_000 - (local.now() % 1_000));
		const answered = local.now();
		local.pass(latency);
		clock.learn(header(answered));
	}
	expect(clock.aheadMs).toBe(-20);
});

test.each([-3_600_000, 3_600_000])(
	'the service’s clock is corrected by %d ms: right again after a minute',
	(step) => {
		const local = createClock();
		const clock = createServiceClock(local);
		clock.learn(header(local.now()));
		for (let second = 0; second < 70; second += 1) {
			local.pass(1_000);
			clock.learn(header(local.now() + step));
		}
		expect(clock.aheadMs).toBe(step);
	},
);

test.each([-3_600_000, 3_600_000])(
	'the local clock is corrected by %d ms: the next answer counts',
	(step) => {
		const local = createClock();
		const clock = createServiceClock(local);
		clock.learn(header(local.now()));
		local.pass(step);
		expect(clock.isStale()).toBe(true);
		clock.learn(header(local.now() - step));
		expect([clock.aheadMs, clock.isStale()]).toEqual([-step, false]);
	},
);

test('is stale after a minute without an answer', () => {
	const local = createClock();
	const clock = createServiceClock(local);
	clock.learn(header(local.now()));
	local.pass(60_000);
	expect(clock.isStale()).toBe(false);
	local.pass(1);
	expect(clock.isStale()).toBe(true);
});

test.each<[number, number]>([
	[60_000, -60_000],
	[59_999, 0],
])('the service’s clock was put back by %d ms: the next answer makes it %d', (step, ahead) => {
	let now = START;
	const clock = createServiceClock({ now: () => now });
	clock.learn(header(now));
	// A header has whole seconds, so the local time has the rest.
	const told = START - Math.floor(step / 1_000) * 1_000;
	now = told + step;
	clock.learn(header(told));
	expect(clock.aheadMs).toBe(ahead);
});

test('an answer that tells nothing new does not make what is known count longer', () => {
	const local = createClock();
	const clock = createServiceClock(local);
	clock.learn(header(local.now()));
	local.pass(30_000);
	clock.learn(header(local.now()));
	local.pass(30_001);
	expect(clock.isStale()).toBe(true);
	clock.learn(header(local.now() - 1));
	expect(clock.isStale()).toBe(false);
});
