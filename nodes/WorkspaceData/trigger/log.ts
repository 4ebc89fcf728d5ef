/** Writes the trigger's warnings to n8n's log. */
import type { IHookFunctions } from 'n8n-workflow';

/** A context that can write to n8n's log. */
export type LogPlace = Pick<IHookFunctions, 'getNode' | 'getWorkflow' | 'logger'>;

/** The reason for a failure, for the log, without a period at the end. */
export const reasonOf = (error: unknown): string =>
	(error instanceof Error ? error.message : String(error)).replace(/\.\s*$/, '');

/** Writes a warning to n8n's log, after the node's name. */
export function warn(context: LogPlace, message: string): void {
	context.logger.warn(`${context.getNode().name}: ${message}`, {
		workflowId: context.getWorkflow().id,
	});
}
