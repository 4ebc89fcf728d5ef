/** The trigger renews its subscription while n8n runs. */
import { TriggerContext } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { SAVING, current, lifecycleSuite, pass, until, untilTicked } from '../support/lifecycle';
import { type TestTrigger } from '../support/trigger';

const suite = lifecycleSuite();

describe('when nothing comes for long', () => {
	const published = async (options: IDataObject = {}) => await suite.running({ options });

	it('subscribes again, in an execution without items, and lets the old one deliver until the overlap ends', async () => {
		const trigger = await published();
		const old = current(trigger);
		pass(26.5);
		await untilTicked(trigger, 'n8n to save it', () => current(trigger).id !== old.id);
		expect(trigger.emitted).toEqual([[SAVING]]);
		expect((await trigger.deliver(suite.delivery(current(trigger)))).items).toHaveLength(1);
		expect((await trigger.deliver(suite.delivery(old))).items).toHaveLength(1);

		pass(27);
		await untilTicked(trigger, 'the old one to be deleted', () => suite.live(trigger).length === 1);
		expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
		await trigger.deactivate();
		expect(suite.live(trigger)).toEqual([]);
	});

	it("keeps a subscription that delivers, even events that aren't wanted", async () => {
		const trigger = await published();
		const before = suite.subscribed();
		pass(23);
		await trigger.deliver(suite.delivery(current(trigger), { event: 'record.deleted' }));
		pass(46);
		trigger.tick();
		await trigger.deactivate();
		expect(suite.subscribed()).toBe(before);
		expect(trigger.emitted).toEqual([]);
	});

	it("doesn't take forged deliveries, and those of a subscription from before, for a sign of life", async () => {
		const trigger = await published({ overlap: 1_500 });
		const old = current(trigger);
		await trigger.activate('init');
		pass(23);
		expect((await trigger.deliver(suite.delivery({ ...old, secret: 'guessed' }))).status).toBe(401);
		expect((await trigger.deliver(suite.delivery(old))).status).toBe(200);
		pass(26.5);
		await untilTicked(trigger, 'the renewal', () => trigger.emitted.length > 0);
		await trigger.deactivate();
		expect(suite.live(trigger)).toEqual([]);
	});

	it.each([
		[{ renewAfterSilence: 0 }, 10_000, 0],
		[{ renewAfterSilence: 100 }, 99, 0],
		[{ renewAfterSilence: 2 }, 2.3, 1],
		[{ renewAfterSilence: 0.001 }, 0.9, 0],
		[{ renewAfterSilence: 0.001 }, 1.2, 1],
	])('goes by the option %j after %d hours, an hour at least', async (options, hours, renewals) => {
		const trigger = await published(options);
		const before = suite.subscribed();
		pass(hours);
		trigger.tick();
		if (renewals > 0) {
			await until('the renewal', () => trigger.emitted.length > 0);
		}
		await trigger.deactivate();
		expect(suite.subscribed() - before).toBe(renewals);
		expect(trigger.emitted).toHaveLength(renewals);
	});

	it('does so and catches up by expressions, too, which n8n 2 evaluates only while it activates the trigger', async () => {
		const trigger = await published({ catchUp: '={{ true }}', renewAfterSilence: '={{ 1 }}' });
		const old = current(trigger);
		jest.spyOn(TriggerContext.prototype, 'getNodeParameter').mockImplementation(() => {
			throw new Error('No bridge acquired for this context. Call acquire() first.');
		});
		pass(1.2);
		await untilTicked(trigger, 'n8n to save it', () => current(trigger).id !== old.id);
		pass(1.6);
		await untilTicked(trigger, 'catching up', () => trigger.emitted.length > 1);
		expect(trigger.emitted[1]).toMatchObject([{ json: { event: 'catch_up' } }]);
		await untilTicked(trigger, 'the old one to be deleted', () => suite.live(trigger).length === 1);
		expect(suite.warnings.filter((line) => line.includes("couldn't be checked"))).toEqual([]);
	});

	it('is saved in queue mode, too, where another process runs the execution', async () => {
		const trigger = await suite.running({}, suite.workspace.apiKey, { queueMode: true });
		const old = current(trigger);
		pass(26.5);
		trigger.tick();
		trigger.saveElsewhere({ global: { lastSeen: 7 } });
		await until('n8n to save it', () => current(trigger).id !== old.id);
		expect(trigger.emitted).toEqual([[SAVING]]);
		expect(trigger.saved()).toMatchObject({ global: { lastSeen: 7 } });
		expect(
			(await suite.afterRestart(trigger).deliver(suite.delivery(current(trigger)))).items,
		).toHaveLength(1);
		await trigger.deactivate();
		expect(suite.live(trigger)).toEqual([]);
	});

	it('takes back nothing when that execution is run once more', async () => {
		const trigger = await published();
		pass(26.5);
		await untilTicked(trigger, 'the first', () => trigger.emitted.length === 1);
		const early = current(trigger);
		pass(55);
		suite.workspace.service.control.setClockOffset({ seconds: 55 * 3_600 });
		await untilTicked(trigger, 'the second', () => current(trigger).id !== early.id);
		const latest = current(trigger);
		const order = trigger.emitted[0]?.[0]?.json as IDataObject;
		for (const mode of ['retry', 'trigger'] as const) {
			trigger.reload();
			expect(await trigger.execute([order], mode)).toEqual([]);
			trigger.changed();
			expect(current(trigger)).toEqual(latest);
		}
	});

	it.each<[string, Parameters<TestTrigger['endNext']>[0], number]>([
		[
			'counts as saved when only a later node fails',
			{ status: 'error', lastNodeExecuted: 'Other' },
			1,
		],
		[
			// Nobody knows that it saved: for a minute, the service may have paused it.
			'saves once more when the execution saves and then fails in the trigger',
			{ status: 'error' },
			3,
		],
		// Not saved for a minute: the service may have paused it, so it is renewed once more.
		["saves once more when n8n can't start the execution", { throws: new Error('No place') }, 3],
	])('%s', async (_name, ending, executions) => {
		const trigger = await published();
		const old = current(trigger);
		trigger.endNext(ending);
		for (let minutes = 0; minutes <= 40; minutes += 1) {
			pass(26.5 + minutes / 60);
			trigger.tick();
			await trigger.idle();
		}
		expect(trigger.emitted).toEqual(new Array(executions).fill([SAVING]));
		const warned = suite.warnings.filter((line) => line.includes("couldn't be saved yet"));
		expect(warned).toHaveLength(ending.throws ? 1 : 0);
		expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
		expect(current(trigger).id).not.toBe(old.id);
	});

	it('a process that receives deliveries saves a newer subscription again', async () => {
		const trigger = await published();
		const old = trigger.saved();
		await trigger.activate('init');
		const newest = current(trigger);
		trigger.overwrite(old);
		trigger.reload();
		expect((await trigger.deliver(suite.delivery(newest))).items).toHaveLength(1);
		expect(trigger.changed()).toBe(true);
		expect(current(trigger).id).toBe(newest.id);
	});
});
