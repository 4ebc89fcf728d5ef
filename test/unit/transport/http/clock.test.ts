/** The clock of the process. */
import { systemClock } from '../../../../nodes/WorkspaceData/transport/http/clock';

test('an alarm rings once, after its time; one that is turned off does not', async () => {
	const rung: string[] = [];
	const started = performance.now();
	const turnOff = systemClock.alarm(5, () => rung.push('off'));
	turnOff();
	await new Promise<void>((resolve) => {
		systemClock.alarm(20, () => {
			rung.push('on');
			resolve();
		});
	});
	// Node may be a millisecond early.
	expect(performance.now() - started).toBeGreaterThanOrEqual(19);
	expect(rung).toEqual(['on']);
});

test.each([0, -5, 0.4])('an alarm of %d ms rings soon', async (ms) => {
	await new Promise<void>((resolve) => void systemClock.alarm(ms, resolve));
});
