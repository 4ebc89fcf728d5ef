/** A workflow is published, or n8n starts: what is asked of the service, what is saved, and what a person reads. */
import type { IDataObject } from 'n8n-workflow';
import { openStore } from '../../../nodes/WorkspaceData/trigger/subscription/storage';
import {
	forget,
	keepDeletions,
	useAt,
} from '../../../nodes/WorkspaceData/trigger/subscription/nodeState';
import { activate } from '../../../nodes/WorkspaceData/trigger/subscription/publishing';
import { ADDRESS, triggerHost } from '../../support/triggerHost';

const MINUTE = 60_000;

function world(parameters: IDataObject = {}) {
	const host = triggerHost(parameters);
	const publish = async (activation = 'activate') => {
		host.state.activation = activation;
		return await activate(host.hook, host.clock);
	};
	const refuse = (statusCode: number, title: string) => {
		host.state.answer = (line) =>
			line === 'POST /webhooks' ? { statusCode, body: { title } } : undefined;
	};
	/** Publishes, and puts the subscription at another address into the saved data: a copied database. */
	async function copied() {
		host.state.address = 'https://original.example.com/webhook/x';
		await publish();
		host.state.address = ADDRESS;
		host.requests();
	}
	return { ...host, publish, refuse, copied };
}

test('a person who publishes gets a subscription, saved at once', async () => {
	const { publish, requests, saved, lines, node } = world();
	expect(await publish()).toBe(true);
	expect(requests()).toEqual(['POST /webhooks']);
	expect(saved()).toMatchObject({ current: { id: 's1', targetUrl: ADDRESS }, retired: [] });
	expect(node().set.saving).toBeUndefined();
	expect(lines).toEqual([]);
});

test('a start of n8n keeps the old subscription for the overlap', async () => {
	const { publish, requests, saved, clock } = world({ options: { overlap: 3 } });
	await publish();
	clock.pass(MINUTE);
	const restarted = clock.now();
	await publish('init');
	expect(requests()).toEqual(['POST /webhooks', 'POST /webhooks']);
	expect(saved()).toMatchObject({
		current: { id: 's2' },
		retired: [{ id: 's1', deleteAt: restarted + 3 * MINUTE }],
	});
});

test('without an overlap the old one is deleted at once', async () => {
	const { publish, requests, saved } = world({ options: { overlap: 0 } });
	await publish();
	await publish('init');
	expect(requests()).toEqual(['POST /webhooks', 'POST /webhooks', 'DELETE /webhooks/s1']);
	expect(saved()).toMatchObject({ current: { id: 's2' }, retired: [] });
});

test('a test for an event deletes its old subscription at once, whatever the overlap', async () => {
	const { publish, requests, state } = world();
	state.mode = 'manual';
	await publish('manual');
	await publish('manual');
	expect(requests()).toEqual(['POST /webhooks', 'POST /webhooks', 'DELETE /webhooks/s1']);
});

describe('the requests for a person who waits', () => {
	const timings = async (activation: string) => {
		const { publish, sent } = world();
		await publish(activation);
		return sent.map(({ options }) => options.timeout);
	};

	test('take no longer than n8n waits', async () => {
		expect(await timings('activate')).toEqual([10_000]);
		expect(await timings('init')).toEqual([10_000]);
	});
});

