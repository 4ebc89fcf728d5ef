/** What requests of several items cost where the service refuses them, or keeps silent: in time, and in requests. */
import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Session } from '../../../nodes/WorkspaceData/transport/session';
import {
	getRecordPage,
	openRecordListing,
} from '../../../nodes/WorkspaceData/transport/recordListing';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';
import { createTestClock } from '../../support/clock';
import { sessionOf } from '../../support/session';

type Answer =
	| Record<string, unknown>
	| Error
	| ((options: IHttpRequestOptions) => Record<string, unknown>);

const answer = (statusCode: number, headers: object = {}, body: unknown = {}) => ({
	statusCode,
	headers,
	body,
});
const ok = answer(200);
const failure = (code: string) => Object.assign(new Error(code), { code });

let keys = 0;

/** The service behind n8n's request helper: gives the answers in turn, the last one forever. */
async function service(...answers: Answer[]) {
	let answered = 0;
	const clock = createTestClock();
	const start = clock.now();
	const waited = () => clock.now() - start;
	const sent: IHttpRequestOptions[] = [];
	// A separate key for each test: the pace is shared by all that use the same key.
	const apiKey = `key-of-test-${(keys += 1)}`;
	const open = async (signal?: AbortSignal) =>
		await sessionOf(
			apiKey,
			clock,
			async (options) => {
				sent.push(options);
				const next = answers[Math.min(answered, answers.length - 1)];
				answered += 1;
				await clock.sleep(10);
				if (next instanceof Error) throw next;
				return typeof next === 'function' ? next(options) : next;
			},
			signal,
		);
	/** `open` opens the service for another execution with the same key. */
	return { session: await open(), sent, clock, waited, open };
}

const request = (method: ApiRequest['method'], more: Partial<ApiRequest> = {}): ApiRequest => ({
	method,
	path: ['cards', { value: 'c/1', parameter: 'Card' }, 'records'],
	...(method === 'POST' && { body: { data: {} }, creates: 'record' }),
	...more,
});

/** So many requests at once: their responses or errors. */
const outcomes = async (session: Session, count: number, sent: ApiRequest): Promise<unknown[]> =>
	await Promise.all(
		Array.from({ length: count }, async () => await session.request(sent).catch((e: unknown) => e)),
	);

test('pauses after faults grow and have jitter', async () => {
	const { session, waited } = await service(failure('ECONNREFUSED'));
	await expect(session.request(request('GET'))).rejects.toThrow();
	expect(waited()).toBe(3 * 10 + 300 + 600);
});

test.each<[string, number, Answer[], boolean]>([
	['lost', 404, [failure('ECONNRESET')], true],
	['lost', 410, [answer(503)], true],
	['refused for the rate', 404, [answer(429)], false],
	['missing', 404, [], false],
])(
	'a deletion %s, then %d: done only if an earlier try may have done it',
	async (_, status, earlier, isDone) => {
		const gone = { type: 'https://x.example/record-not-found', title: 'Record not found' };
		const { session } = await service(...earlier, answer(status, {}, gone));
		const deleting = session.request(request('DELETE', { deletes: 'record' }));
		const outcome = await deleting.catch((error: unknown) => error);
		expect(outcome).toMatchObject(isDone ? { status: 204 } : { message: 'Record not found' });
	},
);

describe('refusals that tell no usable time', () => {
	test('pauses of at least a second, which double', async () => {
		const { session, waited, sent } = await service(answer(429, { 'retry-after': '-5' }));
		for (const error of await outcomes(session, 20, request('POST'))) {
			expect(error).toMatchObject({ problem: { status: 429 }, transient: true });
		}
		expect(waited()).toBeLessThan(6 * 60_000);
		// Each of them nine times at most.
		expect(sent.length).toBeLessThanOrEqual(20 * 9);
	});
	test('a call of the editor ends within seconds', async () => {
		const { session, waited, sent } = await service(answer(429, { 'retry-after': '0' }));
		await expect(session.request(request('GET', { impatient: true }))).rejects.toThrow();
		expect(waited()).toBeLessThan(6_000);
		expect(sent.length).toBeLessThanOrEqual(3);
	});
});

describe('a service that is closed for a day', () => {
	const reset = String(Date.UTC(2026, 0, 2) / 1000);
	const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
	const closed = answer(429, headers);
	const MESSAGE = 'Rate limit reached (closed until 2026-01-02 00:01 UTC)';

	test('50 items: one request, no wait, and each says until when', async () => {
		const { session, waited, sent } = await service(closed);
		for (const error of await outcomes(session, 50, request('GET', { maxParallel: 1 }))) {
			expect(error).toMatchObject({ message: MESSAGE, problem: { status: 429 }, transient: true });
		}
		expect(waited()).toBeLessThan(1_000);
		expect(sent).toHaveLength(1);
	});
	test('the last response has said so: the next execution asks once', async () => {
		const { session, open, sent } = await service(answer(200, headers), closed);
		await session.request(request('GET'));
		const next = await open();
		for (const error of await outcomes(next, 50, request('GET')))
			expect(error).toMatchObject({ message: MESSAGE });
		expect(sent).toHaveLength(2);
	});
	test('another execution asks again: the service may be open by then', async () => {
		const { session, open } = await service(closed, ok);
		await expect(session.request(request('POST'))).rejects.toThrow('closed until');
		await expect(session.request(request('POST'))).rejects.toThrow('closed until');
		expect(await (await open()).request(request('POST'))).toMatchObject({ status: 200 });
	});
});

