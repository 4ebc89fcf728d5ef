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
export class WorkspaceData {
	readonly database: Database;
	readonly clock: Clock;
	readonly identities: Identities;
	readonly subscriptions: Subscriptions;
	readonly deliveries: Deliveries;
	readonly changes: Changes;
	readonly cards: Cards;
	readonly fields: Fields;
	readonly records: Records;
	readonly mails: Mails;

	/**
	 * Opens the database.
	 * @param file path, or `:memory:`
	 */
	constructor(file: string, clock: Clock) {
		this.database = new Database(file);
		this.clock = clock;
		this.identities = new Identities(this.database, clock);
		this.subscriptions = new Subscriptions(this.database, clock);
		this.deliveries = new Deliveries(this.database);
		this.changes = new Changes(this);
		this.cards = new Cards(this);
		this.fields = new Fields(this.database, this.cards);
		this.records = new Records(this);
		this.mails = new Mails(this.database, clock);
	}
}
