import * as fc from 'fast-check';
import { Items } from '../../../../nodes/WorkspaceData/actions/schedule/items';
import { cases } from '../../../support/cases';

/** The steps of an item: time passes, or it waits for the others with a key. */
const step = fc.oneof(
	fc.constant<'wait'>('wait'),
	fc.constantFrom('a', 'b').map((key) => ({ key })),
);
const noYield = async () => {};
const program = fc.record({ steps: fc.array(step, { maxLength: 4 }), hasTask: fc.boolean() });
const programs = fc.array(program, { maxLength: 30 });

test('any items, whatever they wait for: all end, never too many at once, shared work is done once, tasks begin in order', async () => {
	await fc.assert(
		fc.asyncProperty(
			programs,
			fc.integer({ min: 1, max: 8 }),
			fc.scheduler(),
			async (items, atOnce, s) => {
				const run = new Items(items.length, noYield, atOnce);
				const started: number[] = [];
				const begun: number[] = [];
				let busy = 0;
				let most = 0;
				let isComplete = false;
				const works: Array<{ key: string; all: readonly number[] }> = [];
				const results = run.each(async (itemIndex) => {
					started.push(itemIndex);
					busy += 1;
					most = Math.max(most, isComplete ? 0 : busy);
					let isFirst = true;
					for (const [place, what] of (items[itemIndex]?.steps ?? []).entries()) {
						if (what === 'wait') {
							await s.schedule(Promise.resolve(), `${itemIndex}.${place}`);
							continue;
						}
						if (isFirst) busy -= 1;
						isFirst = false;
						const result = await run.gather(what.key, itemIndex, itemIndex, async (all) => {
							isComplete = true;
							works.push({ key: what.key, all: [...all] });
							await s.schedule(Promise.resolve(), `work of ${what.key}`);
							return what.key;
						});
						expect(result).toBe(what.key);
					}
					if (isFirst) busy -= 1;
					if (!items[itemIndex]?.hasTask) return `result ${itemIndex}`;
					return await run.inItemOrder(itemIndex, async () => {
						begun.push(itemIndex);
						await s.schedule(Promise.resolve(), `task of ${itemIndex}`);
						return `result ${itemIndex}`;
					});
				});
				expect(await s.waitFor(results)).toEqual(items.map((_, index) => `result ${index}`));
				expect(started).toEqual(items.map((_, index) => index));
				expect(begun).toEqual(started.filter((index) => items[index]?.hasTask));
				expect(most).toBeLessThanOrEqual(atOnce);
				for (const key of ['a', 'b']) {
					const came = items.flatMap(({ steps }, index) =>
						steps.find((what) => what !== 'wait')?.key === key ? [index] : [],
					);
					const [work, ...others] = works.filter((done) => done.key === key);
					expect(others).toEqual([]);
					// Who comes to a second place comes after the work was handed out, or in time for it.
					if (came.length > 0) expect(work?.all).toEqual(expect.arrayContaining(came));
					if (work) expect([...work.all]).toEqual([...work.all].sort((x, y) => x - y));
				}
			},
		),
		cases(500),
	);
});
