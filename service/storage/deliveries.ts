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

/** The deliveries that wait for a subscription. */
export interface Waiting {
	deliveries: number;
	bytes: number;
}

/** Deliveries that one call of `pruneSome` looks at. */
const prunedAtATime = 100;

/** The queue and the log of deliveries. Prepares the statements. */
export function createDeliveryStore({ sql, transaction, afterRollback }: Database) {
	const insertEvent = sql.prepare(
		'INSERT INTO events (name, body, created_at, card_id) VALUES (?, ?, ?, ?)',
	);
	const insertDelivery = sql.prepare(
		`INSERT INTO deliveries (event_id, subscription_id, state, due_at, bytes)
		VALUES (?, ?, 'pending', 0, ?)`,
	);
	const next = sql.prepare(
		`SELECT d.id, d.subscription_id AS subscriptionId, e.body, d.failures, d.due_at AS dueAt
		FROM deliveries d JOIN events e ON e.id = d.event_id
		WHERE d.subscription_id = ? AND d.state = 'pending' ORDER BY d.id LIMIT ?`,
	);
	const waiting = sql.prepare(
		`SELECT id FROM subscriptions s WHERE state = 'active' AND EXISTS
			(SELECT 1 FROM deliveries WHERE subscription_id = s.id AND state = 'pending')`,
	);
	const setState = sql.prepare(
		'UPDATE deliveries SET state = ?, failures = ?, due_at = ? WHERE id = ?',
	);
	const insertAttempt = sql.prepare(
		`INSERT INTO attempts SELECT id,
			(SELECT COUNT(*) + 1 FROM attempts WHERE delivery_id = ?), ?, ?, ?, ?, ?
		FROM deliveries WHERE id = ?`,
	);
	const bringForward = sql.prepare(
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
		`SELECT COUNT(*) AS deliveries, COALESCE(SUM(bytes), 0) AS bytes FROM deliveries
		WHERE subscription_id = ? AND state = 'pending'`,
	);
	const log = sql.prepare(
		`SELECT d.id, d.subscription_id AS subscriptionId, e.name AS event, e.created_at AS createdAt,
			e.body, d.state, d.failures
		FROM deliveries d JOIN events e ON e.id = d.event_id
		JOIN subscriptions s ON s.id = d.subscription_id
		WHERE (?1 IS NULL OR d.subscription_id = ?1) AND (?2 IS NULL OR s.workspace_id = ?2)
			AND s.state <> 'deleted'
		ORDER BY d.id DESC LIMIT ?3`,
	);
	const attemptsOf = sql.prepare(
		`SELECT number, at, status, duration_ms AS durationMs, error, answer
		FROM attempts
		WHERE delivery_id = ? ORDER BY number`,
	);
	const doneInAll = sql.prepare(
		`SELECT COUNT(*) AS deliveries, COALESCE(SUM(bytes), 0) AS bytes FROM deliveries
		WHERE state = 'delivered'`,
	);
	const oldestDone = sql.prepare(
		`SELECT d.id, d.bytes, d.event_id AS event, e.created_at AS createdAt FROM deliveries d
		JOIN events e ON e.id = d.event_id WHERE d.state = 'delivered' ORDER BY d.id LIMIT ${prunedAtATime}`,
	);
	const removeDelivery = sql.prepare('DELETE FROM deliveries WHERE id = ?');
	const removeEvent = sql.prepare(
		`DELETE FROM events WHERE id = ?1 AND NOT EXISTS
			(SELECT 1 FROM deliveries WHERE event_id = ?1)`,
	);
	const stateOf = sql.prepare(
		'SELECT state, bytes, subscription_id AS subscriptionId FROM deliveries WHERE id = ?',
	);

	/** The waiting deliveries, by subscription: asked for at every event, so kept in memory after the first look. */
	const waitingOf = new Map<string, Waiting>();
	const readWaiting = (subscriptionId: string): Waiting => {
		const known = waitingOf.get(subscriptionId);
		if (known) return known;
		const read = countPending.get(subscriptionId) as unknown as Waiting;
		waitingOf.set(subscriptionId, read);
		return read;
	};
	const changeWaiting = (subscriptionId: string, deliveries: number, bytes: number) => {
		const waits = readWaiting(subscriptionId);
		waitingOf.set(subscriptionId, {
			deliveries: waits.deliveries + deliveries,
			bytes: waits.bytes + bytes,
		});
		afterRollback(() => waitingOf.delete(subscriptionId));
	};
	/** The part of the log that is done; undefined until it is counted. */
	let done: Waiting | undefined;

	return {
		/** Queues an event for subscriptions; belongs into the transaction of the change itself. */
		enqueue(
			event: { name: string; body: string; createdAt: string; cardId: string },
			subscriptionIds: string[],
		) {
			const { name, body, createdAt, cardId } = event;
			const bytes = Buffer.byteLength(body);
			const eventId = insertEvent.run(name, body, createdAt, cardId).lastInsertRowid;
			for (const id of subscriptionIds) {
				changeWaiting(id, 1, bytes);
				insertDelivery.run(eventId, id, bytes);
			}
		},
		/** How much waits for a subscription. */
		waiting: readWaiting,
		/** Forgets what was counted for a subscription that is no more. */
		forget(subscriptionId: string) {
			waitingOf.delete(subscriptionId);
			done = undefined;
		},
		/**
		 * Clears the oldest delivered events out of the log, a few at a time, while there are more, older
		 * or larger ones than it may keep.
		 * @returns whether there may be more to clear
		 */
		pruneSome(kept: { deliveries: number; bytes: number; since: string }): boolean {
			done ??= doneInAll.get() as unknown as Waiting;
			const counted = done;
			const rows = oldestDone.all() as unknown as Array<{
				id: number;
				bytes: number;
				event: number;
				createdAt: string;
			}>;
			return transaction(() => {
				for (const { id, bytes, event, createdAt } of rows) {
					const fits = counted.deliveries <= kept.deliveries && counted.bytes <= kept.bytes;
					if (fits && createdAt >= kept.since) return false;
					removeDelivery.run(id);
					removeEvent.run(event);
					counted.deliveries -= 1;
					counted.bytes -= bytes;
				}
				return rows.length === prunedAtATime;
			});
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
				const row = stateOf.get(id) as unknown as
					| { state: string; bytes: number; subscriptionId: string }
					| undefined;
				if (row?.state === 'pending') {
					changeWaiting(row.subscriptionId, -1, -row.bytes);
					if (done) done = { deliveries: done.deliveries + 1, bytes: done.bytes + row.bytes };
				}
				setState.run('delivered', 0, 0, id);
				insertAttempt.run(
					id,
					attempt.at,
					attempt.status,
					attempt.durationMs,
					attempt.error,
					attempt.answer,
					id,
				);
			});
		},
		/** Notes a failed attempt; the delivery stays at the head of its subscription's queue. */
		failed(id: number, attempt: Omit<Attempt, 'number'>, failures: number, dueAt: number) {
			setState.run('pending', failures, dueAt, id);
			insertAttempt.run(
				id,
				attempt.at,
				attempt.status,
				attempt.durationMs,
				attempt.error,
				attempt.answer,
				id,
			);
		},
		/** Brings retries forward to what a shorter backoff would have given; never puts one off. */
		bringForward(backoffMs: number) {
			bringForward.run(Date.now(), backoffMs);
		},
		/** Queues a delivery again, as it was; its attempts are still counted in the log. */
		again(id: number) {
			const row = stateOf.get(id) as { subscriptionId: string } | undefined;
			if (row) this.forget(row.subscriptionId);
			return again.run(id).changes > 0;
		},
		/** Gives what waits for a subscription a fresh set of attempts, at once. */
		restart(subscriptionId: string) {
			restart.run(subscriptionId);
		},
		pendingCount(subscriptionId: string) {
			return readWaiting(subscriptionId).deliveries;
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
