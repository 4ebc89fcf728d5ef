/** Requests that are kept back while somebody decides whether the run continues. */
import { createPause } from '../../../../nodes/WorkspaceData/transport/http/limiter';
import { createTestClock } from '../../../support/clock';

/** A pause, and the names of those who waited for its end, in the order in which they continued. */
function pausing() {
	const clock = createTestClock();
	const pause = createPause(clock);
	const gone: string[] = [];
	const wait = (name: string) => void pause.ended().then(() => gone.push(name));
	return { pause, gone, wait, settle: async () => await clock.sleep(1) };
}

test('nobody waits where there is no pause', async () => {
	const { gone, wait, settle } = pausing();
	wait('a');
	await settle();
	expect(gone).toEqual(['a']);
});

test('all wait until it ends, and go on in the order in which they came', async () => {
	const { pause, gone, wait, settle } = pausing();
	const end = pause.begin();
	wait('a');
	wait('b');
	await settle();
	expect(gone).toEqual([]);
	end();
	expect(gone).toEqual([]);
	await settle();
	expect(gone).toEqual(['a', 'b']);
	wait('c');
	await settle();
	expect(gone).toEqual(['a', 'b', 'c']);
});

test('of two pauses, the one that ends last counts, though the other one is ended twice', async () => {
	const { pause, gone, wait, settle } = pausing();
	const [first, second] = [pause.begin(), pause.begin()];
	wait('a');
	first();
	first();
	await settle();
	expect(gone).toEqual([]);
	second();
	await settle();
	expect(gone).toEqual(['a']);
});

test('whoever is released waits again where another pause has begun at the same moment', async () => {
	const { pause, gone, settle } = pausing();
	const end = pause.begin();
	let again = () => {};
	void pause.ended().then(() => {
		gone.push('a');
		again = pause.begin();
	});
	let isSecondGone = false;
	void pause
		.ended()
		.then(async () => await pause.ended())
		.then(() => (isSecondGone = true));
	end();
	await settle();
	expect([gone, isSecondGone]).toEqual([['a'], false]);
	again();
	await settle();
	expect(isSecondGone).toBe(true);
});
