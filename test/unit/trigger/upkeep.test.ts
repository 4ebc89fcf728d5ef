/** What a published trigger does while time passes: renewals, the credential, deletions, and the search for missed records. */
import type { IDataObject, IHttpRequestOptions, IRun } from 'n8n-workflow';
import { NO_SUBSCRIPTIONS } from '../../../nodes/WorkspaceData/model/subscription/stored';
import { answerProbe } from '../../../nodes/WorkspaceData/trigger/subscription/probe';
import { activate } from '../../../nodes/WorkspaceData/trigger/subscription/publishing';
import { lookAfter } from '../../../nodes/WorkspaceData/trigger/subscription/upkeep';
import { type Execution, triggerHost } from '../../support/triggerHost';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function world(parameters: IDataObject = {}) {
	const host = triggerHost(parameters);
	await activate(host.hook, host.clock);
	const response = await lookAfter(host.trigger, host.clock);
	host.requests();
	host.lines.length = 0;
	const due = () => {
		host.node().dispatch({ type: 'credentialChanged', now: host.clock.now() });
	};
	return { ...host, response, due, current: () => host.node().set.current?.id };
}

const fails: Execution = (_item, { resolve }) =>
	resolve({
		status: 'error',
		data: { resultData: { lastNodeExecuted: 'Trigger' } },
	} as unknown as IRun);

test('a test for an event needs no upkeep', async () => {
	const host = triggerHost();
	host.state.mode = 'manual';
	expect(await lookAfter(host.trigger, host.clock)).toEqual({});
	expect(host.crons).toEqual([]);
});

test('settings that cannot be used are an error that says what to do', async () => {
	const host = triggerHost({ events: [] });
	await expect(lookAfter(host.trigger, host.clock)).rejects.toThrow(
		"'Trigger On' is empty. Choose at least one event.",
	);
});

test('while all is well, nothing is sent, every ten seconds', async () => {
	const { crons, tick, requests, emitted, clock } = await world();
	expect(crons.map(({ expression }) => expression)).toEqual(['*/10 * * * * *']);
	await tick();
	clock.pass(HOUR);
	await tick();
	expect(requests()).toEqual([]);
	expect(emitted).toEqual([]);
});

describe('a renewal', () => {
	test('follows a silence, which is spread a little, and is saved by an execution', async () => {
		const { tick, requests, emitted, clock, current } = await world();
		clock.pass(24 * HOUR);
		await tick();
		expect(requests()).toEqual([]);
		clock.pass(1.2 * HOUR);
		await tick();
		expect(requests()).toEqual(['POST /webhooks']);
		expect(current()).toBe('s2');
		expect(emitted).toEqual([{ event: 'subscription_renewed', sealed: expect.any(String) }]);
	});

	test('does not follow where silence does not count', async () => {
		const { tick, requests, clock } = await world({ options: { renewAfterSilence: 0 } });
		clock.pass(9_000 * HOUR);
		await tick();
		expect(requests()).toEqual([]);
	});

	test('that the service refuses is tried again after a pause, and the log says so sparingly', async () => {
		const { tick, requests, lines, state, clock, due, current } = await world();
		due();
		state.answer = () => ({ statusCode: 403, body: { title: 'Not now' } });
		await tick();
		await tick();
		expect(requests()).toEqual(['POST /webhooks']);
		expect(lines).toEqual([
			expect.stringMatching(/^Trigger: The subscription could not be renewed yet: .*Not now/),
		]);
		state.answer = () => undefined;
		clock.pass(HOUR);
		await tick();
		expect(current()).toBe('s2');
		expect(lines).toHaveLength(1);
	});

	test('is given a minute, as nobody waits for it', async () => {
		const { tick, sent, due } = await world();
		due();
		await tick();
		expect(sent.map(({ options }) => options.timeout)).toEqual([60_000]);
	});

	test('is not begun twice where the service is slow', async () => {
		const { tick, requests, state, due, idle } = await world();
		due();
		let answer = () => {};
		const answered = new Promise<void>((resolve) => (answer = resolve));
		state.answer = async () => {
			await answered;
			return undefined;
		};
		await tick();
		await tick();
		expect(requests()).toEqual(['POST /webhooks']);
		answer();
		await idle();
		await tick();
		expect(requests()).toEqual([]);
	});
});

