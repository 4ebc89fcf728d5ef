/** What a message advises after an answer that is not a success. */
import {
	apiFailure,
	refusalOf,
	sentAfter,
	unreachable,
} from '../../../../nodes/WorkspaceData/transport/failure/explain';
import {
	AccessTokenError,
	AnswerTooLarge,
	CutOffAnswer,
	mayStillHappen,
	NetworkFailure,
	UnusableAnswer,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';

const page = '<!DOCTYPE html><html><head><title>Bad gateway</title></head></html>';

function adviceFor(
	status: number,
	body: unknown,
	creates?: string,
	authentication: 'apiKey' | 'serviceAccount' = 'apiKey',
): string {
	const request = { method: creates ? 'POST' : 'GET', ...(creates && { creates }) } as const;
	const origin = { authentication, host: 'data.example.com:443', redact: (text: string) => text };
	return apiFailure({ status, headers: {}, body }, request, origin).advice ?? '';
}

test.each([502, 503, 504])(
	'a web page with status %s: wait, then look at the address (M10)',
	(status) => {
		expect(adviceFor(status, page)).toMatch(/web page.*again later.*'Base URL'/);
	},
);

test('503 in the words of the service: run it again later (M10)', () => {
	expect(adviceFor(503, { title: 'Maintenance' })).toMatch(/again later/);
	expect(adviceFor(503, { title: 'Maintenance' })).not.toContain('web page');
});

test('a create that met 503 may have happened, whatever else is said (M10)', () => {
	expect(adviceFor(503, page, 'record')).toContain('may have been created');
});

test('403: choose an account that may edit (M10)', () => {
	const body = {
		type: 'https://example.com/problems/insufficient-role',
		title: 'Insufficient role',
	};
	expect(adviceFor(403, body)).toMatch(/API key.*choose an account that may edit/);
	expect(adviceFor(403, body, undefined, 'serviceAccount')).toMatch(/role of this service account/);
});

test.each(["'Email' must be unique", 'A record with this Code already exists', 'Duplicate value'])(
	'409 "%s": use Create or Update (M10)',
	(detail) => {
		expect(adviceFor(409, { title: 'Conflict', detail }, 'record')).toContain("'Create or Update'");
		expect(adviceFor(409, { title: 'Conflict', detail }, 'card')).not.toContain(
			"'Create or Update'",
		);
	},
);

test.each([404, 410])('%s for a card: choose it again (E10)', (status) => {
	const kind = (name: string) => ({ type: `https://example.com/problems/${name}`, title: 'No' });
	const advice =
		"It may have been deleted, or a name may stand where its ID belongs. Choose the card again in 'Card'.";
	expect(adviceFor(status, kind('card-not-found'))).toBe(advice);
	// About a record perhaps, about another thing, or a card that is there.
	for (const other of ['not-found', 'record-not-found', 'card-locked']) {
		expect(adviceFor(status, kind(other))).toBe('');
	}
	expect(adviceFor(status, { title: 'No' })).toBe('');
});

test('409 for another reason: the words of the service alone (M10)', () => {
	expect(adviceFor(409, { title: 'Option in use', detail: 'Two records use it' }, 'record')).toBe(
		'',
	);
});

describe('advice that the words of the service do not give', () => {
	test.each<[number, unknown, string | undefined, RegExp]>([
		[300, '', undefined, /Redirects are not followed/],
		[307, '', undefined, /'Base URL'/],
		[399, '', undefined, /Redirects/],
		[401, '', undefined, /Check 'API Key'/],
		[404, page, undefined, /A web page answered/],
		[409, { title: 'Conflict', detail: 'already exists' }, 'card', /Something else has this value/],
		[409, { title: 'Value already in use' }, 'record', /'Create or Update'/],
		[429, '', undefined, /'Max Parallel Requests'/],
		[502, '', 'record', /The record may have been created/],
		[504, '', 'card', /The card may have been created/],
		[503, '', 'field', /The field may have been created.*'Max Parallel Requests'/],
		[408, '', 'record', /The record may have been created/],
		[500, { title: 'Broken' }, 'record', /The record may have been created/],
		[507, '', 'record', /The record may have been created/],
		[524, page, 'record', /The record may have been created.*web page.*'Base URL'/],
		[
			408,
			'',
			'subscription',
			/The subscription may have been created: look for it in the settings/,
		],
		[500, { title: 'Broken' }, 'subscription', /The subscription may have been created/],
		[503, page, 'subscription', /before you try again/],
		[500, page, undefined, /web page/],
		[500, page, 'record', /web page/],
	])('%d %j, creating %s (H31)', (status, body, creates, words) => {
		expect(adviceFor(status, body, creates)).toMatch(words);
	});

	test('none where they say enough', () => {
		for (const [status, body] of [
			[400, page],
			[404, { title: 'Gone' }],
			[422, { title: 'Value is a duplicate' }],
			[500, { title: 'Broken' }],
			[502, { title: 'Bad gateway' }],
		] as const) {
			expect([status, adviceFor(status, body)]).toEqual([status, '']);
		}
		for (const status of [422, 429]) {
			expect(adviceFor(status, '', 'subscription')).not.toContain('may have been created');
		}
		expect(adviceFor(502, '', 'record')).not.toContain("'Max Parallel Requests'");
		expect(adviceFor(401, '', undefined, 'serviceAccount')).toContain('new access token');
	});
});

describe('an answer that never came, or cannot be used', () => {
	const origin = { host: 'data.example.com', authentication: 'apiKey', redact: hide } as const;
	function hide(text: string): string {
		return text.replaceAll('secret', '***');
	}
	const lost = new NetworkFailure('ECONNRESET', 'the secret connection was closed', 'maybe', true);
	const never = new NetworkFailure('ECONNREFUSED', 'the connection was refused', 'no', true);

	test('of a create that may have arrived: check first', () => {
		const error = unreachable(lost, { method: 'POST', creates: 'record' }, origin);
		expect(error).toMatchObject({
			message: 'The record may have been created: the *** connection was closed',
			description: expect.stringContaining('check before you run this item again'),
			httpCode: 'ECONNRESET',
			transient: true,
			sent: 'maybe',
			tooLarge: false,
		});
		const large = unreachable(new AnswerTooLarge(), { method: 'POST', creates: 'record' }, origin);
		expect(large.message).toBe('The record may have been created: the answer is too large');
		expect(unreachable(lost, { method: 'POST', creates: 'subscription' }, origin)).toMatchObject({
			message: 'The subscription may have been created: the *** connection was closed',
			description: expect.stringContaining('look for it in the settings of the service'),
		});
	});

	test('of one of several tries: what an earlier one may have done counts, until the service refuses it (H30)', () => {
		const patch = { method: 'PATCH' } as const;
		const answer = (status: number) => ({ status, headers: {}, body: '' });
		const earlier = sentAfter(lost, patch);
		expect(earlier).toBe('maybe');
		expect(sentAfter(never, patch, earlier)).toBe('maybe');
		expect(sentAfter(never, patch, 'yes')).toBe('yes');
		expect(sentAfter(lost, patch, 'yes')).toBe('maybe');
		expect(sentAfter(answer(503), patch)).toBe('yes');
		expect(sentAfter(answer(504), patch)).toBe('maybe');
		for (const status of [401, 429, 503]) {
			expect([status, sentAfter(answer(status), patch, earlier)]).toEqual([status, 'maybe']);
		}
		expect(sentAfter(answer(422), patch, earlier)).toBe('no');
		// The earlier try may still be under way, or be the reason; or a gateway answers.
		for (const status of [403, 404, 409, 423]) {
			expect([status, sentAfter(answer(status), patch, earlier)]).toEqual([status, 'maybe']);
			expect(sentAfter(answer(status), patch)).toBe('no');
		}
		expect(sentAfter({ ...answer(400), body: page }, patch, earlier)).toBe('maybe');
		const refusal = { ...answer(200), body: { success: false, message: 'No' } };
		expect(refusalOf(refusal, patch, origin, earlier)).toMatchObject({ sent: 'maybe' });
		const noToken = new AccessTokenError('No token', 'Check.', false, 401);
		expect(noToken.after('no').sent).toBe('no');
		expect(noToken.after(earlier)).toMatchObject({
			message: 'No token',
			httpCode: '401',
			sent: 'maybe',
		});
		expect(sentAfter(lost, { method: 'GET' })).toBe('no');
		expect(sentAfter(answer(503), { method: 'GET' })).toBe('no');
		expect(unreachable(never, patch, origin, earlier).message).toMatch(/^The change may have been/);
		expect(mayStillHappen(apiFailure(answer(503), patch, origin, earlier))).toBe(true);
	});

	test('of a gateway that gave up: the change may have been carried out', () => {
		const answer = { status: 504, headers: {}, body: '' };
		expect(apiFailure(answer, { method: 'PATCH' }, origin).advice).toMatch(
			/^The change may have been/,
		);
		expect(apiFailure(answer, { method: 'GET' }, origin).advice).toBeUndefined();
	});

	test('of a change that may have arrived: that running it again does no harm, and how to wait longer', () => {
		for (const method of ['PATCH', 'DELETE'] as const) {
			expect(unreachable(lost, { method }, origin)).toMatchObject({
				message: 'The change may have been carried out: the *** connection was closed',
				description: expect.stringMatching(/run this item again: the same change.*'Timeout'/),
				sent: 'maybe',
			});
			expect(unreachable(never, { method }, origin).message).toMatch(/could not be reached/);
		}
	});

	test('of all else: the address, and what n8n can reach', () => {
		for (const [fault, creates] of [
			[never, 'record'],
			[lost, undefined],
		] as const) {
			const error = unreachable(
				fault,
				creates ? { method: 'POST', creates } : { method: 'GET' },
				origin,
			);
			expect(error).toMatchObject({
				message: expect.stringMatching(/^The service could not be reached: the/),
				description: expect.stringContaining('data.example.com'),
				sent: creates ? fault.sent : 'no',
				tooLarge: false,
			});
		}
	});

	test('of a change that may still happen: nobody has ended it (H30)', () => {
		const mayStill = (fault: NetworkFailure, method: 'GET' | 'POST' | 'PATCH') =>
			mayStillHappen(unreachable(fault, { method }, origin));
		expect(mayStill(lost, 'PATCH')).toBe(true);
		expect(mayStill(lost, 'POST')).toBe(true);
		expect(mayStill(lost, 'GET')).toBe(false);
		expect(mayStill(never, 'POST')).toBe(false);
		expect(mayStill(new AnswerTooLarge(), 'POST')).toBe(false);
		expect(mayStill(new CutOffAnswer(), 'POST')).toBe(false);
		expect(unreachable(new CutOffAnswer(), { method: 'PATCH' }, origin)).toMatchObject({
			message: 'The change may have been carried out: the answer was cut off',
			sent: 'yes',
		});

		const answered = (status: number, method: 'GET' | 'POST') =>
			mayStillHappen(apiFailure({ status, headers: {}, body: '' }, { method }, origin));
		expect(answered(504, 'POST')).toBe(true);
		expect(answered(504, 'GET')).toBe(false);
		expect(answered(502, 'POST')).toBe(false);
	});

	test('that cannot be used: another server, or too much at once', () => {
		const odd = unreachable(
			new UnusableAnswer('X', 'the answer is odd', false),
			{ method: 'GET' },
			origin,
		);
		expect(odd).toMatchObject({
			message: 'The service answered, but the answer is odd',
			description: expect.stringMatching(/^Check 'Base URL'/),
			tooLarge: false,
			transient: false,
		});
		expect(unreachable(new AnswerTooLarge(), { method: 'GET' }, origin)).toMatchObject({
			description: expect.stringMatching(/^At most 64 MB.*'Limit'.*Check 'Base URL'/),
			tooLarge: true,
		});
	});

	test('a refusal under a status of success is one, without its secrets', () => {
		const answer = (body: unknown) => ({ status: 200, headers: {}, body });
		expect(
			refusalOf(answer({ error: 'the secret' }), { method: 'POST' }, origin)?.problem.detail,
		).toBe('the ***');
		expect(refusalOf(answer({ id: 'r1' }), { method: 'POST' }, origin)).toBeUndefined();
	});

	test('a refusal for the rate is one by its headers, too', () => {
		const answer = { status: 403, headers: { 'x-ratelimit-remaining': '0' }, body: '' };
		expect(apiFailure(answer, { method: 'GET' }, origin).rateLimited).toBe(true);
		expect(apiFailure(answer, { method: 'POST' }, origin).rateLimited).toBe(false);
		expect(apiFailure({ ...answer, headers: {} }, { method: 'GET' }, origin).rateLimited).toBe(
			false,
		);
	});
});
