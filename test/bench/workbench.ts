/** A real n8n with our package and the peers that it is measured against, and the reference service. */
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../host/folders.ts';
import { buildPackage, packPackage } from '../host/packageInstall.ts';
import type { JsonObject, SavedWorkflow } from '../host/n8nClient.ts';
import type { FieldDraft } from '../host/serviceApi.ts';
import { openWorkbench } from '../host/workbench.ts';
import {
	byId,
	chain,
	manualTrigger,
	mapAutomatically,
	type NodeDraft,
} from '../host/workflowBuilder.ts';

/** The parts that the rows work with. */
export type Bench = Awaited<ReturnType<typeof openBench>>;

/** The types of the peers' nodes: n8n loads them from its folder for custom nodes. */
export const peerTypes = { source: 'CUSTOM.benchSource', trigger: 'CUSTOM.benchTrigger' };

/** For all rows that set none themselves. */
export const NO_LIMIT = { rate: { limit: 1_000_000_000 } };

const FIELDS: FieldDraft[] = [
	['Key', 'text'],
	['Amount', 'number'],
	['Day', 'date'],
	['Open', 'boolean'],
];

/** Builds the package, installs it in n8n 2, and starts all. */
export async function openBench(tell: (line: string) => void) {
	tell('Building the package …');
	await buildPackage();
	const tarball = await packPackage();
	const userFolder = await mkdtemp(join(tmpdir(), 'workspace-data-bench-'));
	const peers = join(userFolder, '.n8n', 'custom');
	await mkdir(peers, { recursive: true });
	await cp(join(repository, 'test', 'bench', 'peer'), peers, { recursive: true });
	const bench = await openWorkbench({
		major: 2,
		userFolder,
		tarball,
		service: { control: true },
		tell,
	});
	const { api, client, control } = bench;
	return {
		...bench,
		/** A card with four fields and so many records. */
		async card(name: string, records = 0) {
			const card = await api.createCard(name, FIELDS);
			if (records > 0) await control.fillCard({ cardId: card.id, count: records });
			return card;
		},
		/** Stores a workflow of these nodes, after one that gives rows: so many, or by the parameters of the source. */
		async save(name: string, rows: number | JsonObject, nodes: readonly NodeDraft[]) {
			const parameters = typeof rows === 'number' ? { count: rows } : rows;
			const source = { name: 'Source', type: peerTypes.source, parameters };
			return await client.createWorkflow(chain(name, [manualTrigger(), source, ...nodes]));
		},
		/** As `save`, for a node that gets one row after the other in a loop. */
		async saveLoop(name: string, rows: number, node: NodeDraft) {
			const source = { name: 'Source', type: peerTypes.source, parameters: { count: rows } };
			const type = 'n8n-nodes-base.splitInBatches';
			const loop = { name: 'Loop', type, typeVersion: 3, parameters: { options: {} } };
			const workflow = chain(name, [manualTrigger(), source, loop, node]);
			const to = (target: string) => [{ node: target, type: 'main' as const, index: 0 }];
			workflow.connections.Loop = { main: [[], to(node.name)] };
			workflow.connections[node.name] = { main: [to('Loop')] };
			return await client.createWorkflow(workflow);
		},
		/** Runs a stored workflow. @returns the seconds that a node of it took, and its items @throws Error */
		async time(saved: SavedWorkflow, node: string) {
			const execution = await bench.succeedAgain(saved);
			const [run] = execution.data.resultData.runData[node] ?? [];
			return { seconds: (run?.executionTime ?? NaN) / 1000, execution };
		},
		/** Starts n8n again: then it knows nothing about the service, and its memory is small. */
		async restart(extra?: Record<string, string>) {
			await bench.host.stop();
			await bench.host.start(extra);
			await client.signIn();
		},
	};
}

/** Our node, for records. */
export const ours = ({ action }: Bench, parameters: JsonObject): NodeDraft =>
	action('Ours', { resource: 'record', ...parameters });

/** Our node, which writes its items to a card. */
export const writing = (
	bench: Bench,
	operation: 'create' | 'upsert' | 'sync',
	cardId: string,
	parameters: JsonObject = {},
): NodeDraft =>
	ours(bench, {
		operation,
		cardId: byId(cardId),
		columns: mapAutomatically(operation === 'create' ? [] : ['Key']),
		...parameters,
	});

export const recordsUrl = ({ service }: Bench, cardId: string): string =>
	`${service.baseUrl}/workspaces/${service.workspaceId}/cards/${cardId}/records`;

/** Resident memory of a process, in bytes: now (`VmRSS`), or the most since it was reset (`VmHWM`). */
async function memoryOf(processId: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
	const status = await readFile(`/proc/${processId}/status`, 'utf8');
	return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
}

/**
 * The growth of a fresh n8n during a workflow, in bytes: what was once taken is seldom given back.
 *
 * @param warm runs first
 * @param node the last one
 * @param extra variables for n8n
 */
export async function growthOf(
	bench: Bench,
	warm: SavedWorkflow,
	saved: SavedWorkflow,
	node: string,
	extra?: Record<string, string>,
): Promise<number> {
	await bench.restart(extra);
	await bench.time(warm, 'Source');
	const processId = bench.host.processId ?? 0;
	await writeFile(`/proc/${processId}/clear_refs`, '5');
	const before = await memoryOf(processId, 'VmRSS');
	await bench.time(saved, node);
	return (await memoryOf(processId, 'VmHWM')) - before;
}
