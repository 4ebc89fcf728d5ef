import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

import type { Major } from '../../host/folders.ts';
import {
	type Execution,
	failureOf,
	type JsonObject,
	type SavedWorkflow,
	type Workflow,
} from '../../host/n8nClient.ts';
import { openWorkbench, type Workbench } from '../../host/workbench.ts';
import type { CredentialType } from '../../host/credentials.ts';
import type { NodeDraft } from '../../host/workflowBuilder.ts';
import { connectControl, type RemoteControl } from '../../../service/control/controlClient.ts';
import { createServiceApi, type ServiceApi } from './serviceApi.ts';
import { runFolder, tarball } from './settings.ts';

/** A workbench, the service's own interface and its control. */
export interface Bench extends Workbench {
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

const credentialFor = (parameters: JsonObject): CredentialType =>
	parameters.authentication === 'serviceAccount'
		? 'workspaceDataServiceAccountApi'
		: 'workspaceDataApi';

function extend(bench: Workbench): Bench {
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

/** Starts a real n8n of a major with our package, and a service with control. */
export async function openBench(major: Major, extra?: Record<string, string>): Promise<Bench> {
	const userFolder = await mkdtemp(join(runFolder(), `n8n-${major}-`));
	const service = { control: true, backoff: 100 };
	return extend(await openWorkbench({ major, userFolder, tarball: tarball(), service, extra }));
}

/** One bench for all tests of a `describe`; gives the function to get at it. */
export function useBench(major: Major, extra?: Record<string, string>): () => Bench {
	let bench: Bench | undefined;
	beforeAll(async () => {
		bench = await openBench(major, extra);
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
