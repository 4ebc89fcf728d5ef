/** Writes the trigger's warnings to n8n's log. */
import type { INode, IWorkflowMetadata, Logger } from 'n8n-workflow';

/** At most one line of a kind in so many ms, whatever arrives at the address. */
const INTERVAL_MS = 60_000;

/** When the last warning of a kind was written, and how many were left out since. */
export interface WarningSlot {
	at: number;
	leftOut: number;
}

export const noWarnings = (): WarningSlot => ({ at: -Infinity, leftOut: 0 });

/** A context that can write to n8n's log. */
export interface LogPlace {
	getNode(): INode;
	getWorkflow(): IWorkflowMetadata;
	logger: Logger;
}

/** Why something did not work, in words for the log. */
export const reasonOf = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);

/** Writes a warning to n8n's log, with the node's name in front. */
export function warn(context: LogPlace, message: string): void {
	context.logger.warn(`${context.getNode().name}: ${message}`, {
		workflowId: context.getWorkflow().id,
	});
}

/** Writes a warning; further ones of its kind that follow soon are counted, not written. */
export function warnSparingly(
	context: LogPlace,
	slot: WarningSlot,
	now: number,
	message: string,
	intervalMs = INTERVAL_MS,
): void {
	const sinceMs = now - slot.at;
	// A clock that was put back must not silence the log.
	if (sinceMs >= 0 && sinceMs < intervalMs) {
		slot.leftOut += 1;
		return;
	}
	const more = slot.leftOut > 0 ? ` (and ${slot.leftOut} more since the last warning)` : '';
	slot.at = now;
	slot.leftOut = 0;
	warn(context, `${message}${more}`);
}

/** Writes a warning, as `warnSparingly`. */
export type Warn = (slot: WarningSlot, message: string, intervalMs?: number) => void;
