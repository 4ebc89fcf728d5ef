/** Writes the trigger's warnings to n8n's log. */
import type { IHookFunctions } from 'n8n-workflow';
import type { Clock } from '../transport/http/clock';

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

/** The warnings of a node by kind: later ones of a kind are left out for a while, so that many don't hide the others. */
export class Warnings {
	private readonly writtenAt = new Map<string, number>();

	/** Writes a warning to n8n's log. @param intervalMs the min time between two lines of a kind */
	write(
		{ context, clock }: { context: LogPlace; clock: Clock },
		kind: string,
		message: string,
		intervalMs = 60_000,
	): void {
		const now = clock.now();
		// A clock that was set back must not silence the log.
		if (Math.abs(now - (this.writtenAt.get(kind) ?? -intervalMs)) < intervalMs) return;
		this.writtenAt.set(kind, now);
		warn(context, message);
	}
}
