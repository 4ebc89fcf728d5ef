/** Writes the trigger's warnings to n8n's log. */
import type { INode, IWorkflowMetadata, Logger } from 'n8n-workflow';

const MINUTE_MS = 60_000;

/** When the last warning of a kind was written, and how many were left out since. */
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

/** Why something did not work, in words for the log, without a full stop. */
export const reasonOf = (error: unknown): string =>
	(error instanceof Error ? error.message : String(error)).replace(/\.\s*$/, '');

/** Writes a warning to n8n's log, with the node's name in front. */
export function warn(context: LogPlace, message: string): void {
	context.logger.warn(`${context.getNode().name}: ${message}`, {
		workflowId: context.getWorkflow().id,
	});
}

/** Where the last warnings of a node are kept, and the time. */
interface Sparing {
	warnings: Map<string, WarningSlot>;
	now: number;
	/** At most one line of a kind in so many ms; a minute unless told otherwise. */
	intervalMs?: number;
}

/** Writes a warning; further ones of its kind that follow soon are counted, not written. */
export function warnSparingly(
	context: LogPlace,
	kind: string,
	message: string,
	{ warnings, now, intervalMs = MINUTE_MS }: Sparing,
): void {
	const slot = warnings.get(kind);
	const sinceMs = now - (slot?.at ?? -Infinity);
	// A clock that was put back must not silence the log.
	if (slot && sinceMs >= 0 && sinceMs < intervalMs) {
		slot.leftOut += 1;
		return;
	}
	const more = slot?.leftOut ? ` (and ${slot.leftOut} more since the last warning)` : '';
	warnings.set(kind, { at: now, leftOut: 0 });
	warn(context, `${message}${more}`);
}
