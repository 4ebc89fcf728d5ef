/** A round of mixed work: creates, upserts, updates, reads and deletes, each in a separate workflow. */
import { randomUUID } from 'node:crypto';

import {
	type Execution,
	type Item,
	type JsonObject,
	outputOf,
	type SavedWorkflow,
} from '../../host/n8nClient.ts';
import type { Workbench } from '../../host/workbench.ts';
import {
	byId,
	chain,
	manualTrigger,
	mapAutomatically,
	mapEach,
	type NodeDraft,
} from '../../host/workflowBuilder.ts';
import type { TestCard } from '../support/serviceApi.ts';
import type { createLedger } from './ledger.ts';

/** Records that each part of a round writes. */
const BATCH = 15;
/** Keys that upserts write again and again. */
const KEPT = 10;

/** Whether a failed create may have been carried out: the message says so. Other writes are tried again. */
const mayHaveCreated = (message: string): boolean => /may (exist|have been)/i.test(message);

/** Builds and publishes the workflows. */
export async function createRounds(
	{ client, credentials, types }: Workbench,
	card: TestCard,
	ledger: ReturnType<typeof createLedger>,
) {
	const withCredential = { workspaceDataApi: credentials.workspaceDataApi };
	const action = (name: string, operation: string, parameters: JsonObject): NodeDraft => ({
		name,
		type: types.action,
		parameters: { resource: 'record', operation, cardId: byId(card.id), ...parameters },
		credentials: withCredential,
		onError: 'continueRegularOutput',
	});
	const code = (jsCode: string): NodeDraft => ({
		name: 'Make',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode },
	});
	const make = (count: number, key: string) =>
		code(
			`return Array.from({ length: ${count} }, (_, n) => ({ json: { Key: ${key}, Number: n, Touched: $execution.id } }));`,
		);
	const save = async (name: string, ...drafts: NodeDraft[]): Promise<SavedWorkflow> =>
		await client.createWorkflow(chain(name, [manualTrigger(), ...drafts]));

	const read = (limit: number) =>
		action('Read', 'getAll', limit > 0 ? { returnAll: false, limit } : { returnAll: true });
	const touched = mapEach({ Touched: '={{ $execution.id }}' });
	const recordId = byId('={{ $json.id }}');
	const workflows = {
		create: await save(
			'Create',
			make(BATCH, '`c-${$execution.id}-${n}`'),
			action('Write', 'create', { columns: mapAutomatically() }),
		),
		upsert: await save(
			'Upsert',
			make(BATCH, `n < ${KEPT} ? \`kept-\${n}\` : \`u-\${$execution.id}-\${n}\``),
			action('Write', 'upsert', { columns: mapAutomatically(['Key']) }),
		),
		update: await save(
			'Update',
			read(BATCH),
			action('Write', 'update', { recordId, columns: touched }),
		),
		readAll: await save('Read all', read(0)),
		delete: await save('Delete', read(BATCH + 5), action('Write', 'delete', { recordId })),
	};
	const watch: NodeDraft = {
		name: 'On change',
		type: types.trigger,
		webhookId: randomUUID(),
		parameters: {
			events: ['record.created', 'record.updated', 'record.deleted'],
			watch: 'oneCard',
			cardId: byId(card.id),
		},
		credentials: withCredential,
	};
	const seen: NodeDraft = { name: 'Seen', type: 'n8n-nodes-base.noOp', parameters: {} };
	const watcher = await client.createWorkflow(chain('Watch', [watch, seen]));
	await client.publish(watcher);

	const run = async (saved: SavedWorkflow): Promise<Execution> =>
		await client.run(saved, 'Start', 600_000);
	const keyOf = ({ json }: Item): string => String((json.fields as JsonObject | undefined)?.Key);
	/** The failure in the item of a write. */
	const failureIn = (item: Item | undefined): string | undefined => {
		if (!item) return 'There is no item';
		const { error } = item.json;
		if (error === undefined && item.error === undefined) return undefined;
		return JSON.stringify([item.json, item.error]);
	};

	/** Books a write of items, which come out in their order. */
	async function write(what: 'create' | 'upsert' | 'update' | 'delete'): Promise<void> {
		const execution = await run(workflows[what]);
		const before = outputOf(execution, what === 'update' || what === 'delete' ? 'Read' : 'Make');
		if (before.some((item) => failureIn(item) !== undefined)) return;
		const after = outputOf(execution, 'Write');
		for (const [index, item] of before.entries()) {
			const key = 'Key' in item.json ? String(item.json.Key) : keyOf(item);
			const message = failureIn(after[index]);
			if (message !== undefined) {
				const kind = what === 'upsert' ? 'create' : what;
				ledger.failed(kind, key, execution.id, kind !== 'create' || mayHaveCreated(message));
			} else if (what === 'delete') ledger.deleted(key);
			else {
				const isNew = what === 'create' || after[index]?.json.action === 'created';
				ledger.wrote(isNew ? 'created' : 'updated', key, execution.id);
			}
		}
	}

	let count = 0;
	return {
		/** About how many requests a round sends. */
		requestsEach: 5 * BATCH + 10,
		watcher,
		get count() {
			return count;
		},
		async run(): Promise<void> {
			for (const what of ['create', 'upsert', 'update'] as const) await write(what);
			const all = outputOf(await run(workflows.readAll), 'Read');
			if (all.every((item) => failureIn(item) === undefined)) ledger.read(all.map(keyOf));
			await write('delete');
			await write('delete');
			count += 1;
		},
	};
}
