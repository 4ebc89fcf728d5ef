import type { Clock } from '../foundation/clock.ts';
import { newId, newSecret } from '../foundation/secrets.ts';
import type { EventName } from '../foundation/events.ts';
import type { Database } from './database.ts';

/** A webhook subscription as stored. */
export interface Subscription {
	id: string;
	workspaceId: string;
	cardId: string | null;
	targetUrl: string;
	events: EventName[];
	secret: string;
	state: 'active' | 'paused';
	/** E-mail address of who hears about a pause. */
	owner: string;
	createdAt: string;
	pausedAt: string | null;
}

const columns = `id, workspace_id AS workspaceId, card_id AS cardId, target_url AS targetUrl, events,
	secret, state, owner, created_at AS createdAt, paused_at AS pausedAt`;

type Row = Omit<Subscription, 'events'> & { events: string };
const parse = (row: Row): Subscription => ({
	...row,
	events: JSON.parse(row.events) as EventName[],
});

/** Subscriptions of all workspaces. Prepares the statements. */
export function createSubscriptionStore({ sql }: Database, clock: Clock) {
	const one = sql.prepare(`SELECT ${columns} FROM subscriptions WHERE id = ?`);
	const list = sql.prepare(
		`SELECT ${columns} FROM subscriptions WHERE workspace_id = ? ORDER BY created_at, id`,
	);
	const active = sql.prepare(`SELECT ${columns} FROM subscriptions WHERE state = 'active'`);
	const insert = sql.prepare(
		`INSERT INTO subscriptions VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?, NULL)`,
	);
	const remove = sql.prepare('DELETE FROM subscriptions WHERE id = ?');
	const pause = sql.prepare(
		`UPDATE subscriptions SET state = 'paused', paused_at = ? WHERE id = ? AND state = 'active'`,
	);
	const resume = sql.prepare(
		`UPDATE subscriptions SET state = 'active', paused_at = NULL WHERE id = ? AND state = 'paused'`,
	);

	/** Active subscriptions of a workspace: asked for at every change, so kept in memory. */
	let activeByWorkspace: Map<string, Subscription[]> | undefined;
	const readActive = () => {
		const grouped = new Map<string, Subscription[]>();
		for (const subscription of (active.all() as unknown as Row[]).map(parse)) {
			const { workspaceId } = subscription;
			grouped.set(workspaceId, [...(grouped.get(workspaceId) ?? []), subscription]);
		}
		return grouped;
	};
	const forget = () => {
		activeByWorkspace = undefined;
	};

	return {
		/** Every active subscription of a workspace. */
		active(workspaceId: string): readonly Subscription[] {
			activeByWorkspace ??= readActive();
			return activeByWorkspace.get(workspaceId) ?? [];
		},
		find(id: string): Subscription | undefined {
			const row = one.get(id) as Row | undefined;
			return row && parse(row);
		},
		list(workspaceId: string): Subscription[] {
			return (list.all(workspaceId) as unknown as Row[]).map(parse);
		},
		create(
			input: Pick<Subscription, 'workspaceId' | 'cardId' | 'targetUrl' | 'events' | 'owner'>,
		): Subscription {
			const subscription: Subscription = {
				...input,
				id: newId('whk'),
				secret: `whsec_${newSecret()}`,
				state: 'active',
				createdAt: clock.iso(),
				pausedAt: null,
			};
			insert.run(
				subscription.id,
				subscription.workspaceId,
				subscription.cardId,
				subscription.targetUrl,
				JSON.stringify(subscription.events),
				subscription.secret,
				subscription.owner,
				subscription.createdAt,
			);
			forget();
			return subscription;
		},
		/** Deletes a subscription and whatever was still to be delivered to it. */
		remove(id: string) {
			remove.run(id);
			forget();
		},
		/** @returns whether it was active */
		pause(id: string) {
			forget();
			return pause.run(clock.iso(), id).changes > 0;
		},
		/** @returns whether it was paused */
		resume(id: string) {
			forget();
			return resume.run(id).changes > 0;
		},
		/** Forgets what was read; needed when a card is deleted or a transaction was rolled back. */
		forget,
	};
}
