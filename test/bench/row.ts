/** One row of the table: the measure, its peer, and the goal. */
import type { Bench } from './workbench.ts';

/** The result of one round. */
export interface Round {
	ours: number;
	peer: number;
}

export interface Row {
	name: string;
	/** The measure and its divisor. */
	what: string;
	unit: 's' | 'ms' | 'MB' | 'requests';
	/** The ratio that is reached at most. */
	goal: number;
	/** Rounds that suffice: fewer than asked for where nothing is paired, or one takes long. */
	mostRounds?: number;
	/** Prepares what all rounds share. @returns runs one round; the first does not count */
	prepare(bench: Bench): Promise<() => Promise<Round>>;
}

/** The middle one. */
export const median = (values: readonly number[]): number =>
	values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
