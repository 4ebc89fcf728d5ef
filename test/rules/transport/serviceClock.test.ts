/** The time at the service, learned from responses. */
import fc from 'fast-check';
import { ServiceClock } from '../../../nodes/WorkspaceData/transport/http/serviceClock';

const START = Date.UTC(2026, 0, 1);
const header = (ms: number) => ({ date: new Date(ms).toUTCString() });

/** A local clock that the test sets, and the service's that is learned by it. */
function clocks() {
	let now = START;
	const local = { now: () => now, pass: (ms: number) => (now += ms) };
	return { local, clock: new ServiceClock(local) };
}

test('any difference, whatever time responses take: right to the second, never ahead of the service', () => {
	const times = fc.record({
		pause: fc.integer({ min: 0, max: 2_000 }),
		latency: fc.integer({ min: 0, max: 800 }),
	});
	fc.assert(
		fc.property(
			fc.integer({ min: -86_400_000, max: 86_400_000 }),
			fc.array(times, { minLength: 1, maxLength: 20 }),
			(ahead, responses) => {
				const { local, clock } = clocks();
				for (const { pause, latency } of responses) {
					local.pass(pause);
					const answered = local.now() + ahead;
					local.pass(latency);
					clock.learn(header(answered));
				}
				const error = local.now() + ahead - clock.now();
				expect(error).toBeGreaterThanOrEqual(0);
				expect(error).toBeLessThan(1_000 + 800);
			},
		),
	);
});

test.each([-3_600_000, 3_600_000])(
	'either clock is corrected by %d ms: right again after a minute',
	(step) => {
		for (const isLocal of [true, false]) {
			const { local, clock } = clocks();
			clock.learn(header(local.now()));
			if (isLocal) local.pass(-step);
			for (let second = 0; second < 70; second += 1) {
				local.pass(1_000);
				clock.learn(header(local.now() + step));
			}
			expect(clock.aheadMs).toBe(step);
		}
	},
);
