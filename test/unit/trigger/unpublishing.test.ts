/** A workflow is unpublished, or a subscription is over: what is deleted, and what is said where that fails. */
import {
	deleteWith,
	logLeftBehind,
} from '../../../nodes/WorkspaceData/trigger/subscription/deletions';
import { deactivate } from '../../../nodes/WorkspaceData/trigger/subscription/unpublishing';
import { stopDeletions, useAt } from '../../../nodes/WorkspaceData/trigger/subscription/nodeState';
import { activate } from '../../../nodes/WorkspaceData/trigger/subscription/publishing';
import { triggerHost } from '../../support/triggerHost';

const OTHER = 'https://n8n.example.com/webhook-test/x';

/** A published trigger with a current subscription and a replaced one. */
async function published() {
	const host = triggerHost();
	await activate(host.hook, host.clock);
	await activate(host.hook, host.clock);
	host.requests();
	const end = async () => await deactivate(host.hook, host.clock);
	const onDelete = (answer: () => ReturnType<typeof host.state.answer>) => {
		host.state.answer = (line) => (line.startsWith('DELETE') ? answer() : undefined);
	};
	return { ...host, end, onDelete };
}

test('all subscriptions are deleted, none stays saved, and the process forgets the node', async () => {
	const { end, requests, saved, hook, node, lines } = await published();
	const known = node();
	expect(await end()).toBe(true);
	expect(requests().sort()).toEqual(['DELETE /webhooks/s1', 'DELETE /webhooks/s2']);
	expect(saved()).toMatchObject({ retired: [] });
	expect(saved()).not.toHaveProperty('current');
	expect(node()).not.toBe(known);
	expect(useAt(hook, OTHER)).toBe('production');
	expect(lines).toEqual([]);
});

test('work that began before is no longer wanted', async () => {
	const { end, node } = await published();
	const known = node();
	const { epoch } = known;
	await end();
	expect(known.epoch).toBe(epoch + 1);
});

test('what the service refuses to delete stays saved for the next time, and the log says why', async () => {
	const { end, onDelete, saved, lines } = await published();
	onDelete(() => ({ statusCode: 403, body: { title: 'Not yours' } }));
	expect(await end()).toBe(false);
	expect(saved()).toMatchObject({ retired: [{ id: 's1' }, { id: 's2' }] });
	expect(lines.sort()).toEqual([
		expect.stringMatching(
			/^Trigger: Subscription s1 could not be deleted: .*Not yours.*\. Delete it in the settings of the service, or publish the workflow again$/,
		),
		expect.stringMatching(/^Trigger: Subscription s2 could not be deleted: .*Not yours/),
	]);
});

test('a deletion that fails once is tried again, as n8n need not wait for it', async () => {
	const { end, onDelete, requests } = await published();
	let faults = 2;
	onDelete(() => ((faults -= 1) >= 0 ? { statusCode: 500 } : { statusCode: 204 }));
	expect(await end()).toBe(true);
	expect(requests()).toHaveLength(4);
});

test('a deletion that takes seven seconds is waited for, and is over then', async () => {
	const { end, onDelete, clock, saved, lines, hook, idle } = await published();
	onDelete(async () => {
		await clock.sleep(7_000);
		return { statusCode: 204 };
	});
	expect(await end()).toBe(true);
	expect(saved()).toMatchObject({ retired: [] });
	expect(lines).toEqual([]);
	await idle();
	expect(await stopDeletions(hook, 'production')).toEqual([]);
});

test('a deletion that takes longer is said to continue, and what is left is known to the next publishing', async () => {
	const { end, onDelete, clock, lines, hook, saved } = await published();
	onDelete(async () => {
		await clock.sleep(60_000);
		return { statusCode: 204 };
	});
	const begun = clock.now();
	expect(await end()).toBe(false);
	expect(clock.now() - begun).toBeLessThan(10_000);
	expect(clock.now() - begun).toBeGreaterThanOrEqual(9_000);
	expect(lines.at(-1)).toContain('it continues in the background');
	expect(saved()).toMatchObject({ retired: [{ id: 's1' }, { id: 's2' }] });
	expect([...(await stopDeletions(hook, 'production'))].sort()).toEqual(['s1', 's2']);
	expect(lines.join()).toContain('could not be deleted yet: the workflow is published again');
});

