import { connectControl } from '../../service/control/controlClient.ts';
import { storeCredentials, type CredentialReferences } from './credentials.ts';
import { until } from './deadline.ts';
import { installHost, type Tell } from './installHost.ts';
import {
	N8nClient,
	type Execution,
	failureOf,
	type JsonObject,
	type SavedWorkflow,
	type Workflow,
} from './n8nClient.ts';
import { createN8nHost, type HostOptions } from './n8nProcess.ts';
import { installPackage } from './packageInstall.ts';
import { createServiceApi } from './serviceApi.ts';
import { startService, type RunningService, type ServiceOptions } from './serviceProcess.ts';
import type { NodeDraft } from './workflowBuilder.ts';

/** What a workbench is made of: a reference service, and an n8n with our package. */
interface Parts {
	service: RunningService;
	/** Signed in as the owner. */
	client: N8nClient;
	/** Both credentials, as nodes refer to them. */
	credentials: CredentialReferences;
	close(): Promise<void>;
}

/** A reference service, and an n8n with our package in which workflows are built and run. */
export type SharedWorkbench = ReturnType<typeof equip<Parts>>;

/** As `SharedWorkbench`, with an n8n that nobody else uses; `close` stops it, then the service. */
export type Workbench = Awaited<ReturnType<typeof openWorkbench>>;

/** The parts of a workbench. */
interface WorkbenchOptions extends HostOptions {
	/** As packed by npm. */
	tarball: string;
	service?: ServiceOptions;
	tell?: Tell;
}

/** Our node types, as a community package gives them. */
export const ourTypes = {
	action: 'n8n-nodes-workspace-data.workspaceData',
	trigger: 'n8n-nodes-workspace-data.workspaceDataTrigger',
};

/** Makes a workbench of its parts. */
export function equip<Some extends Parts>(parts: Some) {
	const { client, credentials, service } = parts;
	const node =
		(type: string) =>
		(name: string, parameters: JsonObject, extra?: Partial<NodeDraft>): NodeDraft => {
			const credential =
				parameters.authentication === 'serviceAccount'
					? 'workspaceDataServiceAccountApi'
					: 'workspaceDataApi';
			const own = { [credential]: credentials[credential] };
			return { name, type, parameters, credentials: own, ...extra };
		};
	/** Runs a stored workflow that must succeed. */
	async function succeedAgain(saved: SavedWorkflow): Promise<Execution> {
		const execution = await client.run(saved, 'Start');
		if (execution.status !== 'success') {
			throw new Error(`'${saved.name}' ended with ${execution.status}: ${failureOf(execution)}`);
		}
		return execution;
	}
	return {
		...parts,
		/** The service's own interface, without n8n. */
		api: createServiceApi(service),
		/** Only for a service that was started with it. */
		control: connectControl(service.controlUrl ?? '', service.controlToken ?? ''),
		/** A node of ours with the credential for its authentication. */
		action: node(ourTypes.action),
		/** Our trigger node. */
		trigger: node(ourTypes.trigger),
		/** Stores a workflow and runs it from the node "Start" to its end. */
		run: async (workflow: Workflow) =>
			await client.run(await client.createWorkflow(workflow), 'Start'),
		/** As `run`. @throws Error unless the execution succeeded */
		succeed: async (workflow: Workflow) =>
			await succeedAgain(await client.createWorkflow(workflow)),
		succeedAgain,
		/** Waits for an execution of a published workflow that succeeds. */
		async triggered({ id, name }: SavedWorkflow) {
			const succeeded = async () =>
				(await client.executions(id)).find(({ status }) => status === 'success');
			return await client.execution((await until(`an execution of '${name}'`, succeeded)).id);
		},
	};
}

/**
 * Installs n8n where needed, installs the packed package in it, starts the service and n8n, signs in
 * and stores both credentials.
 */
export async function openWorkbench(options: WorkbenchOptions) {
	const { tell = () => {}, tarball, service: serviceOptions, ...hostOptions } = options;
	await installHost(options.major, tell);
	const installed = await installPackage(tarball, options.userFolder);
	tell(`Installed ${installed.name} ${installed.version} as a community package`);

	const service = await startService(serviceOptions);
	tell(`The service answers at ${service.baseUrl}`);
	const host = await createN8nHost(hostOptions);
	const close = async () => {
		await host.stop();
		await service.stop();
	};
	try {
		tell('Starting n8n …');
		await host.start();
		const client = new N8nClient(host.baseUrl, options.major);
		await client.signIn();
		const nodeInfos = Object.values(ourTypes).map((name) => ({ name, version: 1 }));
		await client
			.request('POST', '/rest/node-types', { nodeInfos })
			.catch(async (error: unknown) => {
				throw new Error(`n8n did not load our nodes:\n${await host.log()}`, { cause: error });
			});
		const credentials = await storeCredentials(client, service);
		return equip({ service, host, client, credentials, close });
	} catch (error) {
		await close();
		throw error;
	}
}
