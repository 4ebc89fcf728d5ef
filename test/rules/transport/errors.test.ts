/** Errors in words. */
import {
	adviceOn,
	isNotFound,
	networkError,
	RequestError,
	unclear,
	type Origin,
	type RequestFacts,
} from '../../../nodes/WorkspaceData/transport/errors';

const origin: Origin = {
	host: 'data.example.com',
	account: 'API key',
	address: 'Base URL',
	method: 'POST',
	clean: (text) => text,
};
const token: Origin = { ...origin, address: 'Auth URL', method: 'GET' };

test.each<[RequestFacts, Origin, RegExp]>([
	[{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, origin, /NODE_EXTRA_CA_CERTS/],
	[{ code: 'ENOTFOUND' }, origin, /Check 'Base URL'.*data\.example\.com/],
	[{ code: 'ENOTFOUND' }, token, /Check 'Auth URL'/],
	[{ status: 302 }, origin, /final address in 'Base URL'/],
	[{ status: 302 }, token, /final address in 'Auth URL'/],
	[{ status: 503 }, origin, /Try again later/],
	[{ status: 429 }, origin, /'Max Parallel Requests'/],
	[{ status: 401 }, origin, /Check 'API Key'/],
	[{ status: 401 }, { ...origin, account: 'service account' }, /may have been revoked/],
	[{ status: 403 }, origin, /This API key can't change this/],
	[{ status: 403 }, { ...origin, method: 'GET' }, /can't read this/],
	[{ status: 404, kind: 'card-not-found' }, origin, /again in 'Card'/],
	[{ status: 404, kind: 'workspace-not-found' }, origin, /Check 'Workspace ID'/],
	[{ status: 404 }, origin, /Check 'Base URL'/],
	[{ status: 409, kind: 'x', detail: 'E-mail must be unique' }, origin, /'Create or Update'/],
	[{ status: 400, kind: 'bad' }, origin, /^$/],
])('%j of %j: %s', (facts, from, advice) => {
	expect(adviceOn('Refused', facts, from) ?? '').toMatch(advice);
});

test('a response without words names no value', () => {
	const advice = (said: string) => adviceOn(said, { status: 400, kind: 'bad' }, origin);
	expect(advice('In words')).toBeUndefined();
	expect(advice('')).toContain("doesn't say which value it refused");
});

test.each<[string, object, string, Partial<RequestError>]>([
	['a reset', { httpCode: 'ECONNRESET' }, 'POST', { mayHaveHappened: true, isTransient: true }],
	['a reset of a read', { httpCode: 'ECONNRESET' }, 'GET', { mayHaveHappened: false }],
	['a refusal', { code: 'ECONNREFUSED' }, 'POST', { mayHaveHappened: false, isTransient: true }],
	[
		'a certificate',
		{ httpCode: 'CERT_HAS_EXPIRED' },
		'POST',
		{ mayHaveHappened: false, isTransient: false },
	],
	['a cut response', { httpCode: '200' }, 'PATCH', { mayHaveHappened: true, isTransient: true }],
	[
		'n8n itself',
		{ description: 'Domain not allowed' },
		'POST',
		{ mayHaveHappened: false, isTransient: false, description: 'Domain not allowed' },
	],
])('%s', (_what, facts, method, expected) => {
	const error = Object.assign(new Error('In words'), facts);
	const found = networkError(error, { ...origin, method });
	expect(found).toMatchObject(expected);
	expect(found.message).toMatch(/In words$/);
});

test.each([
	['ETIMEDOUT', 'No response came in time'],
	['ECONNABORTED', 'No response came in time'],
	['EPIPE', 'x'],
])('%s in words', (httpCode, message) => {
	const error = Object.assign(new Error('x'), { httpCode });
	expect(networkError(error, origin).message).toBe(message);
});

test.each<[Parameters<typeof unclear>[1], RequestFacts, string, RegExp]>([
	['record', { code: 'EPIPE' }, 'The record may have been created: x', /^It may exist now: check/],
	['record', { status: 502 }, 'x', /^The record may have been created\. It may exist now/],
	['subscription', { status: 502 }, 'x', /settings of the service, and delete it there/],
	[
		undefined,
		{ status: 400, detail: 'y' },
		'x',
		/^y\. The change may have been carried out\. Look/,
	],
])('an unclear change of %s, %j', (thing, facts, message, description) => {
	const error = unclear(new RequestError('x', { ...facts, advice: 'Do this.' }), thing);
	expect(error).toMatchObject({ ...facts, message, mayHaveHappened: true });
	expect((error as RequestError).description).toMatch(description);
	expect((error as RequestError).description).toMatch(/ Do this\.$/);
});

test.each([
	[404, 'record-not-found', true],
	[404, 'not-found', true],
	[404, 'card-not-found', false],
	[404, undefined, false],
	[410, 'record-not-found', false],
])('%s %s: the record does not exist: %s', (status, kind, expected) => {
	const error = new RequestError('x', { status, ...(kind && { kind }) });
	expect(isNotFound(error, 'record')).toBe(expected);
	expect(isNotFound(new Error('x'), 'record')).toBe(false);
});
