import { createLimiter } from '../../../nodes/WorkspaceData/transport/concurrency';
import { createTestClock } from '../../support/clock';

async function highest(limits: number[]): Promise<{ most: number; order: number[] }> {
	const clock = createTestClock();
	const inTurn = createLimiter();
	let running = 0;
	let most = 0;
	const order: number[] = [];
	await Promise.allSettled(
		limits.map(
			async (limit, place) =>
				await inTurn(limit, async () => {
					order.push(place);
					running += 1;
					most = Math.max(most, running);
					await clock.sleep(place % 3);
					running -= 1;
					if (place % 5 === 0) throw new Error('a task that fails');
				}),
		),
	);
	return { most, order };
}

test.each([1, 3, 10])(
	'runs at most %d tasks at once, in the order in which they came',
	async (limit) => {
		const { most, order } = await highest(Array.from({ length: 40 }, () => limit));
		expect(most).toBe(limit);
		expect(order).toEqual(Array.from({ length: 40 }, (_, place) => place));
	},
);

test('each task brings its own limit', async () => {
	const { most, order } = await highest([1, 1, 5, 5, 5, 5, 1]);
	expect(most).toBeLessThanOrEqual(5);
	expect(order).toHaveLength(7);
});