describe('a credential that somebody changes', () => {
	test('is noticed within a minute, and the subscription is renewed', async () => {
		const { tick, requests, lines, state, clock, current } = await world();
		state.apiKey = `another ${state.apiKey}`;
		clock.pass(MINUTE - 1);
		await tick();
		expect(requests()).toEqual([]);
		clock.pass(1);
		await tick();
		expect(requests()).toEqual(['POST /webhooks']);
		expect(current()).toBe('s2');
		expect(lines).toEqual(['Trigger: The credential has changed: the subscription is renewed']);
		clock.pass(MINUTE);
		await tick();
		expect(requests()).toEqual([]);
	});

	test('is noticed at once where the service refused the old one', async () => {
		const { tick, requests, state, due, lines } = await world();
		due();
		state.answer = () => ({ statusCode: 401, body: { title: 'Who are you?' } });
		await tick();
		state.answer = () => undefined;
		state.apiKey = `another ${state.apiKey}`;
		requests();
		await tick();
		expect(requests()).toEqual(['POST /webhooks']);
		expect(lines.join()).toContain('The credential has changed');
	});

	test('is noticed although the clock was put back', async () => {
		const { tick, lines, state, clock } = await world();
		state.apiKey = `another ${state.apiKey}`;
		clock.pass(-HOUR);
		await tick();
		expect(lines).toEqual(['Trigger: The credential has changed: the subscription is renewed']);
	});

	test('to what cannot be read is no change', async () => {
		const { tick, lines, state, clock, requests } = await world();
		const { apiKey } = state;
		state.apiKey = undefined;
		clock.pass(MINUTE);
		await tick();
		state.apiKey = apiKey;
		clock.pass(MINUTE);
		await tick();
		expect(lines).toEqual([]);
		expect(requests()).toEqual([]);
	});

	test('is read once a minute at most while all is well', async () => {
		const { tick, trigger, clock } = await world();
		const reading = jest.spyOn(trigger, 'getCredentials');
		for (let n = 0; n < 13; n += 1) {
			await tick();
			clock.pass(10_000);
		}
		expect(reading).toHaveBeenCalledTimes(2);
	});

	test('is none where this process has not tried a renewal', async () => {
		const { tick, node, clock, lines } = await world();
		node().credential = undefined;
		clock.pass(MINUTE);
		await tick();
		expect(node().credential).toBeUndefined();
		expect(lines).toEqual([]);
	});
});

test('replaced subscriptions are deleted when their overlap is over', async () => {
	const { tick, requests, clock, hook } = await world();
	await activate(hook, clock);
	requests();
	clock.pass(15 * MINUTE - 1);
	await tick();
	expect(requests()).toEqual([]);
	clock.pass(1);
	await tick();
	expect(requests()).toEqual(['DELETE /webhooks/s1']);
});

describe('a replaced subscription whose successor another process saved', () => {
	/** Renewed and saved elsewhere; its overlap is over. */
	async function overlapped() {
		const host = await world();
		host.due();
		await host.tick();
		host.requests();
		host.emitted.length = 0;
		host.clock.pass(15 * MINUTE);
		return host;
	}

	test('is deleted once n8n has answered itself that the successor is saved', async () => {
		const { tick, trigger, node, clock, requests, emitted, state } = await overlapped();
		trigger.helpers.httpRequest = async ({ body, headers = {} }: IHttpRequestOptions) => {
			const { set } = node();
			const saved = { ...NO_SUBSCRIPTIONS, current: set.current, retired: [...set.retired] };
			const request = { body: Buffer.from(String(body)), headers };
			const answer = await answerProbe(request, saved, async () => state.apiKey, clock);
			return { statusCode: answer?.status ?? 401, headers: {}, body: answer?.text ?? '' };
		};
		await tick();
		expect(requests()).toEqual(['DELETE /webhooks/s1']);
		expect(emitted).toEqual([]);
	});

	test('is left to an execution where n8n cannot reach its own address', async () => {
		const { tick, requests, emitted } = await overlapped();
		await tick();
		expect(requests()).toEqual([]);
		expect(emitted).toEqual([expect.objectContaining({ deletes: ['s1'], isSettled: true })]);
	});
});