test('of two deletions, the one that still runs is known to the next publishing', async () => {
	const { end, state, clock, hook, saved } = await published();
	state.answer = async (line) => {
		if (line === 'DELETE /webhooks/s1') await clock.sleep(60_000);
		return undefined;
	};
	expect(await end()).toBe(false);
	expect(saved()).toMatchObject({ retired: [{ id: 's1' }] });
	expect(await stopDeletions(hook, 'production')).toEqual(['s1']);
});

test('without a credential nothing is sent, and the log names what could not be deleted', async () => {
	const { end, state, requests, lines, saved } = await published();
	state.apiKey = undefined;
	expect(await end()).toBe(false);
	expect(requests()).toEqual([]);
	expect(lines).toEqual([
		'Trigger: Subscriptions s1, s2 could not be deleted: The credential is gone. Delete them in the settings of the service, or publish the workflow again',
	]);
	expect(saved()).toMatchObject({ retired: [{ id: 's1' }, { id: 's2' }] });
});

test('with a kind of credential that there is not, nothing is sent, and unpublishing works', async () => {
	const { end, state, requests, lines } = await published();
	state.parameters.authentication = 'password';
	expect(await end()).toBe(false);
	expect(requests()).toEqual([]);
	expect(lines).toEqual([]);
});

test('the end of a test does not touch the published workflow', async () => {
	const { end, state, requests, node, hook } = await published();
	state.address = OTHER;
	await end();
	expect(requests()).toEqual([]);
	expect(node().set.current?.id).toBe('s2');
	expect(useAt(hook, OTHER)).toBe('test');
});

test('a node that never had a subscription needs nothing', async () => {
	const host = triggerHost();
	expect(await deactivate(host.hook, host.clock)).toBe(true);
	expect(host.requests()).toEqual([]);
	expect(host.lines).toEqual([]);
	host.state.address = undefined;
	expect(await deactivate(host.hook, host.clock)).toBe(true);
});

test('a deletion that failed is not tried again at once', async () => {
	const { onDelete, node, hook, clock } = await published();
	onDelete(() => ({ statusCode: 403 }));
	await deleteWith(hook, node(), 'apiKey', [...node().set.retired], clock);
	expect(node().set.deletions.get('s1')?.at).toBeGreaterThan(clock.now());
	expect(node().set.retired).toHaveLength(1);
});

test('what could not be opened is not tried again at once either', async () => {
	const { node, hook, clock, state } = await published();
	state.apiKey = undefined;
	await deleteWith(hook, node(), 'apiKey', [...node().set.retired], clock);
	expect(node().set.deletions.get('s1')?.at).toBeGreaterThan(clock.now());
});

test('what is given up is named, so that a person can delete it', async () => {
	const { hook, lines, node } = await published();
	logLeftBehind(hook, { subscriptions: [...node().set.retired, ...node().set.retired] });
	expect(lines).toEqual([
		'Trigger: Subscriptions s1, s1 still exist at the service and will not be tried again: delete them there',
	]);
});

test('where nothing is to be deleted, nothing is said to have failed', async () => {
	const { node, hook, clock, state, lines } = await published();
	state.apiKey = undefined;
	await deleteWith(hook, node(), 'apiKey', [], clock);
	expect(lines).toEqual([]);
});

test('a deletion that is over keeps nothing waiting', async () => {
	const { end, clock, idle } = await published();
	const begun = clock.now();
	await end();
	await idle();
	expect(clock.now() - begun).toBeLessThan(1_000);
});
