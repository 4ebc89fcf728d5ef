/** Every event that the service delivered, against the executions of the trigger. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { RemoteControl } from '../../../service/control/controlClient.ts';

/** More than the service's log keeps. */
const ALL = 1_000_000;

/** How often each event ran, by `delivery_key`, read from n8n's own database. */
function ranByKey(userFolder: string, workflowId: string): Map<string, number> {
	const file = join(userFolder, '.n8n', 'database.sqlite');
	const database = new DatabaseSync(file, { readOnly: true });
	const ran = new Map<string, number>();
	try {
		const rows = database
			.prepare(
				`SELECT data FROM execution_data JOIN execution_entity ON id = executionId
				WHERE workflowId = ? AND status = 'success'`,
			)
			.iterate(workflowId);
		for (const { data } of rows as Iterable<{ data: string }>) {
			const keys = new Set([...data.matchAll(/"([0-9a-f]{64})"/g)].map(([, key = '']) => key));
			for (const key of keys) ran.set(key, (ran.get(key) ?? 0) + 1);
		}
	} finally {
		database.close();
	}
	return ran;
}

/** Counts what was delivered, and what has no execution, more than one, or was never delivered. */
export async function countEvents(control: RemoteControl, userFolder: string, workflowId: string) {
	const log = await control.deliveries({ limit: ALL });
	const delivered = new Set(
		log
			.filter(({ state }) => state === 'delivered')
			.map(({ body }) => createHash('sha256').update(body).digest('hex')),
	);
	const ran = ranByKey(userFolder, workflowId);
	return {
		delivered: delivered.size,
		missing: [...delivered].filter((key) => !ran.has(key)).length,
		repeated: [...ran.values()].filter((count) => count > 1).length,
		unknown: [...ran.keys()].filter((key) => !delivered.has(key)).length,
	};
}
