/** How a subscription is renewed: conflicts, lost answers, answers that come too late, and what follows. */
import type { IDataObject } from 'n8n-workflow';
import { activate } from '../../../nodes/WorkspaceData/trigger/subscription/publishing';
import { jitterOf, renew } from '../../../nodes/WorkspaceData/trigger/subscription/renew';
import { BACKGROUND_CALL } from '../../../nodes/WorkspaceData/trigger/subscription/subscriptionApi';
import { settingsOf } from '../../support/triggerSettings';
import { ADDRESS, triggerHost } from '../../support/triggerHost';

async function world(parameters: IDataObject = {}, address = ADDRESS) {
	const host = triggerHost(parameters);
	host.state.address = address;
	await activate(host.hook, host.clock);
	host.requests();
	host.lines.length = 0;
	const { trigger, state, clock, node } = host;
	const again = async () =>
		await renew(trigger, node(), settingsOf(state.parameters), address, clock, {
			savedByHook: false,
			overlapMs: 0,
			call: BACKGROUND_CALL,
		});
	/** Answers the next requests for a subscription. */
	function answerNext(...answers: Array<Awaited<ReturnType<typeof state.answer>>>): void {
		state.answer = (line) => (line === 'POST /webhooks' ? answers.shift() : undefined);
	}
	return { ...host, again, answerNext, current: () => node().set.current?.id };
}
const conflict = { statusCode: 409, body: { title: 'There is one' } };

test('pauses differ by a tenth, so that triggers that fail together do not try again together', () => {
	const at = (random: number) => jitterOf({ random: () => random } as never);
	expect([at(0), at(0.5), at(1)].map((factor) => Number(factor.toFixed(3)))).toEqual([0.9, 1, 1.1]);
});

test('a new subscription is the current one, and is to be saved', async () => {
	const { again, current, requests, node, clock } = await world();
	expect(await again()).toMatchObject([{ type: 'search' }, { type: 'save' }]);
	expect(current()).toBe('s2');
	expect(requests()).toEqual(['POST /webhooks']);
	expect(node().set.createdAt).toBe(clock.now());
});

test('the credential is noted, so that a change of it is noticed', async () => {
	const { again, node, clock, state } = await world();
	const before = node().credential;
	clock.pass(5_000);
	state.apiKey = `another ${state.apiKey}`;
	await again();
	expect(node().credential).toEqual({ fingerprint: expect.any(String), checkedAt: clock.now() });
	expect(node().credential?.fingerprint).not.toBe(before?.fingerprint);
});

test('the clock of the service is known from then on', async () => {
	const { node } = await world();
	expect(node().serviceClock?.now(7)).toBeDefined();
});

describe('where the service takes one subscription for an address', () => {
	test('the old one gives way', async () => {
		const { again, answerNext, current, requests } = await world();
		answerNext(conflict);
		await again();
		expect(requests()).toEqual(['POST /webhooks', 'DELETE /webhooks/s1', 'POST /webhooks']);
		expect(current()).toBe('s2');
	});

	test('and this node has none there, the refusal is what a person reads', async () => {
		const { again, answerNext, requests, node } = await world();
		node().dispatch({ type: 'deleted', ids: ['s1'] });
		answerNext(conflict);
		await expect(again()).rejects.toThrow('There is one');
		expect(requests()).toEqual(['POST /webhooks']);
	});

	test('a workflow that was unpublished meanwhile deletes nothing more', async () => {
		const { again, state, requests, node, current } = await world();
		state.answer = () => {
			node().epoch += 1;
			return conflict;
		};
		await expect(again()).rejects.toThrow('There is one');
		expect(requests()).toEqual(['POST /webhooks']);
		expect(current()).toBe('s1');
	});
});

test('another refusal deletes nothing, and is tried again after a pause', async () => {
	const { again, answerNext, requests, node, clock } = await world();
	answerNext({ statusCode: 403, body: { title: 'No' } });
	await expect(again()).rejects.toThrow('No');
	expect(requests()).toEqual(['POST /webhooks']);
	expect(node().set.renewAt).toBeGreaterThan(clock.now());
	expect(node().set.lostAnswers.count).toBe(0);
});

test('a workflow that was unpublished meanwhile is not tried again', async () => {
	const { again, state, node } = await world();
	state.answer = () => {
		node().epoch += 1;
		return { statusCode: 403 };
	};
	await expect(again()).rejects.toThrow();
	expect(node().set.renewAt).toBeUndefined();
});