test('deletions that failed for a week are given up, and the log names them', async () => {
	const { tick, clock, hook, lines, state } = await world();
	await activate(hook, clock);
	state.answer = (line) => (line.startsWith('DELETE') ? { statusCode: 403 } : undefined);
	clock.pass(HOUR);
	await tick();
	clock.pass(8 * 24 * HOUR);
	await tick();
	expect(lines).toContainEqual(
		expect.stringContaining('Subscriptions s1 still exist at the service'),
	);
});

test('a closed trigger does nothing more, even in the middle of its work', async () => {
	const { tick, requests, due, response, state, node, clock } = await world();
	due();
	node().dispatch({ type: 'strained', id: 's1', now: clock.now() });
	state.answer = async () => {
		await response.closeFunction?.();
		return undefined;
	};
	node().pendingSearch = { search: { from: 0, earlier: [], upTo: 1 }, triesLeft: 3, notBefore: 0 };
	await tick();
	expect(requests()).toEqual(['POST /webhooks']);
	expect(node().pendingSearch).toBeDefined();
	due();
	await tick();
	expect(requests()).toEqual([]);
});

test('an error that nobody expects is told in the log, sparingly, and ends nothing', async () => {
	const { tick, lines, node, requests, due } = await world();
	const dispatch = jest.spyOn(node(), 'dispatch').mockImplementation(() => {
		throw new Error('Out of memory');
	});
	await tick();
	await tick();
	expect(lines).toEqual(['Trigger: The subscription could not be checked: Out of memory']);
	dispatch.mockRestore();
	due();
	await tick();
	expect(requests()).toEqual(['POST /webhooks']);
});

describe('the search for missed records', () => {
	async function searching() {
		const host = await world({ options: { catchUp: true } });
		const { node, clock, emitted } = host;
		node().pendingSearch = {
			search: { from: 0, earlier: [], upTo: 60_000 },
			triesLeft: 2,
			notBefore: clock.now() + 5_000,
		};
		return { ...host, searches: () => emitted.filter(({ event }) => event === 'catch_up').length };
	}

	test('begins when it is due, once', async () => {
		const { tick, clock, searches, emitted, node } = await searching();
		clock.pass(4_999);
		await tick();
		expect(searches()).toBe(0);
		clock.pass(1);
		await tick();
		expect(emitted).toEqual([
			{
				event: 'catch_up',
				from: '1970-01-01T00:00:00.000Z',
				to: '1970-01-01T00:01:00.000Z',
				earlier: [],
			},
		]);
		expect(node().pendingSearch).toBeUndefined();
		clock.pass(HOUR);
		await tick();
		expect(searches()).toBe(1);
	});

	test('that fails is done again after a minute, as often as it may be', async () => {
		const { tick, clock, searches, state } = await searching();
		state.execution = fails;
		clock.pass(5_000);
		await tick();
		clock.pass(MINUTE - 1);
		await tick();
		expect(searches()).toBe(1);
		clock.pass(1);
		await tick();
		expect(searches()).toBe(2);
		clock.pass(HOUR);
		await tick();
		expect(searches()).toBe(2);
	});

	test('that fails gives way to a newer one', async () => {
		const { tick, clock, state, node } = await searching();
		const newer = { search: { from: 7, earlier: [], upTo: 8 }, triesLeft: 3, notBefore: Infinity };
		state.execution = (item, done) => {
			node().pendingSearch = newer;
			fails(item, done);
		};
		clock.pass(5_000);
		await tick();
		expect(node().pendingSearch).toBe(newer);
	});
});

test('a node that was never published here is not renewed by it', async () => {
	const host = triggerHost();
	await lookAfter(host.trigger, host.clock);
	host.node().dispatch({ type: 'credentialChanged', now: host.clock.now() });
	await host.tick();
	expect(host.requests()).toEqual([]);
	expect(host.lines).toEqual([]);
});
