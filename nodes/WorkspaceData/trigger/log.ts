/** Writes the trigger's warnings to n8n's log. */
import type { INode, IWorkflowMetadata, Logger } from 'n8n-workflow';

const MINUTE_MS = 60_000;

/** When the last warning of a kind was written, and how many were skipped since. */
export interface WarningSlot {
	at: number;
	leftOut: number;
}

/** A context that can write to n8n's log. */
export interface LogPlace {
	getNode(): INode;
	getWorkflow(): IWorkflowMetadata;
	logger: Logger;
}

/** The reason for a failure, for the log, without a period at the end. */
export const reasonOf = (error: unknown): string =>
	(error instanceof Error ? error.message : String(error)).replace(/\.\s*$/, '');

/** Writes a warning to n8n's log, after the node's name. */
export function warn(context: LogPlace, message: string): void {
	context.logger.warn(`${context.getNode().name}: ${message}`, {
		workflowId: context.getWorkflow().id,
	});
}

/** The last warnings of a node, and the time. */
interface Sparing {
	warnings: Map<string, WarningSlot>;
	now: number;
	/** Min time between two lines of a kind, in ms; by default a minute. */
	intervalMs?: number;
}

/** Writes a warning. Later ones of the same kind are only counted for a while. */
export function warnSparingly(
	context: LogPlace,
	kind: string,
	message: string,
	{ warnings, now, intervalMs = MINUTE_MS }: Sparing,
): void {
	const slot = warnings.get(kind);
	const sinceMs = now - (slot?.at ?? -Infinity);
	// A clock that was set back must not silence the log.
	if (slot && sinceMs >= 0 && sinceMs < intervalMs) {
		slot.leftOut += 1;
		return;
	}
	const more = slot?.leftOut ? ` (and ${slot.leftOut} more since the last warning)` : '';
	warnings.set(kind, { at: now, leftOut: 0 });
	warn(context, `${message}${more}`);
}
