/** A real n8n with our package and the peers that it is measured against, and the reference service. */
import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../host/folders.ts';
import { buildPackage, packPackage } from '../host/packageInstall.ts';
import { failureOf, type Execution, type SavedWorkflow } from '../host/n8nClient.ts';
import { openWorkbench, type Workbench } from '../host/workbench.ts';
import { chain, manualTrigger, type NodeDraft } from '../host/workflowBuilder.ts';
import { connectControl, type RemoteControl } from '../../service/index.ts';
import { undiciClient, type Client } from './clients.ts';

/** The parts that the rows work with. */
export interface Bench extends Workbench {
	control: RemoteControl;
	/** The peer of most rows: HTTP without n8n. */
	undici: Client;
	/** A card with four fields and so many records. */
	card(name: string, records?: number): Promise<{ id: string; fieldIds: string[] }>;
	/** Stores a workflow of these nodes, after one that gives so many rows. */
	save(name: string, count: number, nodes: readonly NodeDraft[]): Promise<SavedWorkflow>;
	/** Runs a stored workflow. @returns the seconds that a node of it took, and its items @throws Error */
	run(saved: SavedWorkflow, node: string): Promise<{ seconds: number; execution: Execution }>;
}

/** The types of the peers' nodes: n8n loads them from its folder for custom nodes. */
export const peerTypes = { source: 'CUSTOM.benchSource', trigger: 'CUSTOM.benchTrigger' };

const FIELDS = [
	{ name: 'Key', type: 'text' },
	{ name: 'Amount', type: 'number' },
	{ name: 'Day', type: 'date' },
	{ name: 'Open', type: 'boolean' },
];

/** Builds the package, installs it in n8n 2, and starts all. */
export async function openBench(tell: (line: string) => void): Promise<Bench> {
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
	const { service, client } = bench;
	const control = connectControl(service.controlUrl ?? '', service.controlToken ?? '');
	const undici = undiciClient(service, 64);
	return {
		...bench,
		control,
		undici,
		async card(name, records = 0) {
			const card = await undici.createCard(name, FIELDS);
			if (records > 0) await control.fillCard({ cardId: card.id, count: records });
			return card;
		},
		async save(name, count, nodes) {
			const source = { name: 'Source', type: peerTypes.source, parameters: { count } };
			return await client.createWorkflow(chain(name, [manualTrigger(), source, ...nodes]));
		},
		async run(saved, node) {
			const execution = await client.run(saved, 'Start');
			if (execution.status !== 'success') throw new Error(`${saved.name}: ${failureOf(execution)}`);
			const [run] = execution.data.resultData.runData[node] ?? [];
			return { seconds: (run?.executionTime ?? NaN) / 1000, execution };
		},
		async close() {
			await undici.close();
			await bench.close();
		},
	};
}
