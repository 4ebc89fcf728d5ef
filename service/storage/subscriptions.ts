import type { Clock } from '../foundation/clock.ts';
import { newId, newSecret } from '../foundation/secrets.ts';
import type { EventName } from '../foundation/events.ts';
import type { Database } from './database.ts';
import { createRowCache } from './rowCache.ts';

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

/** The statements. */
const prepare = ({ sql }: Database) => ({
	one: sql.prepare(`SELECT ${columns} FROM subscriptions WHERE id = ? AND state <> 'deleted'`),
	list: sql.prepare(
		`SELECT ${columns} FROM subscriptions WHERE workspace_id = ? AND state <> 'deleted'
		ORDER BY created_at, id`,
	),
	active: sql.prepare(
		`SELECT ${columns} FROM subscriptions WHERE workspace_id = ? AND state = 'active'`,
	),
	count: sql.prepare(
		`SELECT COUNT(*) AS n FROM subscriptions WHERE workspace_id = ? AND state <> 'deleted'`,
	),
	ofCard: sql.prepare(
		`SELECT id, workspace_id AS workspaceId FROM subscriptions
		WHERE card_id = ? AND state <> 'deleted'`,
	),
	workspaceOf: sql.prepare('SELECT workspace_id AS id FROM subscriptions WHERE id = ?'),
	insert: sql.prepare(`INSERT INTO subscriptions VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?, NULL)`),
	hide: sql.prepare(
		`UPDATE subscriptions SET state = 'deleted', secret = '', target_url = '' WHERE id = ?`,
	),
	pause: sql.prepare(
		`UPDATE subscriptions SET state = 'paused', paused_at = ? WHERE id = ? AND state = 'active'`,
	),
	resume: sql.prepare(
		`UPDATE subscriptions SET state = 'active', paused_at = NULL WHERE id = ? AND state = 'paused'`,
	),
});

/** Subscriptions of all workspaces. The active ones are asked for at every change, so they are kept in memory. */
export function createSubscriptionStore(database: Database, clock: Clock) {
	const sql = prepare(database);
	const active = createRowCache(database, (workspaceId) =>
		(sql.active.all(workspaceId) as unknown as Row[]).map(parse),
	);
	const forgetThatOf = (id: string) => {
		const row = sql.workspaceOf.get(id) as { id: string } | undefined;
		if (row) active.forget(row.id);
	};

	return {
		/** Every active subscription of a workspace. */
		active: (workspaceId: string): readonly Subscription[] => active.get(workspaceId),
		count(workspaceId: string) {
			return (sql.count.get(workspaceId) as { n: number }).n;
		},
		/** Subscriptions for one card only. */
		idsOfCard(cardId: string) {
			return (sql.ofCard.all(cardId) as Array<{ id: string }>).map(({ id }) => id);
		},
		find(id: string): Subscription | undefined {
			const row = sql.one.get(id) as Row | undefined;
			return row && parse(row);
		},
		list(workspaceId: string): Subscription[] {
			return (sql.list.all(workspaceId) as unknown as Row[]).map(parse);
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
			sql.insert.run(
				subscription.id,
				subscription.workspaceId,
				subscription.cardId,
				subscription.targetUrl,
				JSON.stringify(subscription.events),
				subscription.secret,
				subscription.owner,
				subscription.createdAt,
			);
			active.forget(subscription.workspaceId);
			return subscription;
		},
		/** Makes a subscription unfindable; what was to be delivered to it is a leftover from then on. */
		hide(id: string) {
			forgetThatOf(id);
			sql.hide.run(id);
		},
		/** @returns whether it was active */
		pause(id: string) {
			forgetThatOf(id);
			return sql.pause.run(clock.iso(), id).changes > 0;
		},
		/** @returns whether it was paused */
		resume(id: string) {
			forgetThatOf(id);
			return sql.resume.run(id).changes > 0;
		},
	};
}
