/** Renewals where n8n gives the executions of its workers no static data, as n8n 2.41 does in queue mode. */
import { current, lifecycleSuite, pass, until, untilTicked } from '../support/lifecycle';
import { triggerNode, triggerPair } from '../support/trigger';

const suite = lifecycleSuite();

describe('where workers get no static data', () => {
	it('C4 saves the new subscriptions of two triggers in one workflow', async () => {
		const blind = { queueMode: true, blindWorkers: true };
		const pair = triggerPair(suite.workspace.apiKey, { events: ['record.created'] }, blind);
		for (const trigger of pair) {
			await trigger.activate();
			await trigger.start('activate');
		}
		const olds = pair.map(current);
		pass(26.5);
		for (const trigger of pair) trigger.tick();
		await until('both to be saved', () =>
			pair.every((trigger, index) => current(trigger).id !== olds[index]?.id) ? true : undefined,
		);
		for (const trigger of pair) await trigger.idle();
		for (const trigger of pair) {
			const processor = suite.afterRestart(trigger);
			expect((await processor.deliver(suite.delivery(current(trigger)))).items).toHaveLength(1);
		}
		// Only once does it take a second execution to find out.
		expect(pair.map(({ emitted }) => emitted.length).sort()).toEqual([1, 2]);
		pass(27);
		for (const [index, trigger] of pair.entries()) {
			await untilTicked(trigger, 'the old one to be deleted', () =>
				suite.live(trigger).some(({ id }) => id === olds[index]?.id) ? undefined : true,
			);
			expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
		}
		for (const trigger of pair) await trigger.deactivate();
		expect(pair.flatMap((trigger) => suite.live(trigger))).toEqual([]);
	});

	it('C5 saves again before the old one is deleted', async () => {
		const trigger = triggerNode(
			suite.workspace.apiKey,
			{ events: ['record.created'] },
			{ queueMode: true, blindWorkers: true },
		);
		await trigger.activate();
		await trigger.start('activate');
		const before = trigger.saved();
		const old = current(trigger);
		pass(26.5);
		await untilTicked(trigger, 'n8n to save it', () =>
			current(trigger).id === old.id ? undefined : true,
		);
		const made = current(trigger);
		await trigger.idle();
		trigger.overwrite(before);
		pass(27);
		await untilTicked(trigger, 'the old one to be deleted', () =>
			suite.live(trigger).some(({ id }) => id === old.id) ? undefined : true,
		);
		expect(current(trigger).id).toBe(made.id);
		await trigger.deactivate();
		expect(suite.live(trigger)).toEqual([]);
	});
});
