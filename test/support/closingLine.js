/** Ends jest's report with one plain line, `N passed, N failed, N skipped`, for tools that read results. */
module.exports = class ClosingLine {
	onRunComplete(_contexts, results) {
		const broken = results.numRuntimeErrorTestSuites;
		const skipped = results.numPendingTests + results.numTodoTests;
		process.stderr.write(
			`\n${results.numPassedTests} passed, ${results.numFailedTests + broken} failed, ${skipped} skipped\n`,
		);
	}
};
