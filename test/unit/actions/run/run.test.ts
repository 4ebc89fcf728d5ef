/** What an execution leaves in the memory of n8n. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { createRun } from '../../../../nodes/WorkspaceData/actions/run/run';
import type { WorkspaceApi } from '../../../../nodes/WorkspaceData/transport/api';
import { retainedBytes } from '../../../support/heap';

test('ten thousand executions leave nothing behind', () => {
	const context = {
		getInputData: () => [{ json: {} }],
		getExecutionCancelSignal: () => new AbortController().signal,
	} as unknown as IExecuteFunctions;
	const run = (count: number) => {
		for (let n = 0; n < count; n += 1) createRun(context, {} as WorkspaceApi).close();
	};
	run(500);
	const before = retainedBytes();
	run(10_000);
	// Less than 100 bytes each.
	expect(retainedBytes() - before).toBeLessThan(1_000_000);
});
