import { storeCredentials, type CredentialReferences } from './credentials.ts';
import { installHost, type Tell } from './installHost.ts';
import { createN8nClient, type N8nClient } from './n8nClient.ts';
import { createN8nHost, type HostOptions, type N8nHost } from './n8nProcess.ts';
import { installPackage } from './packageInstall.ts';
import { startService, type RunningService, type ServiceOptions } from './serviceProcess.ts';

/** A real n8n with our package, and a reference service. */
export interface Workbench {
	service: RunningService;
	host: N8nHost;
	/** Signed in as the owner. */
	client: N8nClient;
	/** Both credentials, as nodes refer to them. */
	credentials: CredentialReferences;
	/** Our node types, by their short names. */
	types: { action: string; trigger: string };
	/** Stops n8n, then the service. */
	close(): Promise<void>;
}

/** The parts of a workbench. */
export interface WorkbenchOptions extends HostOptions {
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

/**
 * Installs n8n where needed, installs the packed package in it, starts the service and n8n, signs in
 * and stores both credentials.
 */
export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
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
		const client = createN8nClient(host.baseUrl, options.major);
		await client.signIn();
		const nodeInfos = Object.values(ourTypes).map((name) => ({ name, version: 1 }));
		await client
			.request('POST', '/rest/node-types', { nodeInfos })
			.catch(async (error: unknown) => {
				throw new Error(`n8n did not load our nodes:\n${await host.log()}`, { cause: error });
			});
		const credentials = await storeCredentials(client, service);
		return { service, host, client, credentials, types: ourTypes, close };
	} catch (error) {
		await close();
		throw error;
	}
}
