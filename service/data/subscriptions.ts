/** Webhook subscriptions: what clients and the settings page can do with them. */
import type { Clock } from '../foundation/clock.ts';
import type { EventName } from '../foundation/events.ts';
import { newId, newSecret } from '../foundation/secrets.ts';
import { Cache } from './cache.ts';
import type { Database } from './database.ts';
import { problem } from '../foundation/problem.ts';

/** A webhook subscription as stored. */
export interface Subscription {
	id: string;
	workspaceId: string;
	cardId: string | null;
	targetUrl: string;
	events: EventName[];
	secret: string;
	state: 'active' | 'paused';
	/** E-mail address of who is told about a pause. */
	owner: string;
	createdAt: string;
	pausedAt: string | null;
}

/** A new subscription. */
export type NewSubscription = Pick<Subscription, 'targetUrl' | 'events' | 'cardId'>;

const columns = `id, workspace_id AS workspaceId, card_id AS cardId, target_url AS targetUrl, events,
	secret, state, owner, created_at AS createdAt, paused_at AS pausedAt`;

type Row = Omit<Subscription, 'events'> & { events: string };

function parse({ events, ...rest }: Row): Subscription {
	return { ...rest, events: JSON.parse(events) as EventName[] };
}

/** The subscriptions of all workspaces. */
export class Subscriptions {
	readonly #database: Database;
	readonly #clock: Clock;
	/** Active ones by workspace: asked for at every change. */
	readonly #active: Cache<Subscription[]>;

	constructor(database: Database, clock: Clock) {
		this.#database = database;
		this.#clock = clock;
		this.#active = new Cache(database, (workspaceId) =>
			this.#all(workspaceId).filter(({ state }) => state === 'active'),
		);
	}

	/** Every active subscription of a workspace. */
	active(workspaceId: string): readonly Subscription[] {
		return this.#active.get(workspaceId);
	}

	/** Reads the active ones again when they are asked for: some were deleted. */
	forgetActive(workspaceId: string): void {
		this.#active.forget(workspaceId);
	}

	/** All of a workspace with the number of deliveries that wait for them; without their secrets. */
	list(workspaceId: string) {
		const sql = `SELECT COUNT(*) AS n FROM deliveries WHERE subscription_id = ? AND state = 'pending'`;
		return this.#all(workspaceId).map(({ secret: _secret, ...rest }) => ({
			...rest,
			pending: this.#database.get<{ n: number }>(sql, rest.id)?.n ?? 0,
		}));
	}

	find(id: string): Subscription | undefined {
		const row = this.#database.get<Row>(`SELECT ${columns} FROM subscriptions WHERE id = ?`, id);
		return row && parse(row);
	}

	/** @throws Problem webhook-not-found */
	get(workspaceId: string, id: string): Subscription {
		const found = this.find(id);
		if (found?.workspaceId === workspaceId) return found;
		const detail = `Webhook subscription "${id}" does not exist in workspace "${workspaceId}".`;
		throw problem('webhook-not-found', detail);
	}

	/** @throws Problem validation-failed (unknown card) */
	create(workspaceId: string, { targetUrl, events, cardId }: NewSubscription): Subscription {
		const known = 'SELECT 1 FROM cards WHERE id = ? AND workspace_id = ?';
		if (cardId !== null && !this.#database.get(known, cardId, workspaceId)) {
			const detail = `Card "${cardId}" does not exist in workspace "${workspaceId}".`;
			throw problem('validation-failed', detail, { errors: [{ pointer: '/card_id', detail }] });
		}
		const id = newId('whk');
		const wanted = JSON.stringify([...new Set(events)]);
		const secret = `whsec_${newSecret()}`;
		this.#database.run(
			`INSERT INTO subscriptions
			SELECT ?, id, ?, ?, ?, ?, 'active', owner_email, ?, NULL FROM workspaces WHERE id = ?`,
			...[id, cardId, targetUrl, wanted, secret, this.#clock.iso(), workspaceId],
		);
		this.forgetActive(workspaceId);
		return this.get(workspaceId, id);
	}

	/** Deletes a subscription with its deliveries and e-mails. @throws Problem webhook-not-found */
	remove(workspaceId: string, id: string): void {
		this.get(workspaceId, id);
		this.#database.run('DELETE FROM subscriptions WHERE id = ?', id);
		this.forgetActive(workspaceId);
	}

	/** @returns whether it was active */
	pause({ id, workspaceId }: Pick<Subscription, 'id' | 'workspaceId'>): boolean {
		this.forgetActive(workspaceId);
		const { changes } = this.#database.run(
			`UPDATE subscriptions SET state = 'paused', paused_at = ? WHERE id = ? AND state = 'active'`,
			...[this.#clock.iso(), id],
		);
		return changes > 0;
	}

	/** Makes a paused subscription active; what waits gets new attempts. @returns whether it was paused */
	resume(id: string): boolean {
		return this.#database.transaction(() => {
			const found = this.find(id);
			if (found?.state !== 'paused') return false;
			this.forgetActive(found.workspaceId);
			const active = `UPDATE subscriptions SET state = 'active', paused_at = NULL WHERE id = ?`;
			this.#database.run(active, id);
			const fresh = `UPDATE deliveries SET failures = 0 WHERE subscription_id = ? AND state = 'pending'`;
			this.#database.run(fresh, id);
			return true;
		});
	}

	#all(workspaceId: string): Subscription[] {
		const sql = `SELECT ${columns} FROM subscriptions WHERE workspace_id = ? ORDER BY created_at, id`;
		return this.#database.all<Row>(sql, workspaceId).map(parse);
	}
}
