import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

import type { Major } from '../../host/folders.ts';
import {
	createN8nClient,
	type Execution,
	failureOf,
	type JsonObject,
	type SavedWorkflow,
	type Workflow,
} from '../../host/n8nClient.ts';
import type { N8nHost } from '../../host/n8nProcess.ts';
import { startService } from '../../host/serviceProcess.ts';
import { openWorkbench, ourTypes, type Workbench } from '../../host/workbench.ts';
import { type CredentialType, storeCredentials } from '../../host/credentials.ts';
import type { NodeDraft } from '../../host/workflowBuilder.ts';
import { connectControl, type RemoteControl } from '../../../service/control/controlClient.ts';
import { createServiceApi, type ServiceApi } from './serviceApi.ts';
import { runFolder, sharedN8n, tarball } from './settings.ts';

/** A service with its own interface and its control, and an n8n that other files of tests may use, too. */
export interface SharedBench extends Omit<Workbench, 'host'> {
	api: ServiceApi;
	control: RemoteControl;
	/** A node of ours with the credential for its authentication. */
	action(name: string, parameters: JsonObject, extra?: Partial<NodeDraft>): NodeDraft;
	/** Our trigger node. */
	trigger(name: string, parameters: JsonObject, extra?: Partial<NodeDraft>): NodeDraft;
	/** Stores a workflow and runs it from the node "Start" to its end. */
	run(workflow: Workflow): Promise<Execution>;
	/** As `run`, and fails the test unless the execution succeeded. */
	succeed(workflow: Workflow): Promise<Execution>;
	/** Runs a stored workflow that must succeed. */
	succeedAgain(saved: SavedWorkflow): Promise<Execution>;
}

/** As `SharedBench`, with an n8n that nobody else uses. */
export interface Bench extends SharedBench {
	host: N8nHost;
}

const credentialFor = (parameters: JsonObject): CredentialType =>
	parameters.authentication === 'serviceAccount'
		? 'workspaceDataServiceAccountApi'
		: 'workspaceDataApi';

function extend<Base extends Omit<Workbench, 'host'>>(bench: Base): Base & SharedBench {
	const { client, credentials, types, service } = bench;
	const node =
		(type: string) => (name: string, parameters: JsonObject, extra?: Partial<NodeDraft>) => {
			const credential = credentialFor(parameters);
			return {
				name,
				type,
				parameters,
				credentials: { [credential]: credentials[credential] },
				...extra,
			};
		};
	async function succeedAgain(saved: SavedWorkflow): Promise<Execution> {
		const execution = await client.run(saved, 'Start');
		if (execution.status !== 'success') {
			throw new Error(`'${saved.name}' ended with ${execution.status}: ${failureOf(execution)}`);
		}
		return execution;
	}
	return {
		...bench,
		api: createServiceApi(service),
		control: connectControl(service.controlUrl ?? '', service.controlToken ?? ''),
		action: node(types.action),
		trigger: node(types.trigger),
		run: async (workflow) => await client.run(await client.createWorkflow(workflow), 'Start'),
		succeed: async (workflow) => await succeedAgain(await client.createWorkflow(workflow)),
		succeedAgain,
	};
}

const withControl = { control: true, backoff: 100 };

/** Starts a real n8n of a major with our package, and a service with control. */
export async function openBench(major: Major, extra?: Record<string, string>): Promise<Bench> {
	const userFolder = await mkdtemp(join(runFolder(), `n8n-${major}-`));
	const options = { major, userFolder, tarball: tarball(), service: withControl, extra };
	return extend(await openWorkbench(options));
}

/** Starts a service with control, and signs in to the n8n that several files share. */
async function openSharedBench(major: Major): Promise<SharedBench> {
	const service = await startService(withControl);
	const client = createN8nClient(sharedN8n(), major);
	await client.signIn();
	const credentials = await storeCredentials(client, service, ` ${service.baseUrl}`);
	return extend({ service, client, credentials, types: ourTypes, close: service.stop });
}

/** One bench for all tests of a `describe`; gives the function to get at it. */
export const useBench = (major: Major, extra?: Record<string, string>): (() => Bench) =>
	useOpened(async () => await openBench(major, extra));

/** An n8n without editor and task runners, and with no nodes but ours, NoOp and Wait: it starts in less than half the time. */
export const BARE_N8N = {
	N8N_DISABLE_UI: 'true',
	N8N_RUNNERS_ENABLED: 'false',
	NODES_INCLUDE: JSON.stringify([
		'n8n-nodes-base.noOp',
		'n8n-nodes-base.wait',
		...Object.values(ourTypes),
	]),
};

/** As `useBench`, for tests that need nothing else of n8n than that it runs: they share one, and each file has its service. */
export const useSharedBench = (major: Major): (() => SharedBench) =>
	useOpened(async () => await openSharedBench(major));

function useOpened<Opened extends SharedBench>(open: () => Promise<Opened>): () => Opened {
	let bench: Opened | undefined;
	beforeAll(async () => {
		bench = await open();
	}, 400_000);
	afterAll(async () => {
		await bench?.close();
	}, 120_000);
	afterEach(async () => {
		await bench?.control.reset();
	});
	return () => {
		if (!bench) throw new Error('n8n or the service did not start');
		return bench;
	};
}
