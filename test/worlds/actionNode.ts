/** The worlds' only entry to the nodes: the action node in n8n's engine, in a process that can be restarted. */
import type * as Harness from '../support/n8n';
import * as harness from '../support/n8n';

export type { ActionResult, ActionRun, TestCredentials } from '../support/n8n';

type RunAction = typeof harness.runAction;

/** A process with the nodes in it. */
export interface NodeProcess {
	run: RunAction;
}

/** The process that the test file itself is. */
export const firstProcess: NodeProcess = { run: harness.runAction };

/** Shared with a restarted process: n8n itself is the same, only the nodes are loaded again. */
const PARTS_OF_N8N = ['n8n-core', 'n8n-workflow', '@n8n/di', 'reflect-metadata'];

/** A process that remembers nothing. */
export function restartedProcess(): NodeProcess {
	let loaded: typeof Harness | undefined;
	const known = PARTS_OF_N8N.map((part) => [part, jest.requireActual<object>(part)] as const);
	jest.isolateModules(() => {
		for (const [part, copy] of known) jest.doMock(part, () => copy);
		loaded = jest.requireActual<typeof Harness>('../support/n8n');
		for (const part of PARTS_OF_N8N) jest.dontMock(part);
	});
	if (!loaded) throw new Error('The nodes could not be loaded again');
	return { run: loaded.runAction };
}
