import type { IExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod';
import { saveSubscriptions } from './keptSubscriptions';
import { memoryOf } from './memory';

/** The item that starts an execution which saves the subscriptions. It holds none: items are visible. */
export const SAVE_ORDER = { event: 'subscription_renewed' };

const orderSchema = z.object({ event: z.literal(SAVE_ORDER.event) });

export const isSaveOrder = (json: unknown): boolean => orderSchema.safeParse(json).success;

/** Saves what the process of the trigger keeps, where this is it. */
export function saveIfUnsaved(context: IExecuteFunctions): void {
	if (memoryOf(context).isUnsaved) saveSubscriptions(context);
}
