/** How soon after a reset requests continue, with services that tell it in whole seconds, each rounded in its way. */
import {
	refusalWait,
	type Headers,
} from '../../../../nodes/WorkspaceData/transport/http/rateLimitHeaders';
import { createTestClock } from '../../../support/clock';
import { openGate } from '../../../support/gate';

const SECOND = 1_000;
const LATENCY_MS = 20;

interface Kind {
	windowMs: number;
	limit: number;
	/** How the end of the window becomes whole seconds. */
	rounding: 'ceil' | 'floor' | 'round';
	/** Whether windows begin at full multiples of their length; else with their first request. */
	aligned?: boolean;
	/** The service's clock minus ours, in ms. */
	offset?: number;
	/** When the first request is sent within its second, in ms. */
	phase: number;
}

/** Sends as much as several windows take. @returns what each window lost, and its refusals */
async function run(
	{ windowMs, limit, rounding, aligned, offset = 0, phase }: Kind,
	windows: number,
) {
	const clock = createTestClock(Date.UTC(2026, 0, 1) + phase);
	const gate = openGate(clock);
	const serviceNow = () => clock.now() + offset;
	let window = { endsAt: -Infinity, used: 0 };
	const seen: Array<{ openedAt: number; firstAt: number; refused: number }> = [];
	let refused = 0;

	/** @returns the answer's headers, and whether the request was refused */
	function answer(): { headers: Headers; isRefused: boolean } {
		const now = serviceNow();
		if (now >= window.endsAt) {
			const openedAt = window.endsAt;
			const begin = aligned ? Math.floor(now / windowMs) * windowMs : now;
			window = { endsAt: begin + windowMs, used: 0 };
			seen.push({ openedAt, firstAt: now, refused });
			refused = 0;
		}
		const isRefused = window.used >= limit;
		if (isRefused) refused += 1;
		else window.used += 1;
		const headers = {
			date: new Date(now).toUTCString(),
			'x-ratelimit-limit': String(limit),
			'x-ratelimit-remaining': String(limit - window.used),
			'x-ratelimit-reset': String(Math[rounding](window.endsAt / SECOND)),
		};
		return { headers, isRefused };
	}

	async function request(): Promise<void> {
		for (let refusals = 1; ; refusals += 1) {
			await gate.enter({ maxParallel: 16 });
			await clock.sleep(LATENCY_MS / 2);
			const { headers, isRefused } = answer();
			await clock.sleep(LATENCY_MS / 2);
			const now = clock.now();
			gate.leave(headers, isRefused ? now + refusalWait(headers, now, refusals) : 0);
			if (!isRefused) return;
		}
	}

	await Promise.all(Array.from({ length: windows * limit }, request));
	return seen.slice(1).map((one) => ({ lost: one.firstAt - one.openedAt, refused: one.refused }));
}

describe.each([0, 730, 999])('first request %d ms after a full second', (phase) => {
	describe.each(['ceil', 'floor', 'round'] as const)('the reset is rounded by %s', (rounding) => {
		test.each<[string, Partial<Kind>]>([
			['windows that begin with their first request', {}],
			['the same, of a minute', { windowMs: 60_000 }],
			['the same, a clock that is 3.4 s ahead', { offset: 3_400 }],
			['the same, a clock that is 7.7 s behind', { offset: -7_700 }],
			['windows that begin on the clock', { aligned: true }],
		])('%s: continues within a second or so of the reset', async (_, more) => {
			const windows = await run({ windowMs: 10_000, limit: 20, rounding, phase, ...more }, 6);
			expect(windows).toHaveLength(5);
			for (const { lost, refused } of windows) {
				// Rounded up: up to a second too late. Rounded down: one request is too early, and waits a second.
				expect(lost).toBeLessThanOrEqual(SECOND + 2 * LATENCY_MS);
				expect(refused).toBeLessThanOrEqual(1);
			}
		});
	});
});

test('a reset that is rounded up, as by most services: nothing is refused', async () => {
	for (const phase of [3, 500, 900]) {
		const windows = await run({ windowMs: 10_000, limit: 100, rounding: 'ceil', phase }, 6);
		expect(windows.map(({ refused }) => refused)).toEqual(windows.map(() => 0));
	}
});
