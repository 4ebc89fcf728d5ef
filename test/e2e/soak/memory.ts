/** The memory of a process over time. */
import { readFileSync } from 'node:fs';

const EVERY_MS = 2_000;
/** The growth allowed between the second quarter and the last, in MiB and as a share. */
const GROWTH_MIB = 40;
const GROWTH = 0.1;

function residentMiB(processId: number): number {
	const status = readFileSync(`/proc/${processId}/status`, 'utf8');
	return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024);
}

const median = (values: readonly number[]): number =>
	values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** @param processOf the process, as it may be started again */
export function watchMemory(processOf: () => number | undefined) {
	const samples: number[] = [];
	const look = (): number => {
		const id = processOf();
		return id === undefined ? NaN : residentMiB(id);
	};
	const timer = setInterval(() => samples.push(look()), EVERY_MS);
	return {
		now: look,
		stop: () => clearInterval(timer),
		/** Compares the last quarter of the time with the second: the first is for warming up. */
		trend() {
			const quarter = Math.floor(samples.length / 4);
			const early = median(samples.slice(quarter, 2 * quarter));
			const late = median(samples.slice(-quarter));
			return {
				early,
				late,
				peak: Math.max(...samples),
				isFlat: late - early <= Math.max(GROWTH_MIB, GROWTH * early),
			};
		},
	};
}