test('an execution that has waited five minutes in vain ends, and says until when the next wait would be', async () => {
	const { session, waited, sent } = await service(answer(429));
	for (const error of await outcomes(session, 50, request('POST', { maxParallel: 1 })))
		expect(error).toMatchObject({ message: expect.stringContaining('closed until') });
	expect(waited()).toBeLessThanOrEqual(5 * 60_000 + 1_000);
	expect(sent.length).toBeLessThan(12);
});

test('a service that serves now and then is waited for as long as it takes', async () => {
	const refusal = answer(429, { 'retry-after': '50' });
	const { session, waited } = await service(
		...Array.from({ length: 20 }, () => [refusal, refusal, ok]).flat(),
	);
	for (const response of await outcomes(session, 20, request('GET', { maxParallel: 1 })))
		expect(response).toMatchObject({ status: 200 });
	expect(waited()).toBeGreaterThan(20 * 100_000);
});

test('an item that waits in vain ends the others only if nothing was served meanwhile', async () => {
	const { session } = await service(({ url }) =>
		url.endsWith('/limited') ? answer(429, { 'retry-after': '50' }) : answer(200),
	);
	let failure: unknown;
	const limited = session
		.request(request('GET', { path: ['limited'] }))
		.catch((error: unknown) => (failure = error));
	while (failure === undefined) await session.request(request('GET'));
	await limited;
	expect(failure).toMatchObject({ problem: { status: 429 } });
	expect(await session.request(request('GET'))).toMatchObject({ status: 200 });
});

test.each<Partial<ApiRequest>>([{ impatient: true }, { optional: true }])(
	'%j: a request that is refused in vain ends no other',
	async (how) => {
		const { session } = await service(({ url }) =>
			url.endsWith('/limited') ? answer(429, { 'retry-after': '1' }) : ok,
		);
		await expect(session.request(request('GET', { path: ['limited'], ...how }))).rejects.toThrow();
		expect(await session.request(request('POST'))).toMatchObject({ status: 200 });
	},
);

describe('a service that keeps silent', () => {
	const silence = new Promise<never>(() => {}) as unknown as Answer;

	test('20 deletes: three time-outs, then the rest fails at once, unsent', async () => {
		const { session, waited, sent } = await service(silence);
		const errors = await outcomes(session, 20, request('DELETE', { maxParallel: 1 }));
		expect(waited()).toBeLessThan(100_000);
		expect(sent.map(({ abortSignal }) => abortSignal?.aborted)).toEqual([true, true, true]);
		expect(errors[0]).toMatchObject({
			message: 'The change may have been carried out: no response came in time',
			transient: true,
		});
		expect(errors[19]).toMatchObject({ message: expect.stringContaining("wasn't sent") });
	});

	test('optional requests are sent once each, and their time-outs end nothing', async () => {
		const { session, sent } = await service(silence, silence, silence, silence, ok);
		for (let n = 0; n < 4; n += 1) {
			await expect(session.request(request('GET', { optional: true }))).rejects.toThrow();
		}
		expect(await session.request(request('POST'))).toMatchObject({ status: 200 });
		expect(sent).toHaveLength(5);
	});

	test('a first page: three times with a limit and once without, then the reason is the time', async () => {
		const { session, waited, sent } = await service(silence);
		await expect(openRecordListing(session, 'c1', Infinity).first(1)).rejects.toMatchObject({
			message: expect.stringContaining('no response came in time'),
			description: expect.stringContaining("'Timeout (Seconds)'"),
		});
		expect(sent.map(({ qs }) => qs?.limit)).toEqual([1_000, 1_000, 1_000, undefined]);
		expect(waited()).toBeLessThan(125_000);
		// Other requests of the run are sent: the reason may have been the page.
		await expect(session.request(request('GET'))).rejects.toThrow('no response came in time');
	});

	test('without a limit it works, so it is left out from then on, in other executions as well', async () => {
		const page: Answer = () => answer(200, {}, { records: [], next_cursor: null });
		const { session, open, sent } = await service(silence, silence, silence, page);
		expect(await openRecordListing(session, 'c1', Infinity).first(1)).toEqual([]);
		expect(await openRecordListing(await open(), 'c2', 40).first(1)).toEqual([]);
		expect(sent.map(({ qs }) => qs?.limit)).toEqual([1_000, 1_000, 1_000, undefined, undefined]);
	});

	test('a single page is asked for three times, and its failure ends the run', async () => {
		const { session, sent } = await service(silence);
		const read = async () => await getRecordPage(session, 'c1', { limit: 100 });
		await expect(read()).rejects.toThrow('no response came in time');
		await expect(read()).rejects.toThrow("wasn't sent");
		expect(sent).toHaveLength(3);
	});

	test('a response in between begins the count again', async () => {
		const { session, sent } = await service(silence, silence, ok, silence, silence, ok);
		for (let n = 0; n < 2; n += 1) await session.request(request('GET'));
		expect(sent).toHaveLength(6);
	});

	test('16 creates in parallel: none that waits is sent', async () => {
		const { session, sent } = await service(silence);
		const errors = await outcomes(session, 100, request('POST', { timeoutMs: 1_000 }));
		expect(sent.length).toBeLessThanOrEqual(17);
		expect(errors.at(-1)).toMatchObject({
			message: expect.stringContaining("wasn't sent"),
			description: expect.stringContaining("'Timeout (Seconds)'"),
		});
	});

	test('after a response, nothing is left to end: the client would make an error of it', async () => {
		const { session, sent, clock } = await service(ok);
		await session.request(request('GET'));
		await clock.sleep(3_600_000);
		expect(sent[0]?.abortSignal?.aborted).toBe(false);
	});
});
