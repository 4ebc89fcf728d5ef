/**
 * Times in a memory that can only tell which of some names it has. A time is remembered under four names: the years,
 * days, minutes and milliseconds that it lies in, so that a few questions find it.
 */

/** How long a name's part of time is, in ms: each is a thousandth of the one before. */
const STEPS = [1e9, 1e6, 1e3, 1] as const;

const nameOf = (step: number, part: number): string => `came in ${part} × ${step} ms`;

/** The names of a time in ms since the epoch; the memory must forget them in this order. */
export const namesOf = (time: number): string[] =>
	STEPS.map((step) => nameOf(step, Math.floor(time / step)));

/** Which of some names the memory has. */
export type LookUp = (names: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * The remembered times after one time, up to and including another; in ms since the epoch, oldest first.
 *
 * @param lookUp gets some thousand names at most for each ten years of the first question, else at most 1,001
 */
export async function* timesIn(
	after: number,
	upTo: number,
	lookUp: LookUp,
	[step, ...finer]: readonly number[] = STEPS,
): AsyncGenerator<number> {
	if (step === undefined) return;
	const first = Math.floor((after + 1) / step);
	const count = Math.floor(upTo / step) - first + 1;
	const parts = Array.from({ length: Math.max(0, count) }, (_, place) => first + place);
	const known = await lookUp(parts.map((part) => nameOf(step, part)));
	for (const part of parts.filter((one) => known.has(nameOf(step, one)))) {
		if (finer.length === 0) {
			yield part;
			continue;
		}
		const begin = Math.max(after, part * step - 1);
		yield* timesIn(begin, Math.min(upTo, (part + 1) * step - 1), lookUp, finer);
	}
}
