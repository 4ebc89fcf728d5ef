/** The queue of deliveries: what waits for which subscription, and when it may be tried. */
import type { Database } from './database.ts';
import { type Amount, type Attempt, createDeliveryLog } from './deliveryLog.ts';
import { createRowCache } from './rowCache.ts';

/** A delivery that waits for its turn. */
export interface PendingDelivery {
	id: number;
	subscriptionId: string;
	body: string;
	failures: number;
	/** When it may be tried (again), in ms since 1970 on the machine's clock. */
	dueAt: number;
}

/** Subscriptions whose waiting deliveries are counted in memory. */
const maximumCounted = 10_000;

/** The statements. */
const prepare = ({ sql }: Database) => ({
	insertEvent: sql.prepare(
		'INSERT INTO events (name, body, created_at, card_id) VALUES (?, ?, ?, ?)',
	),
	insertDelivery: sql.prepare(
		`INSERT INTO deliveries (event_id, subscription_id, state, due_at, bytes)
		VALUES (?, ?, 'pending', 0, ?)`,
	),
	next: sql.prepare(
		`SELECT d.id, d.subscription_id AS subscriptionId, e.body, d.failures, d.due_at AS dueAt
		FROM deliveries d JOIN events e ON e.id = d.event_id
		WHERE d.subscription_id = ? AND d.state = 'pending' ORDER BY d.id LIMIT ?`,
	),
	waiting: sql.prepare(
		`SELECT id FROM subscriptions s WHERE state = 'active' AND EXISTS
			(SELECT 1 FROM deliveries WHERE subscription_id = s.id AND state = 'pending')`,
	),
	setState: sql.prepare('UPDATE deliveries SET state = ?, failures = ?, due_at = ? WHERE id = ?'),
	bringForward: sql.prepare(
		`UPDATE deliveries SET due_at = MIN(due_at, ?1 + ?2 * (1 << (failures - 1)))
		WHERE state = 'pending' AND failures > 0`,
	),
	again: sql.prepare(
		`UPDATE deliveries SET state = 'pending', failures = 0, due_at = 0 WHERE id = ?`,
	),
	restart: sql.prepare(
		`UPDATE deliveries SET failures = 0, due_at = 0 WHERE subscription_id = ? AND state = 'pending'`,
	),
	countPending: sql.prepare(
		`SELECT COUNT(*) AS deliveries, COALESCE(SUM(bytes), 0) AS bytes FROM deliveries
		WHERE subscription_id = ? AND state = 'pending'`,
	),
	stateOf: sql.prepare(
		'SELECT state, bytes, subscription_id AS subscriptionId FROM deliveries WHERE id = ?',
	),
});

/** What waits for each subscription: asked for at every event, so counted once and then kept in memory. */
function createWaitingCounts(
	database: Database,
	{ countPending }: Pick<ReturnType<typeof prepare>, 'countPending'>,
) {
	const counts = createRowCache(
		database,
		(subscriptionId) => countPending.get(subscriptionId) as unknown as Amount,
		maximumCounted,
	);
	return {
		of: counts.get,
		forget: counts.forget,
		change(subscriptionId: string, deliveries: number, bytes: number) {
			const waits = counts.get(subscriptionId);
			counts.replace(subscriptionId, {
				deliveries: waits.deliveries + deliveries,
				bytes: waits.bytes + bytes,
			});
		},
	};
}

/** The queue of deliveries, with their log. Prepares the statements. */
export function createDeliveryStore(database: Database) {
	const sql = prepare(database);
	const waiting = createWaitingCounts(database, sql);
	const { noteAttempt, count, recount, pruneSome, log } = createDeliveryLog(database);
	const stateOf = (id: number) =>
		sql.stateOf.get(id) as { state: string; bytes: number; subscriptionId: string } | undefined;
	/** Forgets what was counted for a subscription that is no more. */
	const forget = (subscriptionId: string) => {
		waiting.forget(subscriptionId);
		recount();
	};

	return {
		pruneSome,
		log,
		forget,
		/** How much waits for a subscription. */
		waiting: waiting.of,
		/** Queues an event for subscriptions; belongs into the transaction of the change itself. */
		enqueue(
			event: { name: string; body: string; createdAt: string; cardId: string },
			subscriptionIds: string[],
		) {
			const { name, body, createdAt, cardId } = event;
			const bytes = Buffer.byteLength(body);
			const eventId = sql.insertEvent.run(name, body, createdAt, cardId).lastInsertRowid;
			for (const id of subscriptionIds) {
				waiting.change(id, 1, bytes);
				sql.insertDelivery.run(eventId, id, bytes);
			}
		},
		/** The oldest deliveries that a subscription still waits for, due or not. */
		next(subscriptionId: string, most: number) {
			return sql.next.all(subscriptionId, most) as unknown as PendingDelivery[];
		},
		/** Active subscriptions with something to deliver. */
		subscriptionsWaiting() {
			return (sql.waiting.all() as Array<{ id: string }>).map(({ id }) => id);
		},
		delivered(id: number, attempt: Omit<Attempt, 'number'>) {
			database.transaction(() => {
				const row = stateOf(id);
				if (row?.state === 'pending') {
					waiting.change(row.subscriptionId, -1, -row.bytes);
					count(row.bytes);
				}
				sql.setState.run('delivered', 0, 0, id);
				noteAttempt(id, attempt);
			});
		},
		/** Notes a failed attempt; the delivery stays at the head of its subscription's queue. */
		failed(id: number, attempt: Omit<Attempt, 'number'>, failures: number, dueAt: number) {
			sql.setState.run('pending', failures, dueAt, id);
			noteAttempt(id, attempt);
		},
		/** Brings retries forward to what a shorter backoff would have given; never puts one off. */
		bringForward(backoffMs: number) {
			sql.bringForward.run(Date.now(), backoffMs);
		},
		/** Queues a delivery again, as it was; its attempts are still counted in the log. */
		again(id: number) {
			const row = stateOf(id);
			if (row) forget(row.subscriptionId);
			return sql.again.run(id).changes > 0;
		},
		/** Gives what waits for a subscription a fresh set of attempts, at once. */
		restart(subscriptionId: string) {
			sql.restart.run(subscriptionId);
		},
	};
}
