/** The worlds' only entry to the nodes: the action node in n8n's engine, in a process that can be restarted. */
import { inAnotherProcess } from '../support/anotherProcess';
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

/** A process that remembers nothing. */
export function restartedProcess(): NodeProcess {
	return {
		run: inAnotherProcess(() => jest.requireActual<typeof Harness>('../support/n8n').runAction),
	};
}
