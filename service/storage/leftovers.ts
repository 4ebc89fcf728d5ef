import type { Database } from './database.ts';

/** Something deleted whose rows must still be cleared away. */
interface Leftover {
	kind: 'card' | 'subscription' | 'field';
	owner: string;
	field_key: number;
}

/** Rows that one step clears away, and bytes of records after which it ends; small enough to stay below a slice. */
const step = 100;
const stepBytes = 256 * 1024;

/** The first of some rows, up to the one with which they come to the bytes of a step. */
function firstOf<Row extends { bytes: number }>(rows: Iterable<unknown>): Row[] {
	const first: Row[] = [];
	let bytes = 0;
	for (const row of rows as Iterable<Row>) {
		first.push(row);
		bytes += row.bytes;
		if (bytes > stepBytes) break;
	}
	return first;
}

/**
 * The deleted things that are cleared away in the background, a few rows at a time. The list is in the
 * database, so a start continues where the last process ended. Prepares the statements.
 */
export function createLeftovers({ sql, transaction, meta, setMeta }: Database) {
	const add = sql.prepare('INSERT OR IGNORE INTO leftovers VALUES (?, ?, ?)');
	const first = sql.prepare('SELECT * FROM leftovers LIMIT 1');
	const done = sql.prepare('DELETE FROM leftovers WHERE kind = ? AND owner = ? AND field_key = ?');
	const subscriptionsOf = sql.prepare('SELECT id FROM subscriptions WHERE card_id = ?');
	const recordsOf = sql.prepare(
		`SELECT id, octet_length(data) AS bytes FROM records WHERE card_id = ? LIMIT ${step}`,
	);
	const removeRecord = sql.prepare('DELETE FROM records WHERE card_id = ? AND id = ?');
	const removeCard = sql.prepare('DELETE FROM cards WHERE id = ?');
	const deliveriesOf = sql.prepare(
		`SELECT id, event_id AS event FROM deliveries WHERE subscription_id = ? LIMIT ${step}`,
	);
	const loggedOfCard = sql.prepare(
		`SELECT d.id, d.event_id AS event FROM events e JOIN deliveries d ON d.event_id = e.id
		WHERE e.card_id = ? AND d.state = 'delivered' LIMIT ${step}`,
	);
	const removeDelivery = sql.prepare('DELETE FROM deliveries WHERE id = ?');
	const removeEvent = sql.prepare(
		`DELETE FROM events WHERE id = ?1 AND NOT EXISTS
			(SELECT 1 FROM deliveries WHERE event_id = ?1)`,
	);
	const removeSubscription = sql.prepare('DELETE FROM subscriptions WHERE id = ?');
	const recordsAfter = sql.prepare(
		`SELECT id, octet_length(data) AS bytes, json_type(data, ?3) IS NOT NULL AS has FROM records
		WHERE card_id = ?1 AND id > ?2 ORDER BY id LIMIT ${step}`,
	);
	const removeValue = sql.prepare(
		'UPDATE records SET data = json_remove(data, ?3) WHERE card_id = ?1 AND id = ?2',
	);

	/** Deletes deliveries with the events that nothing else refers to. @returns whether there were any */
	const removeDeliveries = (rows: unknown[]) => {
		for (const { id, event } of rows as Array<{ id: number; event: number }>) {
			removeDelivery.run(id);
			removeEvent.run(event);
		}
		return rows.length > 0;
	};

	/** Each clears a few rows away. @returns whether there may be more */
	const clear = {
		card(id: string) {
			const records = firstOf<{ id: string; bytes: number }>(recordsOf.iterate(id));
			for (const record of records) removeRecord.run(id, record.id);
			if (records.length > 0 || removeDeliveries(loggedOfCard.all(id))) return true;
			const [subscription] = subscriptionsOf.all(id) as Array<{ id: string }>;
			if (subscription) return clear.subscription(subscription.id) || true;
			removeCard.run(id);
			return false;
		},
		subscription(id: string) {
			if (removeDeliveries(deliveriesOf.all(id))) return true;
			removeSubscription.run(id);
			return false;
		},
		field(cardId: string, key: number) {
			const place = `field ${key}`;
			const path = `$."${key}"`;
			const rows = firstOf<{ id: string; bytes: number; has: number }>(
				recordsAfter.iterate(cardId, meta(place) ?? '', path),
			);
			for (const { id, has } of rows) if (has === 1) removeValue.run(cardId, id, path);
			const last = rows.at(-1);
			if (last) setMeta(place, last.id);
			else sql.prepare('DELETE FROM meta WHERE name = ?').run(place);
			return last !== undefined;
		},
	};

	return {
		/** Notes something deleted; belongs into the transaction that deletes it. */
		add(kind: Leftover['kind'], owner: string, fieldKey = 0) {
			add.run(kind, owner, fieldKey);
		},
		/** Clears a few rows away. @returns whether there may be more */
		clearSome(): boolean {
			const leftover = first.get() as unknown as Leftover | undefined;
			if (!leftover) return false;
			const { kind, owner, field_key: key } = leftover;
			transaction(() => {
				if (!clear[kind](owner, key)) done.run(kind, owner, key);
			});
			return true;
		},
	};
}
