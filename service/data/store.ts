/** Everything that is stored, and all that clients can do with it. */
import type { Clock } from '../foundation/clock.ts';
import { Cards } from './cards.ts';
import { Database } from './database.ts';
import { Deliveries } from './deliveries.ts';
import { Fields } from './fields.ts';
import { Identities } from './identities.ts';
import { Records } from './records.ts';
import { Subscriptions } from './subscriptions.ts';

/** Everything that is stored. */
export type Store = ReturnType<typeof openStore>;

/**
 * Opens the database.
 * @param file path, or `:memory:`
 * @throws Error if the file cannot be opened or is not ours
 */
export function openStore(file: string, clock: Clock) {
	const database = new Database(file, clock);
	const identities = new Identities(database);
	const deliveries = new Deliveries(database);
	const subscriptions = new Subscriptions(database, deliveries);
	const cards = new Cards(database, subscriptions);
	const fields = new Fields(database, cards);
	const records = new Records({ database, subscriptions, cards, fields });
	return { clock, database, identities, deliveries, subscriptions, cards, fields, records };
}
