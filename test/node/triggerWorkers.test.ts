/** Renewals where n8n gives the executions of its workers no static data, as n8n 2.41 does in queue mode. */
import { current, lifecycleSuite, pass, until, untilTicked } from '../support/lifecycle';
import { PLACE_MS } from '../../nodes/WorkspaceData/trigger/subscription/saving';
import { systemClock } from '../../nodes/WorkspaceData/transport/http/clock';
import { triggerPair } from '../support/trigger';

const suite = lifecycleSuite();
const BLIND = { queueMode: true, blindWorkers: true };

async function runningPair() {
	const pair = triggerPair(suite.workspace.apiKey, { events: ['record.created'] }, BLIND);
	for (const trigger of pair) {
		await trigger.activate();
		await trigger.start('activate');
	}
	return pair;
}

describe('where workers get no static data', () => {
	it('saves the new subscriptions of two triggers in one workflow', async () => {
		const pair = await runningPair();
		const olds = pair.map(current);
		pass(26.5);
		for (const trigger of pair) trigger.tick();
		await until('both to be saved', () =>
			pair.every((trigger, index) => current(trigger).id !== olds[index]?.id),
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
			await untilTicked(
				trigger,
				'the old one to be deleted',
				() => !suite.live(trigger).some(({ id }) => id === olds[index]?.id),
			);
			expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
		}
		for (const trigger of pair) await trigger.deactivate();
		expect(pair.flatMap((trigger) => suite.live(trigger))).toEqual([]);
	});
});

describe("where n8n doesn't hear of the end of an execution that saves", () => {
	/** Rings all alarms that are set for as long as another trigger waits for its turn. */
	function turnsPass(): () => void {
		const alarm = systemClock.alarm;
		const rings = new Set<() => void>();
		jest.spyOn(systemClock, 'alarm').mockImplementation((ms, ring) => {
			if (ms !== PLACE_MS) return alarm(ms, ring);
			rings.add(ring);
			return () => rings.delete(ring);
		});
		return () => rings.forEach((ring) => ring());
	}

	it.each([true, false])(
		'saves once more after a minute, workers without static data: %s',
		async (blindWorkers) => {
			const trigger = await suite.running({}, suite.workspace.apiKey, {
				queueMode: true,
				blindWorkers,
			});
			const old = current(trigger);
			const ring = turnsPass();
			trigger.missEnd();
			pass(26.5);
			trigger.tick();
			await until('an execution', () => trigger.emitted.length > 0);
			await trigger.idle();
			ring();
			pass(26.5 + 20 / 3600);
			trigger.tick();
			await trigger.idle();
			expect(trigger.emitted).toHaveLength(1);
			pass(26.5 + 61 / 3600);
			trigger.tick();
			await until('the new one to be saved', () => current(trigger).id !== old.id);
			await trigger.idle();
			const processor = suite.afterRestart(trigger);
			expect((await processor.deliver(suite.delivery(current(trigger)))).items).toHaveLength(1);
			// Not once more: this end was heard.
			const { length } = trigger.emitted;
			pass(26.6);
			trigger.tick();
			await trigger.idle();
			expect(trigger.emitted.length).toBeLessThanOrEqual(length + 1);
			await trigger.deactivate();
			expect(suite.live(trigger)).toEqual([]);
		},
	);

	it('lets another trigger of the workflow save all the same', async () => {
		const pair = await runningPair();
		const [first, second] = pair;
		const olds = pair.map(current);
		const ring = turnsPass();
		first?.missEnd();
		pass(26.5);
		first?.tick();
		await until('the first execution', () => first?.emitted.length === 1);
		second?.tick();
		for (const trigger of pair) await trigger.idle();
		expect(pair.map(({ emitted }) => emitted.length)).toEqual([1, 0]);
		ring();
		await until('the second to be saved', () => second && current(second).id !== olds[1]?.id);
		for (const trigger of pair) await trigger.idle();
		pass(26.5 + 61 / 3600);
		first?.tick();
		await until('the first to be saved', () => first && current(first).id !== olds[0]?.id);
		for (const trigger of pair) await trigger.deactivate();
		expect(pair.flatMap((trigger) => suite.live(trigger))).toEqual([]);
	});
});
