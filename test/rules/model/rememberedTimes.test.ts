/** Times in a memory that only knows names. */
import fc from 'fast-check';
import { namesOf, timesIn } from '../../../nodes/WorkspaceData/model/rememberedTimes';

const near = (ms: number) =>
	fc.integer({ min: -ms, max: ms }).map((offset) => 1_700_000_000_000 + offset);
/** Milliseconds, minutes and years apart. */
const time = fc.oneof(near(5), near(2_000), near(3_000_000), near(100_000_000_000));

async function find(times: readonly number[], after: number, upTo: number) {
	const names = new Set(times.flatMap(namesOf));
	let asked = 0;
	const found: number[] = [];
	const lookUp = async (wanted: readonly string[]) => {
		asked = Math.max(asked, wanted.length);
		return new Set(wanted.filter((name) => names.has(name)));
	};
	for await (const one of timesIn(after, upTo, lookUp)) found.push(one);
	return { found, asked };
}

test('finds exactly the remembered times of a span, oldest first', async () => {
	await fc.assert(
		fc.asyncProperty(fc.uniqueArray(time, { maxLength: 20 }), time, time, async (times, a, b) => {
			const [after, upTo] = a < b ? [a, b] : [b, a];
			const { found, asked } = await find(times, after, upTo);
			const expected = times.filter((one) => one > after && one <= upTo);
			expect(found).toEqual(expected.sort((x, y) => x - y));
			expect(asked).toBeLessThanOrEqual(1_001);
		}),
		{ numRuns: 300 },
	);
});

test('finds nothing in a span that has no time', async () => {
	expect((await find([5, 6], 6, 6)).found).toEqual([]);
	expect((await find([5, 6], 6, 5)).found).toEqual([]);
});