describe('where the service refuses', () => {
	const timeOut = async (): Promise<never> => {
		throw Object.assign(new Error('timeout of 10000ms exceeded'), { code: 'ECONNABORTED' });
	};

	test('a person reads why, and nothing is remembered of the attempt', async () => {
		const { publish, refuse, saved, hook } = world();
		refuse(403, 'No webhooks for you');
		await expect(publish()).rejects.toThrow('No webhooks for you');
		expect(saved()).toEqual({});
		// A node that is remembered at this address would take another one for a test.
		expect(useAt(hook, 'https://n8n.example.com/webhook/other')).toBe('production');
	});

	test.each([
		['no answer in time', timeOut, /^The subscription may have been created: no answer came/],
		[
			'a fault',
			async () => ({ statusCode: 500, body: { title: 'Internal error' } }),
			/^Internal error\. /,
		],
	])('a person reads after %s that a subscription may exist', async (_, answer, begin) => {
		const { publish, state } = world();
		state.answer = (line) => (line === 'POST /webhooks' ? answer() : undefined);
		const error = await publish().catch((thrown: Error) => thrown);
		expect(error).toMatchObject({ message: expect.stringMatching(begin) });
		expect(error).toMatchObject({
			message: expect.stringContaining('look for it in the settings of the service'),
		});
	});

	test('a person who publishes again keeps what was there', async () => {
		const { publish, refuse, hook, node } = world();
		await publish();
		refuse(403, 'No more webhooks');
		await expect(publish()).rejects.toThrow('No more webhooks');
		expect(node().set.current?.id).toBe('s1');
		expect(useAt(hook, 'https://n8n.example.com/webhook/other')).toBe('test');
	});

	test.each(['init', 'leadershipChange'])(
		'a start of n8n (%s) keeps the trigger, logs why, and tries later',
		async (activation) => {
			const { publish, refuse, node, lines, clock } = world();
			await publish();
			refuse(403, 'Not now');
			expect(await publish(activation)).toBe(true);
			expect(node().set.current?.id).toBe('s1');
			expect(node().set.renewAt).toBeGreaterThan(clock.now());
			expect(lines).toEqual([
				expect.stringMatching(/^Trigger: The subscription could not be renewed yet: .*Not now/),
			]);
		},
	);
});

test('after five lost answers a start of n8n asks for no further subscription, a person who publishes does', async () => {
	const { publish, node, clock, requests } = world();
	await publish();
	requests();
	for (let n = 0; n < 5; n += 1) {
		node().dispatch({ type: 'refused', isLost: true, jitter: 1, now: clock.now() });
	}
	await publish('init');
	expect(requests()).toEqual([]);
	await publish('activate');
	expect(requests()).toContain('POST /webhooks');
});

test('settings that cannot be used are refused in words for a person', async () => {
	const { publish, requests } = world({ events: [] });
	await expect(publish()).rejects.toThrow("'Trigger On' is empty. Choose at least one event.");
	expect(requests()).toEqual([]);
});

describe('conditions', () => {
	const filters = { conditions: [{ field: 'Gone', condition: 'equals', value: 'a' }] };
	const watching = { watch: 'oneCard', cardId: 'c1', options: { filters } };

	test('with a field that the card does not have are refused before anything is created', async () => {
		const { publish, requests } = world(watching);
		await expect(publish()).rejects.toThrow('Gone');
		expect(requests()).toEqual(['GET /cards/c1/fields']);
	});

	test('with its fields are accepted', async () => {
		const own = { conditions: [{ field: 'Title', condition: 'equals', value: 'a' }] };
		const { publish, requests } = world({ ...watching, options: { filters: own } });
		expect(await publish()).toBe(true);
		expect(requests()).toEqual(['GET /cards/c1/fields', 'POST /webhooks']);
	});

	test.each([
		['the days of the workflow’s time zone', 'created_at', 'inLastDays', 3],
		['a property of the record that a field is called like, too', 'id', 'equals', 'r1'],
	])('may compare %s', async (_, name, condition, value) => {
		const own = { conditions: [{ field: name, condition, value }] };
		const { publish, state, requests } = world({ ...watching, options: { filters: own } });
		state.fields.push({ id: 'f2', name: 'id', type: 'text' });
		expect(await publish()).toBe(true);
		expect(requests()).toEqual(['GET /cards/c1/fields', 'POST /webhooks']);
	});

	test.each([
		['while n8n starts, as a field may have been renamed', 'init', watching],
		[
			'for all cards, of which another one may have the field',
			'activate',
			{ options: { filters } },
		],
		['where there are none', 'activate', { watch: 'oneCard', cardId: 'c1' }],
	])('are not compared %s', async (_, activation, parameters) => {
		const { publish, requests } = world(parameters);
		expect(await publish(activation)).toBe(true);
		expect(requests()).toEqual(['POST /webhooks']);
	});

	test.each([
		['no value', { field: 'Title', condition: 'equals' }, "'Value' is empty in a condition"],
		['an empty value', { field: 'Title', condition: 'contains', value: '' }, "'Value' is empty"],
		['an unknown condition', { field: 'Title', condition: 'isLike' }, "'Condition' cannot be"],
		[
			'a time that is none',
			{ field: 'created_at', condition: 'equals', value: 'soon' },
			'cannot hold "soon"',
		],
	])(
		'with %s are refused for all cards, too, and nothing is sent (K17)',
		async (_, one, message) => {
			const { publish, requests } = world({ options: { filters: { conditions: [one] } } });
			await expect(publish()).rejects.toThrow(message);
			expect(requests()).toEqual([]);
		},
	);

	test('without a value are refused even where the fields of the card cannot be read (K17)', async () => {
		const without = { conditions: [{ field: 'Title', condition: 'equals' }] };
		const { publish, state, requests } = world({ ...watching, options: { filters: without } });
		state.answer = (line) => (line.endsWith('/fields') ? { statusCode: 403 } : undefined);
		await expect(publish()).rejects.toThrow("'Value' is empty");
		expect(requests()).toEqual([]);
	});

	test.each(['created_at', 'id'])('may compare %s for all cards', async (field) => {
		const own = { conditions: [{ field, condition: 'greaterThan', value: '2026-01-01' }] };
		const { publish, requests } = world({ options: { filters: own } });
		expect(await publish()).toBe(true);
		expect(requests()).toEqual(['POST /webhooks']);
	});

	test('are not in the way where the fields cannot be read: subscribing says what is wrong', async () => {
		const { publish, state } = world(watching);
		state.answer = (line) => (line.endsWith('/fields') ? { statusCode: 403 } : undefined);
		expect(await publish()).toBe(true);
	});

	test('are compared quickly, as a person waits', async () => {
		const { publish, sent } = world(watching);
		await publish().catch(() => {});
		expect(sent.map(({ options }) => options.timeout)).toEqual([3_000]);
	});
});

