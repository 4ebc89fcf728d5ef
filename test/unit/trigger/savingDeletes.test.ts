/** The old subscriptions that end once their successor is saved. */
import type { IRun } from 'n8n-workflow';
import { activate } from '../../../nodes/WorkspaceData/trigger/subscription/publishing';
import { startSaving } from '../../../nodes/WorkspaceData/trigger/subscription/saving';
import { settingsOf } from '../../support/triggerSettings';
import { type Execution, type TriggerHost, triggerHost } from '../../support/triggerHost';

const SAVING = { event: 'subscription_renewed', sealed: expect.any(String) };

type HostedExecution = (...given: [...Parameters<Execution>, TriggerHost]) => void;

const ends =
	(status: string, metadata = {}): HostedExecution =>
	(_item, { resolve }) =>
		resolve({
			status,
			data: { resultData: { lastNodeExecuted: 'Trigger', metadata } },
		} as unknown as IRun);

/** A trigger with s1 replaced, and with s2, which this process renewed and has not saved; what becomes of executions. */
async function world(...executions: HostedExecution[]) {
	const host = triggerHost();
	const { hook, trigger, clock, node, state, idle } = host;
	await activate(hook, clock);
	const { current } = node().set;
	if (!current) throw new Error('There is no subscription');
	node().dispatch({
		type: 'created',
		subscription: { ...current, id: 's2', secret: 'secret-2' },
		savedByHook: false,
		overlapMs: 0,
		now: clock.now(),
	});
	host.requests();
	state.execution = (item, done) => executions.shift()?.(item, done, host);
	const upkeep = { context: trigger, settings: settingsOf(), clock, node: node() };
	startSaving(upkeep, { type: 'save', deletes: [...node().set.retired], isSettled: true });
	await idle();
	return { ...host, retired: () => node().set.retired.map(({ id }) => id) };
}

test('are deleted by the execution that finds it saved, and are known to be gone', async () => {
	const { emitted, retired, requests } = await world(ends('success'));
	expect(emitted).toEqual([{ ...SAVING, deletes: ['s1'], isSettled: true }]);
	expect(retired()).toEqual([]);
	expect(requests()).toEqual([]);
});

test('stay known where that execution fails', async () => {
	const { node, retired, clock } = await world(ends('error'));
	expect(retired()).toEqual(['s1']);
	expect(node().set.saving?.at).toBeGreaterThan(clock.now());
});

test('are deleted by the trigger itself where workers get no static data', async () => {
	const blind = ends('success', { noStaticData: 'true' });
	const { emitted, retired, requests, saved, node } = await world(blind, ends('success'));
	expect(emitted).toEqual([{ ...SAVING, deletes: ['s1'], isSettled: true }, SAVING]);
	expect(requests()).toEqual(['DELETE /webhooks/s1']);
	expect(retired()).toEqual([]);
	expect(saved()).toMatchObject({ current: { id: 's2' } });
	expect(node().set.gone).toEqual(['s1']);
});

test('stay known where the trigger itself cannot delete them', async () => {
	const blind = ends('success', { noStaticData: 'true' });
	const { retired } = await world((item, done, host) => {
		host.state.answer = (line) => (line.startsWith('DELETE') ? { statusCode: 403 } : undefined);
		blind(item, done, host);
	}, ends('success'));
	expect(retired()).toEqual(['s1']);
});

test('the new one counts as saved when the trigger saved it, however long its execution waits', async () => {
	const blind = ends('success', { noStaticData: 'true' });
	const { node } = await world(blind, (item, done, host) => {
		host.clock.pass(60_000);
		ends('success')(item, done, host);
	});
	expect(node().set.trust).toBe('elsewhere');
});

test.each([
	['here', 60_000, true],
	['elsewhere', 0, false],
	['late', 60_000, false],
] as const)('the new one counts as saved %s after %d ms', async (trust, ms, isHere) => {
	const { node } = await world((item, done, host) => {
		if (isHere) host.node().savedHere = host.node().set.current?.generation ?? 0;
		host.clock.pass(ms);
		ends('success')(item, done, host);
	});
	expect(node().set.trust).toBe(trust);
});
