import { execa } from 'execa';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cacheFolder, repository } from '../host/folders.ts';
import type * as Actions from '../test/support/n8n.ts';
import type * as Triggers from '../test/support/trigger.ts';

/** How tests run our nodes in n8n's contexts. */
export type Nodes = Pick<typeof Actions, 'executeContext' | 'runAction'> &
	Pick<typeof Triggers, 'triggerNode'>;

/**
 * Our nodes, as n8n runs them: compiled to CommonJS, since n8n's own packages load only so.
 *
 * @throws what the compiler says
 */
export async function loadNodes(): Promise<Nodes> {
	const project = join(repository, 'bench', 'tsconfig.nodes.json');
	await execa('tsc', ['-p', project], { preferLocal: true, localDir: repository });
	const support = join(cacheFolder, 'bench', 'test', 'support');
	const load = createRequire(import.meta.url);
	const { executeContext, runAction } = load(join(support, 'n8n.js')) as typeof Actions;
	const { triggerNode } = load(join(support, 'trigger.js')) as typeof Triggers;
	return { executeContext, runAction, triggerNode };
}
