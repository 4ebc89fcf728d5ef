import type { Logger } from 'n8n-workflow';
import type { NodePlace, TriggerMemory } from './memory';

/** At most one line in so many ms, whatever arrives at the address. */
const INTERVAL_MS = 60_000;

/** Writes a warning to n8n's log; those that come soon after are counted, not written. */
export function warnSparingly(
	context: NodePlace & { logger: Logger },
	{ warning }: TriggerMemory,
	now: number,
	message: string,
): void {
	if (now - warning.at < INTERVAL_MS) {
		warning.leftOut += 1;
		return;
	}
	const more = warning.leftOut > 0 ? ` (and ${warning.leftOut} more since the last warning)` : '';
	warning.at = now;
	warning.leftOut = 0;
	context.logger.warn(`${context.getNode().name}: ${message}${more}`, {
		workflowId: context.getWorkflow().id,
	});
}
