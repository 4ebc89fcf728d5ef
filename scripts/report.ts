/** What a demo run tells: its steps, and what is not as it should be. */
export interface Report {
	/** Prints a line. */
	say(line: string): void;
	/** Runs a step and prints its duration; the text it gives is its result. */
	step<Result>(name: string, task: () => Promise<[Result, string]>): Promise<Result>;
	/** Notes something that is not as it should be. */
	mismatch(text: string): void;
	/** The mismatches that were noted. */
	readonly mismatches: readonly string[];
	/** Prints the mismatches. */
	summary(): void;
}

const shown = 20;

/** @param write where lines go */
export function createReport(write: (text: string) => void): Report {
	const mismatches: string[] = [];
	const say = (line: string) => write(`${line}\n`);
	return {
		say,
		mismatches,
		async step(name, task) {
			const start = performance.now();
			const [result, detail] = await task();
			say(`✓ ${name}: ${detail} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
			return result;
		},
		mismatch: (text) => void mismatches.push(text),
		summary() {
			say(`\nmismatches: ${mismatches.length}`);
			for (const text of mismatches.slice(0, shown)) say(`  ${text}`);
		},
	};
}
