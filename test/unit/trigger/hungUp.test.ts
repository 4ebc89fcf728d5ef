/** Deliveries whose senders hung up: their outcome counts as long as n8n works on them, and no longer than that. */
import { EventEmitter } from 'node:events';
import { Duplicates } from '../../../nodes/WorkspaceData/trigger/delivery/duplicates';
import { createTestClock } from '../../support/clock';
import { retainedBytes } from '../../support/heap';

class Answer extends EventEmitter {
	writableEnded = false;

	statusCode = 200;

	destroyed = false;

	hangUp(): void {
		this.destroyed = true;
		this.emit('close');
	}

	/** n8n answers although nobody listens: no event tells. */
	endUnheard(): void {
		this.writableEnded = true;
	}
}

/** How often to look for n8n's answers, in ms. */
const INTERVAL_MS = 1_000;

function setUp() {
	const duplicates = new Duplicates();
	const clock = createTestClock();
	const sleeping = jest.spyOn(clock, 'sleep');
	const take = async (answer: Answer, key = 'key') =>
		await duplicates.claim(
			{ key, subscription: 'whk_1', mayRepeat: false, overlaps: false },
			answer,
			clock,
		);
	return {
		clock,
		take,
		/** A delivery of this event is taken on; then its sender hangs up. */
		async hangUp(key?: string): Promise<Answer> {
			const answer = new Answer();
			expect(await take(answer, key)).toBe('accepted');
			answer.hangUp();
			return answer;
		},
		/** How often somebody looked for answers since the last question. */
		looks: () =>
			sleeping.mock.calls.splice(0, Infinity).filter(([ms]) => ms === INTERVAL_MS).length,
	};
}

/** A second delivery hangs up, and is given up in time: whoever asks then does not wait. */
async function expectSecondGivenUp({ clock, take, hangUp }: ReturnType<typeof setUp>) {
	await clock.sleep(5_500);
	await hangUp('second');
	await clock.sleep(600_500);
	const asked = clock.now();
	expect(await take(new Answer(), 'second')).toBe('accepted');
	expect(clock.now()).toBe(asked);
}

/** n8n lets go of everything that nobody needs. */
async function collect(): Promise<void> {
	// What a turn has looked at is kept until its end.
	await new Promise(setImmediate);
	retainedBytes();
	await new Promise(setImmediate);
}

test('twenty of them are looked at together, and nobody looks any more once n8n has answered all', async () => {
	const { clock, hangUp, looks } = setUp();
	const answers: Answer[] = [];
	for (let n = 0; n < 20; n += 1) answers.push(await hangUp(`key ${n}`));
	looks();
	await clock.sleep(10_500);
	expect(looks()).toBe(10);
	for (const answer of answers) answer.endUnheard();
	await clock.sleep(1_500);
	looks();
	await clock.sleep(60_500);
	expect(looks()).toBe(0);
});

test('later ones are looked at again', async () => {
	const tried = setUp();
	(await tried.hangUp('first')).endUnheard();
	await expectSecondGivenUp(tried);
});

test('one that n8n never answers is given up after ten minutes, not before', async () => {
	const { clock, take, hangUp } = setUp();
	const begun = clock.now();
	await hangUp();
	await clock.sleep(590_000);
	expect(await take(new Answer())).toBe('accepted');
	expect(clock.now()).toBe(begun + 600_000);
});

test('the answer to one counts although n8n has let go of it before the event comes again', async () => {
	const { clock, take, hangUp } = setUp();
	await (async () => (await hangUp()).endUnheard())();
	await clock.sleep(1_500);
	await collect();
	expect(await take(new Answer())).toBe('duplicate');
});

test('one that n8n has let go of without an answer was not executed, so that a retry runs at once', async () => {
	const { clock, take, hangUp } = setUp();
	await (async () => await hangUp('first').then(() => undefined))();
	await collect();
	const asked = clock.now();
	expect(await take(new Answer(), 'first')).toBe('accepted');
	expect(clock.now()).toBe(asked);
});

test('one that n8n has let go of does not end the watch for the others', async () => {
	const tried = setUp();
	await (async () => await tried.hangUp('first').then(() => undefined))();
	await collect();
	await expectSecondGivenUp(tried);
});

test('an event that waits for the first delivery of its kind adds one listener to its own connection', async () => {
	const { take, clock } = setUp();
	await take(new Answer());
	const second = new Answer();
	const waiting = take(second);
	await clock.sleep(5_000);
	expect(second.listenerCount('close')).toBe(1);
	second.hangUp();
	expect(await waiting).toBe('pending');
});
