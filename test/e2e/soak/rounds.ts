/**
 * A round of mixed work: creates, upserts (two executions with the same keys at once), updates, reads, syncs and deletes,
 * each in a separate workflow.
 */
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
	code,
	manualTrigger,
	mapAutomatically,
	mapEach,
	type NodeDraft,
} from '../../host/workflowBuilder.ts';
import type { TestCard } from '../../host/serviceApi.ts';
import type { createLedger } from './ledger.ts';

/** Records that each part of a round writes. */
const BATCH = 15;
/** Keys that upserts write again and again. */
const KEPT = 10;
/** Keys that Sync makes records of, and from which value of Number on a record takes part. */
const SYNCED = { prefix: 's-', keys: 40, from: 1_000 };

/** Whether a failed create may have been carried out: the message says so. Other writes are tried again. */
const mayHaveCreated = (message: string): boolean => /may (exist|have been)/i.test(message);

/** Builds and publishes the workflows. */
export async function createRounds(
	{ action: node, client, trigger }: Workbench,
	card: TestCard,
	ledger: ReturnType<typeof createLedger>,
) {
	const action = (name: string, operation: string, parameters: JsonObject): NodeDraft =>
		node(
			name,
			{ resource: 'record', operation, cardId: byId(card.id), ...parameters },
			{ onError: 'continueRegularOutput' },
		);
	const make = (count: number, key: string) =>
		code(
			'Make',
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
		sync: await save(
			'Sync',
			// Each run has five other keys than the one before.
			code(
				'Make',
				`return Array.from({ length: ${BATCH} }, (_, n) => ({ json: { Key: \`${SYNCED.prefix}\${(Number($execution.id) * 5 + n) % ${SYNCED.keys}}\`, Number: ${SYNCED.from} + n, Touched: $execution.id } }));`,
			),
			action('Write', 'sync', {
				columns: mapAutomatically(['Key']),
				filters: {
					conditions: [
						{ field: 'Number', condition: 'greaterOrEqual', value: String(SYNCED.from) },
					],
				},
				missingRecords: 'delete',
				maxDeletions: -1,
			}),
		),
		readAll: await save('Read all', read(0)),
		delete: await save('Delete', read(BATCH + 5), action('Write', 'delete', { recordId })),
	};
	const events = ['record.created', 'record.updated', 'record.deleted'];
	const watch = trigger(
		'On change',
		{ events, watch: 'oneCard', cardId: byId(card.id) },
		{ webhookId: randomUUID() },
	);
	const seen: NodeDraft = { name: 'Seen', type: 'n8n-nodes-base.noOp', parameters: {} };
	const watcher = await client.createWorkflow(chain('Watch', [watch, seen]));
	await client.publish(watcher);

	const run = async (saved: SavedWorkflow): Promise<Execution> =>
		await client.run(saved, 'Start', 600_000);
	const keyOf = ({ json }: Item): string => String(json.Key);
	/** The failure in the item of a write. */
	const failureIn = (item: Item | undefined): string | undefined => {
		if (!item) return 'There is no item';
		const { error } = item.json;
		if (error === undefined && item.error === undefined) return undefined;
		return JSON.stringify([item.json, item.error]);
	};

	type Writing = 'create' | 'upsert' | 'update' | 'delete' | 'sync';

	/** Runs a workflow that writes several times at once, and notes what its executions report. */
	async function write(what: Writing, times = 1): Promise<void> {
		const runs = Array.from({ length: times }, async () => await run(workflows[what]));
		const executions = await Promise.all(runs);
		const ids = executions.map(({ id }) => id);
		for (const execution of executions) book(what, execution, ids);
	}

	/**
	 * Books a write of items, which come out in their order.
	 *
	 * @param ids of all executions at that time: any of them may have been the last one
	 */
	function book(what: Writing, execution: Execution, ids: readonly string[]): void {
		const before = outputOf(execution, what === 'update' || what === 'delete' ? 'Read' : 'Make');
		if (before.some((item) => failureIn(item) !== undefined)) return;
		const after = outputOf(execution, 'Write');
		for (const [index, item] of before.entries()) {
			const key = 'Key' in item.json ? String(item.json.Key) : keyOf(item);
			const message = failureIn(after[index]);
			if (message !== undefined) {
				const kind = what === 'upsert' || what === 'sync' ? 'create' : what;
				ledger.failed(kind, key, execution.id, kind !== 'create' || mayHaveCreated(message));
			} else if (what === 'delete') ledger.deleted(key);
			else {
				const isNew = what === 'create' || after[index]?.json.action === 'created';
				ledger.wrote(isNew ? 'created' : 'updated', key, ids);
			}
		}
		if (what !== 'sync') return;
		const isWhole = before.every((_, index) => failureIn(after[index]) === undefined);
		const kept = new Set(before.map(({ json }) => String(json.Key)));
		for (const key of ledger.present(SYNCED.prefix)) {
			if (kept.has(key)) continue;
			if (isWhole) ledger.deleted(key);
			else ledger.failed('delete', key, execution.id, true);
		}
	}

	let count = 0;
	return {
		/** About how many requests a round sends. */
		requestsEach: 7 * BATCH + 10,
		watcher,
		get count() {
			return count;
		},
		async run(): Promise<void> {
			await write('create');
			await write('upsert', 2);
			await write('update');
			await write('sync');
			const all = outputOf(await run(workflows.readAll), 'Read');
			if (all.every((item) => failureIn(item) === undefined)) ledger.read(all.map(keyOf));
			await write('delete');
			await write('delete');
			count += 1;
		},
	};
}
