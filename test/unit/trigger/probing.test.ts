/** The probe by which n8n asks itself whether a subscription is saved, and the answer to it. */
import type { IHttpRequestOptions, IWebhookFunctions } from 'n8n-workflow';
import { PROBE_HEADER } from '../../../nodes/WorkspaceData/model/subscription/proof';
import type { StoredSubscriptions } from '../../../nodes/WorkspaceData/model/subscription/stored';
import { receiveDelivery } from '../../../nodes/WorkspaceData/trigger/delivery/receive';
import { answerProbe, probe } from '../../../nodes/WorkspaceData/trigger/subscription/probe';
import { activate } from '../../../nodes/WorkspaceData/trigger/subscription/publishing';
import { openStore } from '../../../nodes/WorkspaceData/trigger/subscription/storage';
import { ADDRESS, triggerHost } from '../../support/triggerHost';

type Answer = Awaited<ReturnType<typeof answerProbe>>;

/** A published trigger whose probe is answered by what is saved, or as a test changes that. */
async function world() {
	const host = triggerHost();
	const { hook, trigger, clock, node, state } = host;
	await activate(hook, clock);
	const place = {
		saved: await openStore(hook, 'apiKey').read(),
		/** Changes the request on its way. */
		onWay: (request: { body: Uint8Array; headers: Record<string, unknown> }) => request,
		secret: async () => state.apiKey,
	};
	const answers: Answer[] = [];
	const sent: IHttpRequestOptions[] = [];
	trigger.helpers.httpRequest = async (options: IHttpRequestOptions) => {
		sent.push(options);
		const request = place.onWay({
			body: Buffer.from(String(options.body)),
			headers: options.headers as Record<string, unknown>,
		});
		const answer = await answerProbe(request, place.saved, place.secret, clock);
		answers.push(answer);
		return { statusCode: answer?.status ?? 401, headers: {}, body: answer?.text ?? '' };
	};
	const { current } = node().set;
	if (!current) throw new Error('There is no subscription');
	const ask = async (known: string[] = []) =>
		await probe(trigger, { type: 'probe', subscription: current, known }, 'apiKey', clock);
	const save = (changes: Partial<StoredSubscriptions>) => {
		place.saved = { ...place.saved, ...changes };
	};
	return { ...host, place, answers, sent, ask, save, subscription: current };
}

test('a subscription that is saved as the current one is confirmed', async () => {
	const { ask, answers, sent } = await world();
	expect(await ask()).toBe('confirmed');
	expect(answers).toEqual([{ status: 200, text: expect.any(String) }]);
	expect(sent.map(({ url }) => url)).toEqual([ADDRESS]);
});

test('each probe is another one: a captured answer confirms nothing later', async () => {
	const { ask, answers } = await world();
	await ask();
	await ask();
	expect(answers[0]?.text).not.toBe(answers[1]?.text);
});

test('a subscription that is not saved is refused by the node itself', async () => {
	const { ask, answers, save } = await world();
	save({ current: undefined });
	expect(await ask()).toBe('refused');
	expect(answers).toEqual([{ status: 401, text: expect.any(String) }]);
});

test('one that is saved, but as a replaced one, is not confirmed', async () => {
	const { ask, save, subscription } = await world();
	const retired = [{ ...subscription, deleteAt: null, giveUpAt: null, wasSaved: true }];
	save({ current: { ...subscription, id: 's9', secret: 'other' }, retired });
	expect(await ask()).toBe('unknown');
});

test('where more are saved than the asker knows, nothing is confirmed, so that they are found and deleted', async () => {
	const { ask, save, subscription } = await world();
	const retired = [{ ...subscription, id: 's0', deleteAt: 0, giveUpAt: null, wasSaved: true }];
	save({ retired });
	expect(await ask()).toBe('unknown');
	expect(await ask(['s0'])).toBe('confirmed');
});

test.each<[string, (headers: Record<string, unknown>) => Record<string, unknown>]>([
	['without its header', ({ [PROBE_HEADER]: _, ...rest }) => rest],
	['with its header twice', (headers) => ({ ...headers, [PROBE_HEADER]: [headers[PROBE_HEADER]] })],
	['with another header', (headers) => ({ ...headers, [PROBE_HEADER]: 'x' })],
])('a request %s is none of this node', async (_, change) => {
	const { ask, answers, place } = await world();
	place.onWay = ({ body, headers }) => ({ body, headers: change(headers) });
	expect(await ask()).toBe('unknown');
	expect(answers).toStrictEqual([undefined]);
});

test('a probe whose body was changed is none of this node', async () => {
	const { ask, answers, place } = await world();
	place.onWay = ({ headers }) => ({ body: Buffer.from('{}'), headers });
	expect(await ask()).toBe('unknown');
	expect(answers).toStrictEqual([undefined]);
});

test.each([undefined, 'another key'])(
	'a process with the credential %s answers nothing',
	async (secret) => {
		const { ask, answers, place } = await world();
		place.secret = async () => secret;
		expect(await ask()).toBe('unknown');
		expect(answers).toStrictEqual([undefined]);
	},
);

test('where n8n cannot reach its own address, nothing is known', async () => {
	const { ask, trigger } = await world();
	trigger.helpers.httpRequest = async () => {
		throw new Error('No way');
	};
	expect(await ask()).toBe('unknown');
});

test('the node’s webhook answers its own probe, and starts nothing', async () => {
	const { ask, trigger, webhook, clock, node } = await world();
	const results: unknown[] = [];
	trigger.helpers.httpRequest = async ({ body, headers }: IHttpRequestOptions) => {
		const answer = { statusCode: 0, body: '' };
		const response = {
			status(code: number) {
				answer.statusCode = code;
				return response;
			},
			end: (text: string) => (answer.body = text),
		};
		const context = {
			...webhook,
			getRequestObject: () => ({ headers, rawBody: Buffer.from(String(body)) }),
			getResponseObject: () => response,
		} as unknown as IWebhookFunctions;
		results.push(await receiveDelivery(context, clock));
		return { headers: {}, ...answer };
	};
	expect(await ask()).toBe('confirmed');
	expect(results).toEqual([{ noWebhookResponse: true }]);
	// A probe is no delivery that shows that the service reaches n8n.
	expect(node().set.seen).toBe(false);
});
