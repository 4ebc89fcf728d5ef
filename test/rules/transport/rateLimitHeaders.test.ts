import {
	isRateLimited,
	readResetAt,
	refusalWait,
	type Headers,
} from '../../../nodes/WorkspaceData/transport/http/rateLimitHeaders';
import vectors from '../../vectors/rateLimit.json';

const SECOND = 1_000;

describe.each([-600, 0, 600])('the local clock is %d s off', (offsetS) => {
	test.each(vectors.cases)('$name', ({ status, headers, expected }) => {
		const now = Date.parse(headers.date) + offsetS * SECOND;
		const { limited, secondsToReset } = expected;
		expect(isRateLimited(status, headers, true)).toBe(limited);
		const toReset = readResetAt(headers, now);
		// Without a time to wait for: a second.
		if (limited) expect(refusalWait(headers, now, 1)).toBe((secondsToReset || 1) * SECOND);
		else if (toReset !== undefined) expect(toReset - now).toBe((secondsToReset ?? NaN) * SECOND);
	});
});

describe('the wait after a refusal, whatever Reset says', () => {
	const now = Date.UTC(2026, 0, 1);
	const at = (reset: unknown, more: Headers = {}): Headers => ({
		date: new Date(now).toUTCString(),
		'x-ratelimit-remaining': '0',
		'x-ratelimit-reset': reset,
		...more,
	});
	const after = (wait: string) => ({ 'retry-after': wait });
	const past = at(String(now / SECOND - 86_400));
	const soon = new Date(now + 4_000).toUTCString();
	const far = at(70 * 365 * 86_400_000, after('3'));
	const sooner = at(String(now / SECOND + 2), after('30'));
	test.each<[string, Headers, number, number]>([
		['a year away', at(String(now / SECOND + 365 * 86_400)), 1, 365 * 86_400_000],
		['in the past: a second', past, 1, 1_000],
		['in the past for ever: at most a minute', past, 40, 60_000],
		['missing', at(undefined), 2, 2_000],
		['far away, with a sooner Retry-After', far, 1, 3_000],
		['sooner than Retry-After', sooner, 1, 2_000],
		['missing, with Retry-After as a date', at(undefined, after(soon)), 1, 4_000],
		['sent twice', at(['1', '2']), 1, 1_000],
	])('%s', (_, headers, refusals, ms) => expect(refusalWait(headers, now, refusals)).toBe(ms));
});

test.each<[number, Headers, boolean]>([
	[429, {}, true],
	[403, { 'x-ratelimit-remaining': '0' }, true],
	[503, { 'x-ratelimit-remaining': '0' }, true],
	[403, { 'x-ratelimit-remaining': '3' }, false],
	[503, {}, false],
	// Some services mean no limit by a limit of 0.
	[403, { 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0' }, false],
	[503, { 'x-ratelimit-limit': '-1', 'x-ratelimit-remaining': '0' }, false],
	[401, { 'x-ratelimit-remaining': '0' }, false],
	[200, { 'x-ratelimit-remaining': '0' }, false],
])(
	'status %d with %j is a refusal for the rate: %s; for a create, only 429 is',
	(status, headers, limited) => {
		expect(isRateLimited(status, headers, true)).toBe(limited);
		// A create may be stored although it was answered 403 or 503.
		expect(isRateLimited(status, headers, false)).toBe(status === 429);
	},
);

describe('what the headers say', () => {
	const now = Date.UTC(2026, 0, 1);

	test.each<[string, number | undefined]>([
		// Seconds from now, below a hundred days or so.
		['0', 0],
		['7', 7_000],
		['9999999', 9_999_999_000],
		// Seconds since 1970: long past.
		[String(now / SECOND), undefined],
		[String(now / SECOND + 1), 1_000],
		// Milliseconds.
		['99999999999', 99_999_999_999_000 - now],
		['100000000000', undefined],
		[String(now + 1_500), 1_500],
	])('a reset of %s is %s ms away', (reset, ms) => {
		const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
		const resetAt = readResetAt(headers, now, now);
		expect(resetAt === undefined ? undefined : resetAt - now).toBe(ms);
	});

	test('a reset is by the service’s clock: by what is known of it, else by the response’s date', () => {
		const headers = {
			'x-ratelimit-remaining': '0',
			'x-ratelimit-reset': String(now / SECOND + 10),
			date: new Date(now + 4_000).toUTCString(),
		};
		expect(readResetAt(headers, now)).toBe(now + 6_000);
		expect(readResetAt(headers, now, now + 8_000)).toBe(now + 2_000);
	});
});