describe('an answer that is lost', () => {
	const lost = { statusCode: 504, body: { title: 'The gateway gave up' } };

	test('is counted, as it may have left a subscription behind', async () => {
		const { again, answerNext, node } = await world();
		answerNext(lost);
		await expect(again()).rejects.toThrow();
		expect(node().set.lostAnswers.count).toBe(1);
	});

	test('of another request leaves nothing behind', async () => {
		const { again, state, node } = await world();
		state.parameters = {
			...state.parameters,
			watch: 'oneCard',
			cardId: { __rl: true, mode: 'name', value: 'Books' },
		};
		state.answer = () => lost;
		await expect(again()).rejects.toThrow();
		expect(node().set.lostAnswers.count).toBe(0);
	});

	test('is followed by a question that leaves nothing behind, until one comes', async () => {
		const { again, answerNext, requests, node } = await world();
		answerNext(lost);
		await again().catch(() => {});
		requests();
		await again();
		expect(requests()).toEqual(['GET /cards', 'POST /webhooks']);
		expect(node().set.lostAnswers.count).toBe(0);
		await again();
		expect(requests()).toEqual(['POST /webhooks']);
	});
});

describe('the watched card', () => {
	const byName = { watch: 'oneCard', cardId: { __rl: true, mode: 'name', value: 'Films' } };
	const without = (line: string) =>
		line === 'GET /cards' ? { statusCode: 200, body: { cards: [] } } : undefined;

	test('is the one with the name', async () => {
		const { node } = await world(byName);
		expect(node().set.current?.cardId).toBe('c2');
	});

	test('stays where its name has changed', async () => {
		const { again, state, node, sent } = await world(byName);
		state.answer = without;
		await again();
		expect(node().set.current).toMatchObject({ id: 's2', cardId: 'c2' });
		expect(sent.at(-1)?.body).toMatchObject({ card_id: 'c2' });
	});

	test('is an error where nothing is subscribed yet', async () => {
		const { again, state, node } = await world(byName);
		node().dispatch({ type: 'deleted', ids: ['s1'] });
		state.answer = without;
		await expect(again()).rejects.toThrow('Films');
	});

	test('is not guessed where the service refuses the list', async () => {
		const { again, state } = await world(byName);
		state.answer = (line) => (line === 'GET /cards' ? { statusCode: 403 } : undefined);
		await expect(again()).rejects.toThrow();
	});
});

describe('a subscription that nobody wants any more when it comes', () => {
	async function late(answer = {}) {
		const host = await world();
		const { state, node } = host;
		state.answer = (line) => {
			if (line === 'POST /webhooks') node().epoch += 1;
			return line.startsWith('DELETE') ? { statusCode: 204, ...answer } : undefined;
		};
		return { ...host, effects: await host.again() };
	}

	test('is deleted, and not the current one', async () => {
		const { effects, requests, current, lines } = await late();
		expect(effects).toEqual([]);
		expect(requests()).toEqual(['POST /webhooks', 'DELETE /webhooks/s2']);
		expect(current()).toBe('s1');
		expect(lines).toEqual([]);
	});

	test('is named in the log where it cannot be deleted', async () => {
		const { lines } = await late({ statusCode: 403, body: { title: 'No' } });
		expect(lines).toEqual([
			expect.stringMatching(/^Trigger: Subscription s2 still exists at the service: .*No/),
		]);
	});

	test('is kept where the service gave the node the same one twice', async () => {
		const { again, state, node, requests } = await world();
		state.answer = () => {
			node().epoch += 1;
			return { statusCode: 201, body: { id: 's1', secret: 'x' } };
		};
		expect(await again()).toEqual([]);
		expect(requests()).toEqual(['POST /webhooks']);
	});
});

describe('an address that only this machine can reach', () => {
	const local = 'http://localhost:5678/webhook/x';

	test('is told in the log where the service takes it', async () => {
		const { again, lines } = await world({}, local);
		await again();
		expect(lines).toEqual([expect.stringContaining('which only this machine can reach')]);
	});

	test('is told with the refusal where it does not', async () => {
		const { again, answerNext, lines } = await world({}, local);
		answerNext({ statusCode: 422, body: { title: 'Wrong' } });
		await expect(again()).rejects.toMatchObject({
			advice: expect.stringContaining('which only this machine can reach'),
		});
		expect(lines).toEqual([]);
	});

	test('another one is not', async () => {
		const { again, lines } = await world();
		await again();
		expect(lines).toEqual([]);
	});
});

describe('the search for what was missed', () => {
	const catchUp = { options: { catchUp: true } };

	test('comes after five seconds, and is tried three times', async () => {
		const { again, node, clock } = await world(catchUp);
		expect(node().pendingSearch).toBeUndefined();
		await again();
		const { pendingSearch, set } = node();
		expect(pendingSearch).toMatchObject({ triesLeft: 3, notBefore: clock.now() + 5_000 });
		expect(pendingSearch?.search).toMatchObject({ from: set.missed?.from, earlier: [] });
	});

	test.each([
		['Catch Up is off', {}],
		['created records are not watched', { ...catchUp, events: ['record.updated'] }],
	])('is not begun where %s', async (_, parameters) => {
		const { again, node } = await world(parameters);
		await again();
		expect(node().pendingSearch).toBeUndefined();
	});
});
