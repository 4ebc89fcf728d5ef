/** What an outcome says about the number of requests that a service takes at once. */
import {
	AccessTokenError,
	NetworkFailure,
	SilentService,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';
import type { Attempt } from '../../../../nodes/WorkspaceData/transport/http/attempt';
import { createPacing, kindOf } from '../../../../nodes/WorkspaceData/transport/http/pacing';
import type { ApiRequest } from '../../../../nodes/WorkspaceData/transport/request';
import { createTestClock } from '../../../support/clock';

type Outcome = Attempt['outcome'] | undefined;
const answer = (status: number, headers = {}) => ({ status, headers, body: '' });
const get: ApiRequest = { method: 'GET', path: [] };

test('reads change nothing, and only creates cannot be repeated', () => {
	expect((['GET', 'PATCH', 'DELETE', 'POST'] as const).map((method) => kindOf({ method }))).toEqual(
		[
			{ write: false, repeatable: true },
			{ write: true, repeatable: true },
			{ write: true, repeatable: true },
			{ write: true, repeatable: false },
		],
	);
	expect(kindOf({ method: 'GET', maxParallel: 3 }).maxParallel).toBe(3);
});

describe('one too many', () => {
	/** Whether an outcome is one too many, after the service has answered another request in this way. */
	function isSurplus(outcome: Outcome, other: Outcome, before = 0): boolean {
		const clock = createTestClock();
		const pacing = createPacing(clock);
		const sentAt = clock.now() + before;
		pacing.sending(get)(other);
		return pacing.isSurplus(outcome as Attempt['outcome'], sentAt);
	}
	const lost = new NetworkFailure('ECONNRESET', 'closed', true, true);

	test.each<[string, Outcome, boolean]>([
		['408', answer(408), true],
		['429', answer(429), true],
		['502', answer(502), true],
		['503', answer(503), true],
		['504', answer(504), true],
		['500, which has other reasons', answer(500), false],
		['501', answer(501), false],
		['a refusal of what was asked', answer(422), false],
		['a success', answer(200), false],
		['the end of the window', answer(429, { 'x-ratelimit-remaining': '0' }), false],
		['some of the window left', answer(429, { 'x-ratelimit-remaining': '1' }), true],
		['a lost connection', lost, true],
		['a certificate', new NetworkFailure('CERT', 'not trusted', false, false), false],
		['a request that was not sent', new SilentService(), false],
		['no token', new AccessTokenError('none', '', true), false],
	])('%s: %s', (_, outcome, expected) => {
		expect(isSurplus(outcome, answer(200))).toBe(expected);
	});

	test('only where the service answered others since', () => {
		for (const other of [answer(200), answer(299), answer(404), answer(422)]) {
			expect(isSurplus(answer(503), other)).toBe(true);
			expect(isSurplus(answer(503), other, 1)).toBe(false);
		}
		for (const other of [answer(500), answer(503), lost, undefined]) {
			expect(isSurplus(answer(503), other)).toBe(false);
		}
	});

	test('a refusal makes room: fewer at once; a 500 or a used-up window does not', () => {
		const after = (outcome: Outcome) => {
			const pacing = createPacing(createTestClock());
			const ended = Array.from({ length: 8 }, () => pacing.sending(get));
			for (const end of ended) end(outcome);
			return pacing.atOnce(kindOf(get));
		};
		expect(after(answer(503))).toBe(4);
		expect(after(lost)).toBe(4);
		for (const outcome of [answer(500), answer(429, { 'x-ratelimit-remaining': 0 }), undefined]) {
			expect(after(outcome)).toBe(8);
		}
		expect(after(answer(200))).toBeGreaterThan(8);
		expect(after(answer(404))).toBeGreaterThan(8);
	});
});