describe('a copy of the database at another address', () => {
	test('leaves the subscriptions of the original alone, and the log names them', async () => {
		const { publish, copied, requests, lines, saved } = world();
		await copied();
		await publish();
		expect(requests()).toEqual(['POST /webhooks']);
		expect(saved()).toMatchObject({ current: { id: 's2' }, retired: [{ id: 's1' }] });
		expect(lines).toEqual([
			`Trigger: Not deleted, because they deliver to an address other than ${ADDRESS}: subscriptions s1`,
		]);
	});

	test('gives up the oldest of too many, and the log says that they still exist', async () => {
		const { publish, copied, lines, hook } = world();
		await copied();
		const store = openStore(hook, 'apiKey');
		const saved = await store.read();
		const { current } = saved;
		if (!current) throw new Error('There is no subscription');
		const retired = Array.from({ length: 22 }, (_, n) => ({
			...current,
			id: `old${n}`,
			generation: n,
			deleteAt: null,
			giveUpAt: null,
			wasSaved: true,
		}));
		forget(hook, 'production');
		await store.write({ ...saved, current: undefined, retired });
		await publish('init');
		expect(lines[0]).toMatch(/^Trigger: Subscriptions old0, old1 still exist at the service/);
	});

	test('does not name what is its own', async () => {
		const { publish, lines } = world();
		await publish();
		await publish('init');
		expect(lines).toEqual([]);
	});
});

test('a subscription whose deletion may still be carried out is renewed in time', async () => {
	const { publish, hook, node, clock } = world();
	let stop = () => {};
	const done = new Promise<string[]>((resolve) => (stop = () => resolve(['s1'])));
	keepDeletions(hook, 'production', { stop: () => stop(), done });
	await publish();
	expect(node().set.strain).toEqual({ since: clock.now(), at: clock.now() });
});

test('deletions of others say nothing about the new subscription', async () => {
	const { publish, hook, node } = world();
	keepDeletions(hook, 'production', {
		stop: () => {},
		done: new Promise((resolve) => setImmediate(() => resolve(['s7']))),
	});
	await publish();
	expect(node().set.strain).toBeUndefined();
});

test('work that began before is no longer wanted, nor is a search that was not begun', async () => {
	const { publish, node } = world();
	await publish();
	const { epoch } = node();
	node().pendingSearch = {
		search: { from: 0, earlier: [], upTo: 1 },
		triesLeft: 3,
		notBefore: 0,
	};
	await publish();
	expect(node().epoch).toBe(epoch + 1);
	expect(node().pendingSearch).toBeUndefined();
});

test('silences are spread by up to a tenth, so that many triggers do not renew together', async () => {
	const { publish, node } = world();
	await publish();
	expect(node().spread).toBe(1.05);
});

test('secrets are sealed with the credential that the node has', async () => {
	const { publish, hook } = world();
	await publish();
	expect((await openStore(hook, 'apiKey').read()).current?.secret).toBe('secret-1');
});
