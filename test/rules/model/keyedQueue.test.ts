import fc from 'fast-check';
import { createKeyedQueue } from '../../../nodes/WorkspaceData/model/keyedQueue';

describe('tasks with the same key', () => {
	it("never overlap, start in their order and end, whatever fails; other keys don't wait", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.scheduler(),
				fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean() }), {
					maxLength: 12,
				}),
				async (scheduler, tasks) => {
					const queue = createKeyedQueue();
					const started: Array<{ key: string; place: number }> = [];
					const underWay = new Set<string>();
					const results = tasks.map(
						async ({ key, fails }, place) =>
							await queue(key, async () => {
								expect(underWay).not.toContain(key);
								underWay.add(key);
								started.push({ key, place });
								await scheduler.schedule(Promise.resolve(), `${key} ${place}`);
								underWay.delete(key);
								if (fails) throw new Error(String(place));
								return place;
							}),
					);
					const settled = Promise.allSettled(results);
					// The first task of each key does not wait for anything.
					await Promise.resolve();
					expect(new Set(started.map(({ key }) => key))).toEqual(
						new Set(tasks.map(({ key }) => key)),
					);
					await scheduler.waitFor(settled);

					for (const [place, outcome] of (await settled).entries()) {
						const expected = tasks[place]?.fails
							? { status: 'rejected', reason: new Error(String(place)) }
							: { status: 'fulfilled', value: place };
						expect(outcome).toEqual(expected);
					}
					for (const key of ['a', 'b', 'c']) {
						const places = started.filter((one) => one.key === key).map(({ place }) => place);
						expect(places).toEqual([...places].sort((x, y) => x - y));
					}
				},
			),
		);
	});

	it('wait for those that wait already, however late they come', async () => {
		const queue = createKeyedQueue();
		const order: string[] = [];
		const slow = async (name: string) => {
			order.push(`${name} begins`);
			await new Promise((resolve) => setImmediate(resolve));
			order.push(`${name} ends`);
		};
		const first = queue('a', async () => await slow('first'));
		const second = queue('a', async () => await slow('second'));
		await first;
		await Promise.all([second, queue('a', async () => await slow('third'))]);

		expect(order).toEqual(
			['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]),
		);
	});
});
