import { EventEmitter } from 'node:events';
import { BoundedMap } from '../../../nodes/WorkspaceData/model/boundedMap';
import { takeOn, type Delivery } from '../../../nodes/WorkspaceData/trigger/repetition';
import { createTestClock } from '../../support/clock';

class Answer extends EventEmitter {
	headersSent = false;

	statusCode = 200;

	send(status: number, event: 'finish' | 'close' = 'finish'): void {
		this.statusCode = status;
		this.headersSent = true;
		this.emit(event);
	}
}

function setUp() {
	const deliveries = new BoundedMap<string, Delivery>(10);
	const clock = createTestClock();
	return {
		clock,
		take: async (answer: Answer, key = 'key') => await takeOn(deliveries, key, answer, clock),
	};
}

test('takes an event on once', async () => {
	const { take } = setUp();
	const first = new Answer();
	expect(await take(first)).toBe(true);
	first.send(200);
	expect(await take(new Answer())).toBe(false);
	expect(await take(new Answer(), 'another key')).toBe(true);
});

test('takes it on again when n8n could not save it', async () => {
	const { take } = setUp();
	const first = new Answer();
	await take(first);
	first.send(500);
	const second = new Answer();
	expect(await take(second)).toBe(true);
	second.send(200);
	expect(await take(new Answer())).toBe(false);
});

test.each([
	[200, false],
	[500, true],
])('waits for the answer to an earlier delivery, %d', async (status, expected) => {
	const { take, clock } = setUp();
	const first = new Answer();
	expect(await take(first)).toBe(true);
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
	expect((await Promise.all(taken)).filter(Boolean)).toHaveLength(1);
});

test('counts what n8n answers after the sender has hung up', async () => {
	const { take } = setUp();
	const first = new Answer();
	await take(first);
	first.send(200, 'close');
	expect(await take(new Answer())).toBe(false);
});

test('runs rather than losing an event whose first delivery is never answered', async () => {
	const { take } = setUp();
	await take(new Answer());
	expect(await take(new Answer())).toBe(true);
});
