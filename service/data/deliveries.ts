/** Deliveries: what waits for which subscription, and the log of what was delivered and how. */
import type { Database } from './database.ts';

/** One try to deliver. `status` is null if no response came; then `error` says why. */
export interface Attempt {
	number: number;
	at: string;
	status: number | null;
	durationMs: number;
	/** Why it failed; null if the target took it. */
	error: string | null;
	/** The beginning of the response's body; null if there was none. */
	answer: string | null;
}

/** A new delivery. */
export interface NewDelivery {
	subscriptionId: string;
	cardId: string;
	event: string;
	/** The bytes of every attempt. */
	body: string;
	createdAt: string;
}

/** A delivery, as the log shows it. */
export interface Delivery extends Omit<NewDelivery, 'cardId'> {
	id: number;
	state: 'pending' | 'delivered';
	failures: number;
	attempts: Attempt[];
}

/** Delivered events that the log keeps. */
const maximumDelivered = 20_000;

const columns = `d.id, d.subscription_id AS subscriptionId, d.event, d.body, d.created_at AS createdAt,
	d.state, d.failures, d.attempts`;

type Row = Omit<Delivery, 'attempts'> & { attempts: string };

function parse({ attempts, ...rest }: Row): Delivery {
	return { ...rest, attempts: JSON.parse(attempts) as Attempt[] };
}

/** The deliveries of all subscriptions. */
export class Deliveries {
	readonly #database: Database;

	constructor(database: Database) {
		this.#database = database;
	}

	/** Queues a delivery; belongs into the transaction of the change. The oldest delivered events go. */
	enqueue({ subscriptionId, cardId, event, body, createdAt }: NewDelivery): void {
		const { id } = this.#database.run(
			`INSERT INTO deliveries
			VALUES (NULL, ?, ?, ?, ?, ?, 'pending', 0, '[]')`,
			...[subscriptionId, cardId, event, body, createdAt],
		);
		const old = `DELETE FROM deliveries WHERE state = 'delivered' AND id <= ?`;
		this.#database.run(old, id - maximumDelivered);
	}

	/** The oldest deliveries that a subscription waits for. */
	next(subscriptionId: string, most: number): Delivery[] {
		const sql = `SELECT ${columns} FROM deliveries d
			WHERE subscription_id = ? AND state = 'pending' ORDER BY id LIMIT ?`;
		return this.#database.all<Row>(sql, subscriptionId, most).map(parse);
	}

	/** Active subscriptions with something to deliver. */
	subscriptionsWaiting(): string[] {
		const sql = `SELECT id FROM subscriptions s WHERE state = 'active' AND EXISTS
			(SELECT 1 FROM deliveries WHERE subscription_id = s.id AND state = 'pending')`;
		return this.#database.all<{ id: string }>(sql).map(({ id }) => id);
	}

	/**
	 * Notes an attempt; a failed delivery stays at the head of its queue. Does nothing if it was deleted meanwhile.
	 * @returns failed attempts since the delivery was queued or its subscription resumed
	 */
	note(id: number, attempt: Omit<Attempt, 'number'>): number {
		const sql = `SELECT ${columns} FROM deliveries d WHERE id = ?`;
		const row = this.#database.get<Row>(sql, id);
		if (!row) return 0;
		const before = parse(row);
		const failures = attempt.error === null ? 0 : before.failures + 1;
		const attempts = [...before.attempts, { number: before.attempts.length + 1, ...attempt }];
		const state = attempt.error === null ? 'delivered' : 'pending';
		this.#database.run(
			'UPDATE deliveries SET state = ?, failures = ?, attempts = ? WHERE id = ?',
			...[state, failures, JSON.stringify(attempts), id],
		);
		return failures;
	}

	/** Queues a delivery of the log again; its attempts stay in the log. @returns whether there is such a one */
	again(id: number): boolean {
		const sql = `UPDATE deliveries SET state = 'pending', failures = 0 WHERE id = ?`;
		return this.#database.run(sql, id).changes > 0;
	}

	/** Those of one subscription, of one workspace or of all, newest first. */
	log(of: { subscriptionId?: string | undefined; workspaceId?: string }, limit: number) {
		const { subscriptionId = null, workspaceId = null } = of;
		const sql = `SELECT ${columns} FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
			WHERE (?1 IS NULL OR s.id = ?1) AND (?2 IS NULL OR s.workspace_id = ?2)
			ORDER BY d.id DESC LIMIT ?3`;
		return this.#database.all<Row>(sql, subscriptionId, workspaceId, limit).map(parse);
	}
}
