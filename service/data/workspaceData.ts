/** Everything that is stored, and all that clients can do with it. */
import type { Clock } from '../foundation/clock.ts';
import { Cards } from './cards.ts';
import { Changes } from './changes.ts';
import { Database } from './database.ts';
import { Deliveries } from './deliveries.ts';
import { Fields } from './fields.ts';
import { Identities } from './identities.ts';
import { Mails } from './mails.ts';
import { Records } from './records.ts';
import { Subscriptions } from './subscriptions.ts';

/** Everything that is stored. */
export type WorkspaceData = ReturnType<typeof openWorkspaceData>;

/**
 * Opens the database with all that works on it.
 * @param file path, or `:memory:`
 */
export function openWorkspaceData(file: string, clock: Clock) {
	const database = new Database(file);
	const subscriptions = new Subscriptions(database, clock);
	const deliveries = new Deliveries(database);
	const changes = new Changes({ database, clock, subscriptions, deliveries });
	const cards = new Cards({ database, clock, changes, subscriptions });
	const fields = new Fields(database, cards);
	return {
		database,
		identities: new Identities(database, clock),
		subscriptions,
		deliveries,
		changes,
		cards,
		fields,
		records: new Records({ database, clock, changes, cards, fields }),
		mails: new Mails(database, clock),
	};
}
