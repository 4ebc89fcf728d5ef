import type { Database } from './database.ts';

/** A delivery that waits for its turn. */
export interface PendingDelivery {
	id: number;
	subscriptionId: string;
	body: string;
	failures: number;
	/** When it may be tried (again), in ms since 1970 on the machine's clock. */
	dueAt: number;
}

/** One try to deliver. `status` is null where no answer came; then `error` says why. */
export interface Attempt {
	number: number;
	at: string;
	status: number | null;
	durationMs: number;
	error: string | null;
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

/** How many deliveries that are done the log keeps. */
const keptInLog = 20_000;

/** The queue and the log of deliveries. Prepares the statements. */
export function createDeliveryStore({ sql, transaction }: Database) {
	const insertEvent = sql.prepare('INSERT INTO events (name, body, created_at) VALUES (?, ?, ?)');
	const insertDelivery = sql.prepare(
		`INSERT INTO deliveries (event_id, subscription_id, state, due_at) VALUES (?, ?, 'pending', 0)`,
	);
	const next = sql.prepare(
		`SELECT d.id, d.subscription_id AS subscriptionId, e.body, d.failures, d.due_at AS dueAt
		FROM deliveries d JOIN events e ON e.id = d.event_id
		WHERE d.subscription_id = ? AND d.state = 'pending' ORDER BY d.id LIMIT ?`,
	);
	const waiting = sql.prepare(
		`SELECT DISTINCT d.subscription_id AS id FROM deliveries d
		JOIN subscriptions s ON s.id = d.subscription_id
		WHERE d.state = 'pending' AND s.state = 'active'`,
	);
	const setState = sql.prepare(
		'UPDATE deliveries SET state = ?, failures = ?, due_at = ? WHERE id = ?',
	);
	const insertAttempt = sql.prepare(
		`INSERT INTO attempts SELECT id,
			(SELECT COUNT(*) + 1 FROM attempts WHERE delivery_id = ?), ?, ?, ?, ?
		FROM deliveries WHERE id = ?`,
	);
	const hasten = sql.prepare(
		`UPDATE deliveries SET due_at = MIN(due_at, ?1 + ?2 * (1 << (failures - 1)))
		WHERE state = 'pending' AND failures > 0`,
	);
	const again = sql.prepare(
		`UPDATE deliveries SET state = 'pending', failures = 0, due_at = 0 WHERE id = ?`,
	);
	const restart = sql.prepare(
		`UPDATE deliveries SET failures = 0, due_at = 0 WHERE subscription_id = ? AND state = 'pending'`,
	);
	const countPending = sql.prepare(
		`SELECT COUNT(*) AS n FROM deliveries WHERE subscription_id = ? AND state = 'pending'`,
	);
	const log = sql.prepare(
		`SELECT d.id, d.subscription_id AS subscriptionId, e.name AS event, e.created_at AS createdAt,
			e.body, d.state, d.failures
		FROM deliveries d JOIN events e ON e.id = d.event_id
		JOIN subscriptions s ON s.id = d.subscription_id
		WHERE (?1 IS NULL OR d.subscription_id = ?1) AND (?2 IS NULL OR s.workspace_id = ?2)
		ORDER BY d.id DESC LIMIT ?3`,
	);
	const attemptsOf = sql.prepare(
		`SELECT number, at, status, duration_ms AS durationMs, error FROM attempts
		WHERE delivery_id = ? ORDER BY number`,
	);
	const pruneDeliveries = sql.prepare(
		`DELETE FROM deliveries WHERE state = 'delivered' AND id <= ?`,
	);
	const pruneEvents = sql.prepare(
		`DELETE FROM events WHERE id <= ? AND NOT EXISTS
			(SELECT 1 FROM deliveries WHERE event_id = events.id)`,
	);

	return {
		/** Queues an event for subscriptions; belongs into the transaction of the change itself. */
		enqueue(name: string, body: string, createdAt: string, subscriptionIds: string[]) {
			const eventId = insertEvent.run(name, body, createdAt).lastInsertRowid;
			for (const id of subscriptionIds) {
				const deliveryId = Number(insertDelivery.run(eventId, id).lastInsertRowid);
				if (deliveryId % 1_000 === 0) {
					pruneDeliveries.run(deliveryId - keptInLog);
					pruneEvents.run(Number(eventId) - keptInLog);
				}
			}
		},
		/** The oldest deliveries that a subscription still waits for, due or not. */
		next(subscriptionId: string, count: number) {
			return next.all(subscriptionId, count) as unknown as PendingDelivery[];
		},
		/** Active subscriptions with something to deliver. */
		subscriptionsWaiting() {
			return (waiting.all() as Array<{ id: string }>).map(({ id }) => id);
		},
		delivered(id: number, attempt: Omit<Attempt, 'number'>) {
			transaction(() => {
				setState.run('delivered', 0, 0, id);
				insertAttempt.run(id, attempt.at, attempt.status, attempt.durationMs, attempt.error, id);
			});
		},
		/** Notes a failed attempt; the delivery stays at the head of its subscription's queue. */
		failed(id: number, attempt: Omit<Attempt, 'number'>, failures: number, dueAt: number) {
			setState.run('pending', failures, dueAt, id);
			insertAttempt.run(id, attempt.at, attempt.status, attempt.durationMs, attempt.error, id);
		},
		/** Brings retries forward to what a shorter backoff would have given; never puts one off. */
		hasten(backoffMs: number) {
			hasten.run(Date.now(), backoffMs);
		},
		/** Queues a delivery again, as it was; its attempts go on being counted in the log. */
		again(id: number) {
			return again.run(id).changes > 0;
		},
		/** Gives what waits for a subscription a fresh set of attempts, at once. */
		restart(subscriptionId: string) {
			restart.run(subscriptionId);
		},
		pendingCount(subscriptionId: string) {
			return (countPending.get(subscriptionId) as { n: number }).n;
		},
		/** Those of one subscription, of one workspace or of all, newest first. */
		log(
			of: { subscriptionId?: string | undefined; workspaceId?: string },
			limit: number,
		): DeliveryLogEntry[] {
			const rows = log.all(
				of.subscriptionId ?? null,
				of.workspaceId ?? null,
				limit,
			) as unknown as DeliveryLogEntry[];
			return rows.map((row) => ({
				...row,
				attempts: attemptsOf.all(row.id) as unknown as Attempt[],
			}));
		},
	};
}
