import { idsIn, nameOf, readRows, type Row } from './reliabilityPage.mts';

/** What is used here of jest's result of a file. */
export interface FileResult {
	testFilePath: string;
	testExecError?: unknown;
	testResults: Array<{ status: string; fullName: string }>;
}

/**
 * Compares docs/reliability.md with the names of the tests that passed. The run fails if a file that the
 * page names for a row ran, and no test in it that has the row's id passed. It also tells which rows the
 * page shows no test for although one passed. Jest wants a reporter as a default export.
 */
export default class ReliabilityReporter {
	/** The ids that passed, by the page's name of the file; only files that ran without a failure. */
	private readonly passed = new Map<string, Set<string>>();
	private readonly active: boolean;
	private error: Error | undefined;

	constructor(config: { testNamePattern?: string }) {
		// With a pattern for names most tests do not run.
		this.active = !config.testNamePattern;
	}

	onTestResult(_test: unknown, { testFilePath, testResults, testExecError }: FileResult): void {
		// A file that could not run or whose tests failed is told by jest itself.
		const failed = testResults.some(({ status }) => status === 'failed');
		if (!this.active || testExecError || failed) return;
		const name = nameOf(testFilePath);
		const ids = this.passed.get(name) ?? new Set();
		for (const { status, fullName } of testResults) {
			if (status === 'passed') for (const id of idsIn(fullName)) ids.add(id);
		}
		this.passed.set(name, ids);
	}

	onRunComplete(): void {
		const rows = readRows();
		const unshown = rows
			.filter(({ tests }) => tests.length === 0)
			.flatMap((row) => this.shown(row));
		const missing = rows.flatMap(({ id, tests }) =>
			tests
				.filter((name) => this.passed.get(name)?.has(id) === false)
				.map((name) => `${id}: no test of ${name} has it in its name`),
		);
		if (unshown.length > 0) {
			const list = unshown.join('\n');
			process.stderr.write(`\nRows of docs/reliability.md that could name a test now:\n${list}\n`);
		}
		if (missing.length === 0) return;
		this.error = new Error(`docs/reliability.md names tests in vain:\n${missing.join('\n')}`);
		process.stderr.write(`\n${this.error.message}\n`);
	}

	getLastError(): Error | undefined {
		return this.error;
	}

	/** The files whose passed tests show a row. */
	private shown({ id }: Row): string[] {
		return [...this.passed].filter(([, ids]) => ids.has(id)).map(([name]) => `${id}: \`${name}\``);
	}
}
