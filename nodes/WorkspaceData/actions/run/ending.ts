/** Says how far a failed or canceled run came. */
import type { NodeOperationError } from 'n8n-workflow';
import { Cancelled } from '../../transport/failure/failures';
import { progressOf, type Messages } from './messages';
import type { Run } from './run';

/** The maximum number of IDs in a line of n8n's log. */
const IDS_IN_LINE = 1_000;

/**
 * Says how many items were processed before an error ended the run; undefined if one item's error is enough.
 *
 * @param outcomes the outcomes of all items, with the errors of the failed ones
 * @param failed the error that ends the run
 */
export function stoppedNote(
	messages: Messages,
	outcomes: ReadonlyArray<{ error?: unknown }>,
	failed: unknown,
): string | undefined {
	const isUntold = failed instanceof Cancelled && messages.noteOn(failed) === undefined;
	if (outcomes.length === 1 && !isUntold) return undefined;
	const errors = outcomes.flatMap(({ error }) => (error ? [error] : []));
	const done = outcomes.length - errors.length;
	return progressOf(done, outcomes.length, 'items were processed before the run stopped', errors);
}

/**
 * Logs the progress of a canceled run, with the IDs of the written records. n8n stores the execution as soon as it is canceled, and ignores later
 * messages of the node.
 */
export function logCancelled(
	{ context, done }: Run,
	{ message, description }: Pick<NodeOperationError, 'message' | 'description'>,
): void {
	const { name } = context.getNode();
	const place = { workflowId: context.getWorkflow().id, executionId: context.getExecutionId() };
	context.logger.info(`${name}: ${message}. ${description ?? ''}`, place);
	for (const line of done.lines(IDS_IN_LINE)) context.logger.info(`${name}: ${line}`, place);
}
