/** A request to n8n's own webhook address: it is only a question, and must never harm. */
import type { IHttpRequestOptions, ITriggerFunctions } from 'n8n-workflow';
import { OWN_TIMEOUT_MS, postToSelf } from '../../../nodes/WorkspaceData/transport/ownWebhook';
import { createTestClock } from '../../support/clock';

async function post(answer: (options: IHttpRequestOptions) => unknown) {
	const clock = createTestClock();
	const start = clock.now();
	const sent: IHttpRequestOptions[] = [];
	const httpRequest = async (options: IHttpRequestOptions) => {
		sent.push(options);
		return await answer(options);
	};
	const context = { helpers: { httpRequest } } as unknown as ITriggerFunctions;
	const url = 'https://n8n.example.com/webhook/1';
	const result = await postToSelf(context, url, 'the body', { 'x-probe': 'p' }, clock);
	return { result, sent, tookMs: clock.now() - start };
}

test('sends the signed body unchanged, and follows no redirect', async () => {
	const { result, sent } = await post(() => ({ statusCode: 401, headers: {}, body: 'the mark' }));
	expect(result).toMatchObject({ status: 401, body: 'the mark' });
	expect(sent).toEqual([
		expect.objectContaining({
			method: 'POST',
			url: 'https://n8n.example.com/webhook/1',
			headers: { 'Content-Type': 'application/json', 'x-probe': 'p' },
			body: 'the body',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		}),
	]);
});

test.each<[string, () => unknown]>([
	['no connection', () => Promise.reject(new Error('connect ECONNREFUSED'))],
	['something that is no answer', () => 'text'],
	['too long an answer', () => ({ statusCode: 200, body: Buffer.alloc(64_001) })],
])('%s is no answer, and nothing is thrown', async (_, answer) => {
	expect((await post(answer)).result).toBeUndefined();
});

test('the longest answer that is read', async () => {
	const body = Buffer.alloc(64_000, 'x');
	expect((await post(() => ({ statusCode: 200, body }))).result?.body).toHaveLength(64_000);
});

test('the trigger waits five seconds at most, and the connection ends', async () => {
	const { result, sent, tookMs } = await post(async () => await new Promise(() => {}));
	expect(result).toBeUndefined();
	expect(tookMs).toBe(OWN_TIMEOUT_MS);
	expect(sent[0]?.timeout).toBe(OWN_TIMEOUT_MS);
	expect(sent[0]?.abortSignal?.aborted).toBe(true);
});
