/** What follows a try, and what a request sends. */
import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { cards, openApi, recordsOf } from '../../../nodes/WorkspaceData/transport/api';
import { Cancelled, RequestError } from '../../../nodes/WorkspaceData/transport/errors';
import { refusal } from '../../../nodes/WorkspaceData/transport/response';
import { nextStep } from '../../../nodes/WorkspaceData/transport/send';
import { createTestClock } from '../../support/clock';

const refused = (status: number) => (method: Method) =>
	refusal({
		status,
		headers: {},
		text: '',
		origin: { host: 'h', account: 'API key', address: 'Base URL', method, clean: (text) => text },
	});
const fault = (mayHaveHappened: boolean) => () =>
	new RequestError('x', { isTransient: true, mayHaveHappened });

type Method = Parameters<typeof nextStep>[1];

test.each<[string, (method: Method) => Parameters<typeof nextStep>[0], string, string, string]>([
	['302', refused(302), 'fail', 'fail', 'fail'],
	['404', refused(404), 'fail', 'fail', 'fail'],
	['408', refused(408), 'again', 'fail', 'fail'],
	['429', refused(429), 'wait', 'wait', 'wait'],
	['500', refused(500), 'again', 'fail', 'fail'],
	['503', refused(503), 'again', 'fail', 'fail'],
	['a fault that left', fault(true), 'again', 'fail', 'fail'],
	['a fault before', fault(false), 'again', 'again', 'fail'],
	['a refusal of n8n', () => new RequestError('x'), 'fail', 'fail', 'fail'],
	['cancelled', () => new Cancelled(), 'fail', 'fail', 'fail'],
])('what follows %s', (_what, failure, read, create, last) => {
	for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
		expect(nextStep(failure(method), method, {}, 1)).toBe(read);
		expect(nextStep(failure(method), method, {}, 2)).toBe(read);
		expect(nextStep(failure(method), method, {}, 3)).toBe(last);
		expect(nextStep(failure(method), method, { isUrgent: true }, 1)).toBe(last);
	}
	expect(nextStep(failure('POST'), 'POST', {}, 1)).toBe(create);
	expect(nextStep(failure('POST'), 'POST', {}, 3)).toBe(last);
});

let keys = 0;

/** An api whose responses a test gives. @param answers are statuses, bodies, or what n8n's helper throws */
async function scripted(answers: unknown[], signal?: AbortSignal) {
	keys += 1;
	const sent: IHttpRequestOptions[] = [];
	const clock = createTestClock();
	const credential = {
		baseUrl: 'https://data.example.com/api/v1/',
		workspaceId: 'w 1',
		apiKey: `Bearer key-number-${keys}`,
	};
	const context = {
		getCredentials: async () => await Promise.resolve(credential),
		getExecutionCancelSignal: () => signal,
		helpers: {
			httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) => {
				sent.push(options);
				const answer = answers.shift();
				if (answer instanceof Error) throw answer;
				if (answer === undefined) return await new Promise(() => {});
				const isStatus = typeof answer === 'number';
				return {
					statusCode: isStatus ? answer : 200,
					headers: {},
					body: isStatus ? '' : JSON.stringify(answer),
				};
			},
		},
	};
	const api = await openApi(context as unknown as IExecuteFunctions, 'apiKey', clock);
	return { api, sent, clock };
}

const reset = () => Object.assign(new Error('closed'), { httpCode: 'ECONNRESET' });
const unreachable = () => Object.assign(new Error('refused'), { httpCode: 'ECONNREFUSED' });

test('a request goes to the workspace, with its body as text, and follows no redirect', async () => {
	const { api, sent } = await scripted([{ id: 'r1', data: {} }]);
	await api.create(recordsOf('c/1'), { data: JSON.parse('{"__proto__":1}') as object });
	expect(sent).toEqual([
		expect.objectContaining({
			method: 'POST',
			url: 'https://data.example.com/api/v1/workspaces/w%201/cards/c%2F1/records',
			body: '{"data":{"__proto__":1}}',
			headers: { 'Content-Type': 'application/json' },
			timeout: 30_000,
			disableFollowRedirect: true,
		}),
	]);
	expect(api.address).toBe('https://data.example.com/api/v1/workspaces/w%201');
});

test.each([
	['a deletion whose first try may have worked', [reset(), 404]],
	['a deletion after an error of the service', [503, 404]],
	['a deletion', [204]],
])('%s is done', async (_what, answers) => {
	const { api, sent } = await scripted([...answers]);
	await api.remove(recordsOf('c'), 'r1');
	expect(sent).toHaveLength(answers.length);
});

test.each([
	['what never existed', [404], false],
	['what can’t be reached', [unreachable(), unreachable(), unreachable()], false],
	['what may have been deleted', [reset(), unreachable(), unreachable()], true],
	['what the service fails at', [500, 500, 500], true],
])('a deletion of %s fails', async (_what, answers, mayHaveHappened) => {
	const { api } = await scripted([...answers]);
	const removing = api.remove(recordsOf('c'), 'r1');
	await expect(removing).rejects.toMatchObject({ mayHaveHappened });
});

test('a create that is canceled ends at once, and may have been carried out', async () => {
	const controller = new AbortController();
	const { api } = await scripted([], controller.signal);
	const creating = api.create(cards, {}, { timeoutMs: 1e9 });
	setImmediate(() => controller.abort());
	await expect(creating).rejects.toMatchObject({ name: 'Cancelled', mayHaveHappened: true });
	await expect(api.list(cards)).rejects.toMatchObject({ mayHaveHappened: false });
});

test('five minutes in all are waited for the rate limit', async () => {
	const { api, sent, clock } = await scripted(Array.from({ length: 20 }, () => 429));
	const start = clock.now();
	await expect(api.list(cards)).rejects.toThrow(/^Rate limit reached/);
	expect(clock.now() - start).toBeLessThanOrEqual(300_000);
	// 1, 2, 4, 8, 16, 32, 60 … seconds.
	expect(sent).toHaveLength(10);
});
