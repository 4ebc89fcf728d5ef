/** Workspaces, and which of them the file names as its own. */
import type { Clock } from '../foundation/clock.ts';
import { newId } from '../foundation/secrets.ts';
import type { Database } from './database.ts';

/** A workspace as stored. */
export interface Workspace {
	id: string;
	name: string;
	ownerEmail: string;
}

/** All workspaces. Prepares the statements. */
export function createWorkspaceStore({ sql, meta, setMeta }: Database, clock: Clock) {
	const one = sql.prepare(
		'SELECT id, name, owner_email AS ownerEmail FROM workspaces WHERE id = ?',
	);
	const ids = sql.prepare('SELECT id FROM workspaces');
	const insert = sql.prepare('INSERT INTO workspaces VALUES (?, ?, ?, ?)');

	return {
		workspace(id: string) {
			return one.get(id) as Workspace | undefined;
		},
		workspaceIds() {
			return (ids.all() as Array<{ id: string }>).map(({ id }) => id);
		},
		/** The workspace that the file names as its own: the first that was made. */
		defaultWorkspace() {
			return one.get(meta('defaultWorkspace') ?? '') as Workspace | undefined;
		},
		createWorkspace(name: string, ownerEmail: string, id = newId('wsp')): Workspace {
			insert.run(id, name, ownerEmail, clock.iso());
			if (meta('defaultWorkspace') === undefined) setMeta('defaultWorkspace', id);
			return { id, name, ownerEmail };
		},
	};
}
