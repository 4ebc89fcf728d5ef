/** Which deliveries are taken on while others of the same event are under way. */
import { createHash } from 'node:crypto';
import { Duplicates, MAX_KNOWN } from '../../../nodes/WorkspaceData/trigger/delivery/duplicates';
import { createTestClock } from '../../support/clock';

/** n8n's response. */
class Answer {
	statusCode = 200;

	end(): void {}

	send(status: number): void {
		this.statusCode = status;
		this.end();
	}
}

function setUp() {
	const duplicates = new Duplicates();
	const clock = createTestClock();
	/** Is called if the service may pause the subscription. */
	const onDoubt = jest.fn();
	const take = async (answer: Answer, key = 'key', subscription = 'whk_1') =>
		await duplicates.claim({ key, subscription }, answer, clock, onDoubt);
	return { clock, onDoubt, take };
}

test.each([
	[200, false],
	[500, true],
])('a retry waits minutes for the first: after %d, it is to run: %s', async (status, runs) => {
	const { take, clock } = setUp();
	const first = new Answer();
	await take(first);
	const retry = new Answer();
	const waiting = take(retry);
	await clock.sleep(180_000);
	first.send(status);
	expect(await waiting).toBe(runs);
	retry.send(200);
	expect(await take(new Answer())).toBe(false);
});

test('a delivery that n8n never answers is given up after ten minutes, and a retry runs', async () => {
	const { take, clock } = setUp();
	await take(new Answer());
	await clock.sleep(602_000);
	const asked = clock.now();
	expect(await take(new Answer())).toBe(true);
	expect(clock.now()).toBe(asked);
});

/** Has n8n answer this many events of a subscription. */
async function deliver({ take }: ReturnType<typeof setUp>, count: number): Promise<void> {
	for (let event = 0; event < count; event += 1) {
		const answer = new Answer();
		await take(answer, keyOf(event), 'whk_2');
		answer.send(200);
	}
}

const keyOf = (event: number): string =>
	createHash('sha256').update(`event ${event}`).digest('hex');

test('an event runs once although the old subscription lags by 20,000 events; no more are remembered', async () => {
	const world = setUp();
	const runs = async (event: number) => await world.take(new Answer(), keyOf(event), 'whk_1');
	await deliver(world, MAX_KNOWN);
	expect([await runs(0), await runs(MAX_KNOWN - 1)]).toEqual([false, false]);
	expect([await runs(MAX_KNOWN), await runs(1), await runs(0)]).toEqual([true, true, false]);
});

test.each([
	[5_000, 200, 0],
	[5_001, 200, 1],
	[1_000, 500, 1],
])(
	'a response after %s ms with %s may make the service pause the subscription: %d',
	async (ms, status, expected) => {
		const { clock, onDoubt, take } = setUp();
		const answer = new Answer();
		await take(answer);
		await clock.sleep(ms);
		answer.send(status);
		expect(onDoubt).toHaveBeenCalledTimes(expected);
	},
);

test('an event that comes again may have been refused: it runs once', async () => {
	const { onDoubt, take } = setUp();
	const first = new Answer();
	expect(await take(first)).toBe(true);
	first.send(200);
	expect(await take(new Answer())).toBe(false);
	expect(onDoubt).toHaveBeenCalledTimes(1);
});
