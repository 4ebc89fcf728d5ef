import type { Quotas } from '../foundation/quotas.ts';
import type { Store } from '../storage/store.ts';
import { createCards } from './cards.ts';
import { createFields } from './fields.ts';
import { createRecords } from './records.ts';
import { createSubscriptions } from './subscriptions.ts';

/** All that clients can do with a workspace. */
export type WorkspaceData = ReturnType<typeof createWorkspaceData>;

/** Gives the operations over a store. */
export function createWorkspaceData(store: Store, quotas: Quotas) {
	const cards = createCards(store, quotas);
	const fields = createFields(store, cards, quotas);
	const records = createRecords(store, cards, fields, quotas);
	return { cards, fields, records, subscriptions: createSubscriptions(store, quotas) };
}
