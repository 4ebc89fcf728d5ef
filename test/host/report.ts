/** A step of a run, for the summary. */
interface Step {
	name: string;
	seconds: number;
	detail: string;
}

/** Collects what happened and prints it. */
export interface Report {
	/** Prints a line. */
	say(line: string): void;
	/** Runs a step, with its duration; the text it gives is its result. */
	step<Result>(name: string, task: () => Promise<[Result, string]>): Promise<Result>;
	/** Notes something that is not as it should be. */
	mismatch(text: string): void;
	/** The mismatches that were noted. */
	readonly mismatches: readonly string[];
	/** Prints the table of steps and the mismatches. */
	summary(): void;
}

const shown = 20;

/** @param write where lines go */
export function createReport(write: (text: string) => void): Report {
	const steps: Step[] = [];
	const mismatches: string[] = [];
	const say = (line: string) => write(`${line}\n`);
	return {
		say,
		mismatches,
		async step(name, task) {
			const start = performance.now();
			const [result, detail] = await task();
			const seconds = (performance.now() - start) / 1000;
			steps.push({ name, seconds, detail });
			say(`✓ ${name}: ${detail} (${seconds.toFixed(1)} s)`);
			return result;
		},
		mismatch(text) {
			mismatches.push(text);
		},
		summary() {
			say('');
			const width = Math.max(...steps.map((step) => step.name.length));
			for (const { name, seconds, detail } of steps) {
				say(`${name.padEnd(width)}  ${seconds.toFixed(1).padStart(6)} s  ${detail}`);
			}
			say('');
			say(`mismatches: ${mismatches.length}`);
			for (const text of mismatches.slice(0, shown)) say(`  ${text}`);
			if (mismatches.length > shown) say(`  … and ${mismatches.length - shown} more`);
		},
	};
}
