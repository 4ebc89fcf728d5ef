import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

import { storeCredentials } from '../../host/credentials.ts';
import type { Major } from '../../host/folders.ts';
import { N8nClient } from '../../host/n8nClient.ts';
import { startService } from '../../host/serviceProcess.ts';
import {
	equip,
	openWorkbench,
	ourTypes,
	type SharedWorkbench,
	type Workbench,
} from '../../host/workbench.ts';
import { runFolder, sharedN8n, tarball } from './settings.ts';

const withControl = { control: true, backoff: 100 };

/** Starts a service with control, and signs in to the n8n that several files share. */
async function openSharedBench(major: Major): Promise<SharedWorkbench> {
	const service = await startService(withControl);
	const client = new N8nClient(sharedN8n(), major);
	await client.signIn();
	const credentials = await storeCredentials(client, service, ` ${service.baseUrl}`);
	return equip({ service, client, credentials, close: service.stop });
}

/** A real n8n of a major and a service with control for all tests of a `describe`. @returns gives them */
export const useBench = (major: Major, extra?: Record<string, string>): (() => Workbench) =>
	useOpened(async () => {
		const userFolder = await mkdtemp(join(runFolder(), `n8n-${major}-`));
		const options = { major, userFolder, tarball: tarball(), service: withControl, extra };
		return await openWorkbench(options);
	});

/** An n8n without editor and task runners, and with no nodes but ours and NoOp: it starts in less than half the time. */
export const BARE_N8N = {
	N8N_DISABLE_UI: 'true',
	N8N_RUNNERS_ENABLED: 'false',
	NODES_INCLUDE: JSON.stringify(['n8n-nodes-base.noOp', ...Object.values(ourTypes)]),
};

/** As `useBench`, for tests that need nothing else of n8n than that it runs: they share one, and each file has its service. */
export const useSharedBench = (major: Major): (() => SharedWorkbench) =>
	useOpened(async () => await openSharedBench(major));

function useOpened<Opened extends SharedWorkbench>(open: () => Promise<Opened>): () => Opened {
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
