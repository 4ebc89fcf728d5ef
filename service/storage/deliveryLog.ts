/** The log of deliveries: what was delivered, how each attempt ended, and how much of it is kept. */
import type { Database } from './database.ts';

/** A number of deliveries, and the bytes of their bodies. */
export interface Amount {
	deliveries: number;
	bytes: number;
}

/** One try to deliver. `status` is null where no answer came; then `error` says why. */
export interface Attempt {
	number: number;
	at: string;
	status: number | null;
	durationMs: number;
	error: string | null;
	/** The beginning of the answer's body; null where there was none. */
	answer: string | null;
}

/** A delivery as the log shows it. */
export interface DeliveryLogEntry {
	id: number;
	subscriptionId: string;
	event: string;
	createdAt: string;
	body: string;
	state: 'pending' | 'delivered';
	failures: number;
	attempts: Attempt[];
}

/** A delivered event, as clearing the log looks at it. */
interface Delivered {
	id: number;
	bytes: number;
	event: number;
	createdAt: string;
}

/** Deliveries that one call of `pruneSome` looks at. */
const prunedAtATime = 100;

/** The statements. */
const prepare = ({ sql }: Database) => ({
	insertAttempt: sql.prepare(
		`INSERT INTO attempts SELECT id,
			(SELECT COUNT(*) + 1 FROM attempts WHERE delivery_id = ?), ?, ?, ?, ?, ?
		FROM deliveries WHERE id = ?`,
	),
	log: sql.prepare(
		`SELECT d.id, d.subscription_id AS subscriptionId, e.name AS event, e.created_at AS createdAt,
			e.body, d.state, d.failures
		FROM deliveries d JOIN events e ON e.id = d.event_id
		JOIN subscriptions s ON s.id = d.subscription_id
		WHERE (?1 IS NULL OR d.subscription_id = ?1) AND (?2 IS NULL OR s.workspace_id = ?2)
			AND s.state <> 'deleted'
		ORDER BY d.id DESC LIMIT ?3`,
	),
	attemptsOf: sql.prepare(
		`SELECT number, at, status, duration_ms AS durationMs, error, answer
		FROM attempts
		WHERE delivery_id = ? ORDER BY number`,
	),
	deliveredInAll: sql.prepare(
		`SELECT COUNT(*) AS deliveries, COALESCE(SUM(bytes), 0) AS bytes FROM deliveries
		WHERE state = 'delivered'`,
	),
	oldestDelivered: sql.prepare(
		`SELECT d.id, d.bytes, d.event_id AS event, e.created_at AS createdAt FROM deliveries d
		JOIN events e ON e.id = d.event_id WHERE d.state = 'delivered' ORDER BY d.id LIMIT ${prunedAtATime}`,
	),
	removeDelivery: sql.prepare('DELETE FROM deliveries WHERE id = ?'),
	removeEvent: sql.prepare(
		`DELETE FROM events WHERE id = ?1 AND NOT EXISTS
			(SELECT 1 FROM deliveries WHERE event_id = ?1)`,
	),
});

/** The log of deliveries. Prepares the statements. */
export function createDeliveryLog(database: Database) {
	const sql = prepare(database);
	/** The part of the log that is delivered; undefined until it is counted. */
	let delivered: Amount | undefined;
	const recount = () => (delivered = undefined);

	return {
		/** Notes an attempt. */
		noteAttempt(id: number, { at, status, durationMs, error, answer }: Omit<Attempt, 'number'>) {
			sql.insertAttempt.run(id, at, status, durationMs, error, answer, id);
		},
		/** Counts a delivery that is delivered now. */
		count(bytes: number) {
			if (!delivered) return;
			delivered = { deliveries: delivered.deliveries + 1, bytes: delivered.bytes + bytes };
			database.afterRollback(recount);
		},
		/** Counts all again when it is asked for: deliveries were taken out of the log or put back into the queue. */
		recount,
		/**
		 * Clears the oldest delivered events out of the log, a few at a time, while there are more, older
		 * or larger ones than it may keep.
		 * @returns whether there may be more to clear
		 */
		pruneSome(kept: Amount & { since: string }): boolean {
			delivered ??= sql.deliveredInAll.get() as unknown as Amount;
			const counted = delivered;
			const rows = sql.oldestDelivered.all() as unknown as Delivered[];
			return database.transaction(() => {
				database.afterRollback(recount);
				for (const { id, bytes, event, createdAt } of rows) {
					const fits = counted.deliveries <= kept.deliveries && counted.bytes <= kept.bytes;
					if (fits && createdAt >= kept.since) return false;
					sql.removeDelivery.run(id);
					sql.removeEvent.run(event);
					counted.deliveries -= 1;
					counted.bytes -= bytes;
				}
				return rows.length === prunedAtATime;
			});
		},
		/** Those of one subscription, of one workspace or of all, newest first. */
		log(
			of: { subscriptionId?: string | undefined; workspaceId?: string },
			limit: number,
		): DeliveryLogEntry[] {
			const { subscriptionId = null, workspaceId = null } = of;
			const rows = sql.log.all(subscriptionId, workspaceId, limit) as unknown as DeliveryLogEntry[];
			return rows.map((row) => ({
				...row,
				attempts: sql.attemptsOf.all(row.id) as unknown as Attempt[],
			}));
		},
	};
}
