/** What a message advises after a failure, and what may have become of the request. */
import {
	apiFailure,
	refusalOf,
	sentAfter,
	unreachable,
} from '../../../nodes/WorkspaceData/transport/failure/advice';
import {
	cutOff,
	NetworkFailure,
	tooLarge,
	UnusableResponse,
} from '../../../nodes/WorkspaceData/transport/failure/failureKinds';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';

const page = '<!DOCTYPE html><html><head><title>Bad gateway</title></head></html>';
const problem = (kind: string) => ({ type: `https://example.com/problems/${kind}`, title: 'No' });
const origin = {
	host: 'data.example.com',
	authentication: 'apiKey',
	isRun: true,
	redact: (text: string) => text.replaceAll('secret', '***'),
} as const;
const respond = (status: number, body: unknown = '') => ({ status, headers: {}, body });
const sending = (creates?: string) =>
	({ method: creates ? 'POST' : 'GET', ...(creates && { creates }) }) as const;

const unique = { title: 'Conflict', detail: "'Email' must be unique" };
test.each<[number, unknown, string | undefined, RegExp]>([
	[300, '', undefined, /Redirects aren't followed/],
	[401, '', undefined, /Check 'API Key'/],
	[403, '', undefined, /^This API key can't read this\. Use a credential with access/],
	[404, page, undefined, /A web page responded/],
	[404, problem('card-not-found'), undefined, /^It may have been deleted.*in 'Card'/],
	[409, unique, 'record', /already in use.*'Create or Update'.*as it is stored/],
	[409, { title: 'Conflict' }, 'record', /may be changing it/],
	[400, '', undefined, /check all values/],
	[405, '', undefined, /'Base URL'/],
	[413, { title: 'Too large' }, 'record', /fewer or shorter/],
	[415, '', undefined, /another server/],
	[409, { title: 'Conflict', detail: 'already exists' }, 'record', /'Create or Update'/],
	[429, '', undefined, /'Max Parallel Requests'/],
	[503, { title: 'Maintenance' }, undefined, /under maintenance. Try again later/],
	[500, page, undefined, /web page.*again later.*'Base URL'/],
	[408, '', 'record', /The record may have been created/],
	[302, '', 'record', /The record may have been created.*Redirects aren't followed/],
	[503, '', 'field', /The field may have been created.*'Max Parallel Requests'/],
	[524, page, 'record', /The record may have been created.*web page.*'Base URL'/],
	[500, '', 'subscription', /The subscription may have been created: look for it in the settings/],
])('%d %j, creating %s: the advice', (status, body, creates, words) => {
	expect(apiFailure(respond(status, body), sending(creates), origin).description).toMatch(words);
});

test.each<[number, unknown, string | undefined]>([
	[400, page, undefined],
	[404, problem('card-locked'), undefined],
	[409, { title: 'Option in use', detail: 'Two records use it' }, 'record'],
	[422, { title: 'Invalid', detail: 'Key is a duplicate' }, undefined],
])('%d %j, creating %s: the words of the service say enough', (status, body, creates) => {
	expect(apiFailure(respond(status, body), sending(creates), origin).description).toBeUndefined();
});

const lost = new NetworkFailure('the secret connection was closed', {
	...{ httpCode: 'ECONNRESET', sent: true, transient: true },
});
const late = new NetworkFailure('no response came in time', {
	...{ httpCode: 'ETIMEDOUT', sent: true, transient: true },
});
const never = new NetworkFailure('the connection was refused', { transient: true });
const cut = cutOff();
const odd = new UnusableResponse('the response is odd');

describe('of a trigger or the editor, which have no items and options of requests', () => {
	const elsewhere = { ...origin, isRun: false };
	const statuses = [304, 400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504];
	const requests = [sending('subscription'), { method: 'DELETE' } as const, sending()];
	test.each(requests)('%j: the advice mentions none', (request) => {
		const failures = [
			...statuses.map((status) => apiFailure(respond(status), request, elsewhere)),
			...statuses.map((status) => apiFailure(respond(status, page), request, elsewhere)),
			...[late, lost, never, cut].map((fault) => unreachable(fault, request, elsewhere)),
		];
		const advice = failures.map(({ description }) => description).join('\n');
		expect(advice).not.toMatch(/the node|Max Parallel|'Timeout|with this item/);
	});
});

test('a service that is closed for long: the message says until when', () => {
	const until = Date.UTC(2026, 0, 2, 3, 4, 5);
	const { message } = apiFailure(respond(429), sending(), origin, { until });
	expect(message).toBe('Rate limit reached (closed until 2026-01-02 03:05 UTC)');
});

test.each([undefined, 'record'])('403 for the rate limit, creating %s: its advice', (creates) => {
	const limited = { ...respond(403), headers: { 'x-ratelimit-remaining': '0' } };
	const { description } = apiFailure(limited, sending(creates), origin);
	expect(description).toMatch(/after the limit resets/);
});

test.each([
	[401, /new access token/],
	[403, /^This service account can't read this/],
])('%d of a service account', (status, words) => {
	const account = { ...origin, authentication: 'serviceAccount' } as const;
	expect(apiFailure(respond(status), sending(), account).description).toMatch(words);
});

const patch = { method: 'PATCH' } as const;

test.each<[NetworkFailure, Pick<ApiRequest, 'method' | 'creates'>, string, RegExp, boolean]>([
	[lost, sending('record'), 'The record may have been created: the ***', /check before you/, true],
	[lost, sending('subscription'), 'The subscription may have been created', /settings/, true],
	[late, patch, 'The change may have been carried out', /'Timeout \(Seconds\)'/, true],
	[lost, patch, 'The change may have been carried out: the ***', /with this item/, true],
	[lost, sending(), "The service couldn't be reached: the ***", /data.example.com/, false],
	[never, sending('record'), "The service couldn't be reached", /data.example.com/, false],
	[never, patch, "The service couldn't be reached", /make sure that this n8n/, false],
	[cut, patch, 'The change may have been carried out: the response ended early', /again/, true],
	[cut, sending(), 'The service responded, but the response ended early', /'Base URL'/, false],
	[late, sending(), "The service couldn't be reached: no response", /^If.*'Timeout \(Seco/, false],
	[odd, sending(), 'The service responded, but the response is odd', /^Check 'Base URL'/, false],
	[tooLarge(), sending(), 'The service responded', /^At most 64 MB.*'Limit'/, false],
	[tooLarge(), sending('record'), 'The record may have been created', /check/, true],
])('%s for %j: %s', (fault, request, message, description, sent) => {
	expect(unreachable(fault, request, origin)).toMatchObject({
		message: expect.stringContaining(message),
		description: expect.stringMatching(description),
		httpCode: fault.httpCode,
		sent,
		tooLarge: fault.tooLarge,
	});
});

test.each<[string, Parameters<typeof sentAfter>[0], boolean, boolean]>([
	['no connection', never, false, true],
	['no response', lost, true, true],
	['a gateway that gave up', respond(504), true, true],
	['a redirect to what it has created', respond(303), true, true],
	['a refused token', respond(401), false, true],
	['a refusal for the rate', respond(429), false, true],
	// The earlier try may be the reason.
	['a refusal of the key', respond(403), false, true],
	['a missing record', respond(404), false, true],
	['a conflict', respond(409), false, true],
	['a web page in place of a refusal', respond(400, page), false, true],
	['a refusal of the values, which an earlier try had as well', respond(422), false, false],
])('a change after %s: it was sent, alone and after a lost try', (_, outcome, alone, after) => {
	expect(sentAfter(outcome, patch)).toBe(alone);
	expect(sentAfter(outcome, patch, true)).toBe(after);
	expect(sentAfter(outcome, { method: 'GET' })).toBe(false);
});

test('what may have become of earlier tries stays in every kind of failure', () => {
	expect(sentAfter(never, patch, true)).toBe(true);
	expect(apiFailure(respond(500), patch, origin).description).toMatch(/may have been carried out/);
	const inBody = respond(200, { type: 'about:blank', status: 503, title: 'Unavailable' });
	const failure = refusalOf(inBody, sending('record'), origin);
	expect(failure?.description).toMatch(/may have been created/);
	const refusal = respond(200, { success: false, message: 'No' });
	expect(refusalOf(refusal, patch, origin, true)).toMatchObject({ sent: true });
	expect(unreachable(never, patch, origin, true).message).toMatch(/^The change may have been/);
	expect(apiFailure(respond(503), patch, origin, { sent: true }).sent).toBe(true);
});
