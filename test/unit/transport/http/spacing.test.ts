/** How far apart creates are sent: over half of the time that one takes, as it was measured. */
import { createPacing } from '../../../../nodes/WorkspaceData/transport/http/pacing';
import type { ApiRequest } from '../../../../nodes/WorkspaceData/transport/request';
import { createTestClock } from '../../../support/clock';

const CREATE = { write: true, repeatable: false };
const UPDATE = { write: true, repeatable: true };

/** The time between two requests, in ms, after earlier ones have taken so long. */
async function gapAfter(
	earlier: ReadonlyArray<[method: ApiRequest['method'], ms: number]>,
	kind = CREATE,
): Promise<number> {
	const clock = createTestClock();
	const pacing = createPacing(clock);
	for (const [method, ms] of earlier) {
		const end = pacing.sending({ method, path: [] });
		clock.pass(ms);
		end({ status: 200, headers: {}, body: '' });
	}
	const limited = pacing.openLimiter();
	const times: number[] = [];
	const note = async () => void times.push(clock.now());
	await Promise.all([limited(kind, note), limited(kind, note)]);
	return (times[1] ?? NaN) - (times[0] ?? NaN);
}

test.each<[string, Array<[ApiRequest['method'], number]>, number]>([
	['nothing is known: none', [], 0],
	['one took 80 ms, of which eight run at once', [['POST', 80]], 5],
	['only a read has shown how long requests take', [['GET', 80]], 5],
	[
		'further reads, which take another time, change nothing',
		[
			['GET', 80],
			['GET', 16],
		],
		5,
	],
	[
		'creates that become quicker count bit by bit',
		[
			['POST', 80],
			['POST', 16],
		],
		4.5,
	],
	[
		'creates that become slower, too',
		[
			['POST', 16],
			['POST', 80],
		],
		1.5,
	],
	['10 ms at most', [['POST', 800]], 10],
	['a gap of a millisecond is kept', [['POST', 16]], 1],
	['a shorter one is not worth it', [['POST', 15]], 0],
	[
		'the clock was put back meanwhile: not measured',
		[
			['POST', -500],
			['POST', 80],
		],
		5,
	],
])('%s', async (_, earlier, gap) => {
	expect(await gapAfter(earlier)).toBe(gap);
});

test('updates, of which any number may be refused and sent again, are not spread', async () => {
	expect(await gapAfter([['PATCH', 80]], UPDATE)).toBe(0);
});
