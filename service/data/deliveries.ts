/** Deliveries: what waits for which subscription, and the log of what was delivered and how. */
import type { Database } from './database.ts';

/** One try to deliver. */
export interface Attempt {
	number: number;
	at: string;
	/** Null if no response came; then `error` says why. */
	status: number | null;
	durationMs: number;
	/** Why it failed; null if the target took it. */
	error: string | null;
	/** The beginning of the response's body; null if there was none. */
	answer: string | null;
}

/** A delivery, as the log shows it. */
export interface Delivery {
	id: number;
	subscriptionId: string;
	event: string;
	/** The bytes of every attempt. */
	body: string;
	createdAt: string;
	state: 'pending' | 'delivered';
	/** Failed attempts since it was queued or its subscription resumed. */
	failures: number;
	attempts: Attempt[];
}

type Row = Omit<Delivery, 'attempts'> & { attempts: string };

const parse = ({ attempts, ...rest }: Row): Delivery => ({
	...rest,
	attempts: JSON.parse(attempts) as Attempt[],
});

/** The deliveries of all subscriptions. */
export class Deliveries {
	readonly #database: Database;

	constructor(database: Database) {
		this.#database = database;
	}

	/** Queues a delivery. */
	add(made: Pick<Delivery, 'subscriptionId' | 'event' | 'body' | 'createdAt'>): void {
		this.#database.insert('deliveries', { ...made });
	}

	/** The oldest delivery that a subscription waits for. */
	next(subscriptionId: string): Delivery | undefined {
		const sql = `SELECT * FROM deliveries
			WHERE subscriptionId = ? AND state = 'pending' ORDER BY id LIMIT 1`;
		const row = this.#database.get<Row>(sql, subscriptionId);
		return row && parse(row);
	}

	/** How many deliveries a subscription waits for. */
	count(subscriptionId: string): number {
		const sql = `SELECT COUNT(*) AS n FROM deliveries WHERE subscriptionId = ? AND state = 'pending'`;
		return this.#database.get<{ n: number }>(sql, subscriptionId)?.n ?? 0;
	}

	/** Subscriptions with something to deliver. */
	waiting(): string[] {
		const sql = `SELECT DISTINCT subscriptionId AS id FROM deliveries WHERE state = 'pending'`;
		return this.#database.all<{ id: string }>(sql).map(({ id }) => id);
	}

	/**
	 * Notes an attempt; a failed delivery stays at the head of its queue. Does nothing if it was deleted meanwhile.
	 * @returns failed attempts so far
	 */
	note({ id, failures, attempts }: Delivery, attempt: Omit<Attempt, 'number'>): number {
		const isDone = attempt.error === null;
		const after = isDone ? 0 : failures + 1;
		const all = JSON.stringify([...attempts, { number: attempts.length + 1, ...attempt }]);
		const sql = 'UPDATE deliveries SET state = ?, failures = ?, attempts = ? WHERE id = ?';
		const changed = this.#database.run(sql, isDone ? 'delivered' : 'pending', after, all, id);
		return changed === 0 ? 0 : after;
	}

	/** Gives what waits for a subscription new attempts. */
	renew(subscriptionId: string): void {
		const sql = `UPDATE deliveries SET failures = 0 WHERE subscriptionId = ? AND state = 'pending'`;
		this.#database.run(sql, subscriptionId);
	}

	/** Those of one subscription, of one workspace or of all, newest first. */
	log(of: { subscriptionId?: string | undefined; workspaceId?: string }, limit: number) {
		const { subscriptionId = null, workspaceId = null } = of;
		const sql = `SELECT d.* FROM deliveries d JOIN subscriptions s ON s.id = d.subscriptionId
			WHERE (?1 IS NULL OR s.id = ?1) AND (?2 IS NULL OR s.workspaceId = ?2)
			ORDER BY d.id DESC LIMIT ?3`;
		return this.#database.all<Row>(sql, subscriptionId, workspaceId, limit).map(parse);
	}
}
