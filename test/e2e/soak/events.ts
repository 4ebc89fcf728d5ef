/** Every event that the service delivered, against the executions of the trigger. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { RemoteControl } from '../../../service/control/controlClient.ts';

/** More than the service's log keeps. */
const ALL = 1_000_000;

/**
 * The digests in the data of each execution, read from n8n's own database: the `delivery_key` of its event,
 * and whatever else n8n stores that looks like one.
 */
function digestsOfExecutions(userFolder: string, workflowId: string): Array<Set<string>> {
	const file = join(userFolder, '.n8n', 'database.sqlite');
	const database = new DatabaseSync(file, { readOnly: true });
	try {
		const rows = database
			.prepare(
				`SELECT data FROM execution_data JOIN execution_entity ON id = executionId
				WHERE workflowId = ? AND status = 'success'`,
			)
			.all(workflowId) as Array<{ data: string }>;
		return rows.map(
			({ data }) =>
				new Set([...data.matchAll(/"([0-9a-f]{64})"/g)].map(([, digest = '']) => digest)),
		);
	} finally {
		database.close();
	}
}

/**
 * Remembers what the service delivered: its log keeps 20,000 deliveries, and a soak brings more.
 *
 * @returns `note` must be called more often than the log forgets; `count` counts events without an execution, events with
 * more than one, and executions without an event
 */
export function watchEvents(control: RemoteControl) {
	const delivered = new Set<string>();
	async function note(): Promise<void> {
		for (const { state, body } of await control.deliveries({ limit: ALL })) {
			if (state === 'delivered') delivered.add(createHash('sha256').update(body).digest('hex'));
		}
	}
	async function count(userFolder: string, workflowId: string) {
		await note();
		const ran = new Map<string, number>();
		let unknown = 0;
		for (const digests of digestsOfExecutions(userFolder, workflowId)) {
			const keys = [...digests].filter((digest) => delivered.has(digest));
			if (keys.length === 0 && digests.size > 0) unknown += 1;
			for (const key of keys) ran.set(key, (ran.get(key) ?? 0) + 1);
		}
		return {
			delivered: delivered.size,
			missing: [...delivered].filter((key) => !ran.has(key)).length,
			repeated: [...ran.values()].filter((count) => count > 1).length,
			unknown,
		};
	}
	return { note, count };
}
