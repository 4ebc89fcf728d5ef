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
	/** The highest ratio that meets the goal. */
	goal: number;
	/** Rounds that suffice: fewer than asked for if nothing is paired, or one takes long. */
	mostRounds?: number;
	/** Prepares what all rounds share. @returns runs one round; the first does not count */
	prepare(bench: Bench): Promise<() => Promise<Round>>;
}

/** A measured row; its figures are NaN if it failed. */
export interface Result extends Omit<Row, 'prepare' | 'mostRounds'>, Round {
	ratio: number;
	isMet: boolean;
}

/** The middle one. */
export const median = (values: readonly number[]): number =>
	values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
