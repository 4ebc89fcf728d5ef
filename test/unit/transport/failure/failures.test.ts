/** What is known after a failure: whether trying again helps, and whether it may have been done all the same. */
import {
	AccessTokenError,
	AnswerTooLarge,
	ApiFailure,
	Cancelled,
	Failure,
	isTransientStatus,
	mayHaveHappened,
	NetworkFailure,
	namesGone,
	saysGone,
	SilentService,
	UnexpectedAnswer,
	Unreachable,
	UnusableAnswer,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';

const facts = { transient: false };
const answered = (status: number, kind?: string) =>
	new ApiFailure({ status, title: 'Title', ...(kind !== undefined && { kind }) });

test.each<[number, boolean]>([
	[200, false],
	[400, false],
	[404, false],
	[407, false],
	[408, true],
	[409, false],
	[499, false],
	[500, true],
	[503, true],
	[599, true],
])('status %d: trying again can help: %s', (status, transient) => {
	expect(isTransientStatus(status)).toBe(transient);
	expect(answered(status).transient).toBe(transient);
	expect(answered(status).httpCode).toBe(String(status));
});

test('a refusal for the rate passes, whatever its status', () => {
	const limited = new ApiFailure({ status: 403, title: 'Slow down' }, 'Wait.', true);
	expect(limited).toMatchObject({ transient: true, rateLimited: true, description: 'Wait.' });
	expect(answered(403)).toMatchObject({ transient: false, rateLimited: false });
});

describe('whether it may have been done', () => {
	test.each<[string, unknown, boolean]>([
		['no answer came', new Unreachable('lost', facts), true],
		['it was not sent', new Unreachable('lost', { ...facts, sent: 'no' }), false],
		['cancelled before it was sent', new Cancelled(), false],
		['cancelled while it was under way', new Cancelled('maybe'), true],
		['a gateway gave up', answered(502), true],
		['the service broke down', answered(500), true],
		['the service refused', answered(422), false],
		['refused for the rate', new ApiFailure({ status: 503, title: 'Slow' }, '', true), false],
		['another server answered a change', new UnexpectedAnswer('odd', 'Check.', true), true],
		['a listing cannot be read', new UnexpectedAnswer('odd', 'Check.'), false],
		['no access token', new AccessTokenError('no token', 'Check.', false, 401), false],
		['anything else', new Error('bug'), false],
		['nothing', undefined, false],
	])('%s', (_, error, expected) => {
		expect(mayHaveHappened(error)).toBe(expected);
	});
});

test('only an answer that is larger than what is read is too large', () => {
	expect(new Unreachable('lost', facts).tooLarge).toBe(false);
	expect(new Unreachable('lost', { ...facts, tooLarge: true }).tooLarge).toBe(true);
});

describe('failures of one try', () => {
	test.each<[NetworkFailure, string, boolean, string | undefined]>([
		[new NetworkFailure('ECONNRESET', 'closed', 'maybe', true), 'maybe', true, 'ECONNRESET'],
		[new NetworkFailure('', 'closed', 'no', false), 'no', false, undefined],
		[new UnusableAnswer('', 'the answer is odd', true), 'yes', true, undefined],
		[new AnswerTooLarge(), 'yes', false, undefined],
		[new SilentService(), 'no', true, 'ETIMEDOUT'],
	])('%s', (failure, sent, transient, httpCode) => {
		expect(failure).toMatchObject({ sent, transient });
		expect(failure.httpCode).toBe(httpCode);
		expect(failure.name).toBe(failure.constructor.name);
	});
	test('an access token error has the status of the auth server, if it answered', () => {
		expect(new AccessTokenError('no', 'Check.', true, 503).httpCode).toBe('503');
		expect(new AccessTokenError('no', 'Check.', true).httpCode).toBeUndefined();
	});
});

describe('whether the service itself says that the thing is gone', () => {
	test.each<[string, unknown, boolean]>([
		['404 with its kind', answered(404, 'record-not-found'), true],
		['410 with its kind', answered(410, 'record-gone'), true],
		['a kind of another word', answered(404, 'record-does-not-exist'), true],
		['a kind that says unknown', answered(404, 'unknown-record'), false],
		['unknown at the end', answered(404, 'record-unknown'), true],
		['a longer name', answered(404, 'data-record-not-found'), true],
		['a kind that names nothing', answered(404, 'not-found'), true],
		['a kind about something else', answered(404, 'workspace-not-found'), false],
		['a word that only ends so', answered(404, 'recordnot-found'), false],
		['more words after it', answered(404, 'record-not-found-here'), false],
		['part of a word', answered(404, 'records-not-found'), false],
		['no kind', answered(404), false],
		['another status', answered(400, 'record-not-found'), false],
		['another failure', new Failure('gone', facts), false],
	])('%s', (_, error, expected) => {
		expect(saysGone(error, ['record', 'entry'])).toBe(expected);
	});
	test('any of the names counts', () => {
		expect(saysGone(answered(404, 'subscription-not-found'), ['webhook', 'subscription'])).toBe(
			true,
		);
		expect(saysGone(answered(404, 'webhook-not-found'), ['webhook', 'subscription'])).toBe(true);
	});
});

test('a record is known to be gone only where the service names it: a field or a card may be meant', () => {
	expect(namesGone(answered(404, 'record-not-found'), 'record')).toBe(true);
	expect(namesGone(answered(404, 'not-found'), 'record')).toBe(false);
	expect(namesGone(answered(404, 'field-not-found'), 'record')).toBe(false);
	expect(namesGone(answered(404), 'record')).toBe(false);
});
