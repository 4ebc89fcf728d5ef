/** Which deliveries are taken on while others of the same event are under way. */
import { EventEmitter } from 'node:events';
import {
	createDuplicates,
	MAX_KNOWN,
} from '../../../nodes/WorkspaceData/trigger/delivery/duplicates';
import { createTestClock } from '../../support/clock';

class Answer extends EventEmitter {
	writableEnded = false;

	statusCode = 200;

	/** n8n answers; after a hang-up no event tells. */
	send(status: number): void {
		this.statusCode = status;
		this.writableEnded = true;
		if (this.listenerCount('finish') > 0 && !this.hungUp) this.emit('finish');
	}

	private hungUp = false;

	hangUp(): void {
		this.hungUp = true;
		this.emit('close');
	}
}

function setUp({ mayRepeat = false } = {}) {
	const duplicates = createDuplicates();
	const clock = createTestClock();
	return {
		clock,
		take: async (answer: Answer, key = 'key', subscription = 'whk_1') =>
			await duplicates.claim({ key, subscription, mayRepeat }, answer, clock),
	};
}

test('takes an event on once', async () => {
	const { take } = setUp();
	const first = new Answer();
	expect(await take(first)).toBe('accepted');
	first.send(200);
	expect(await take(new Answer())).toBe('duplicate');
	expect(await take(new Answer(), 'another key')).toBe('accepted');
});

test('takes it on again when n8n could not save it', async () => {
	const { take } = setUp();
	const first = new Answer();
	await take(first);
	first.send(500);
	const second = new Answer();
	expect(await take(second)).toBe('accepted');
	second.send(200);
	expect(await take(new Answer())).toBe('duplicate');
});

test.each([
	[200, 'duplicate'],
	[500, 'accepted'],
])('waits for the answer to an earlier delivery, %d', async (status, expected) => {
	const { take, clock } = setUp();
	const first = new Answer();
	expect(await take(first)).toBe('accepted');
	const second = take(new Answer());
	await clock.sleep(1_000);
	first.send(status);
	expect(await second).toBe(expected);
});

test('takes one of many that come together', async () => {
	const { take } = setUp();
	const answers = Array.from({ length: 20 }, () => new Answer());
	const taken = answers.map(async (answer) => await take(answer));
	answers[0]?.send(200);
	expect((await Promise.all(taken)).filter((outcome) => outcome === 'accepted')).toHaveLength(1);
});

test('C8 counts an answer that comes minutes after the sender has hung up', async () => {
	const { take, clock } = setUp();
	const first = new Answer();
	await take(first);
	first.hangUp();
	const retry = new Answer();
	const waiting = take(retry);
	await clock.sleep(180_000);
	first.send(200);
	expect(await waiting).toBe('duplicate');
	expect(await take(new Answer())).toBe('duplicate');
});

test('C8 a retry whose sender hangs up as well starts nothing', async () => {
	const { take, clock } = setUp();
	await take(new Answer());
	const retry = new Answer();
	const waiting = take(retry);
	await clock.sleep(20_000);
	retry.hangUp();
	expect(await waiting).toBe('pending');
});

test('does not wait for ever for a delivery that is never answered', async () => {
	const { take } = setUp();
	await take(new Answer());
	expect(await take(new Answer())).toBe('pending');
});

test('what two subscriptions deliver is one event, also where repetitions run', async () => {
	const { take } = setUp({ mayRepeat: true });
	const first = new Answer();
	expect(await take(first)).toBe('accepted');
	first.send(200);
	expect(await take(new Answer(), 'key', 'whk_2')).toBe('duplicate');
	expect(await take(new Answer(), 'key', 'whk_1')).toBe('accepted');
});

test('C10 remembers a bounded number of events', async () => {
	const { take } = setUp();
	for (let event = 0; event <= MAX_KNOWN; event += 1) {
		const answer = new Answer();
		await take(answer, `event ${event}`);
		answer.send(200);
	}
	expect(await take(new Answer(), `event ${MAX_KNOWN}`)).toBe('duplicate');
	expect(await take(new Answer(), 'event 1')).toBe('duplicate');
	expect(await take(new Answer(), 'event 0')).toBe('accepted');
});
