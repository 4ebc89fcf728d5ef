/** The example workflows as README.md says: imported by the menu, a credential chosen in each node, executed. */
import { join } from 'node:path';

import { credentialNames } from '../../host/credentials.ts';
import { until } from '../../host/deadline.ts';
import { readExamples, type Example } from '../../host/examples.ts';
import { repository } from '../../host/folders.ts';
import { N8nError, type WorkflowNode } from '../../host/n8nClient.ts';
import { major, wantsPictures } from '../support/settings.ts';
import { readWords } from './readmeWords.ts';
import type { Stage } from './stage.ts';

/** The others need the card Tasks, and most need its records. */
const first = ['create-card-with-typed-fields.json', 'import-rows-create-or-update.json'];

/** Needs a chat model, so it is imported only. */
const agent = 'agent-reads-and-writes-a-card.json';

/** Nodes whose panel is in the documentation once they have run. */
const pictures: Record<string, { picture: string; node: string }> = {
	'csv-file-to-card.json': { picture: 'create-from-items', node: 'Card from the rows' },
	'nightly-sync.json': { picture: 'sync', node: 'Sync products' },
};

const isOurs = ({ type }: WorkflowNode): boolean => type.includes('.workspaceData');

const credentialOf = ({ parameters }: WorkflowNode): string =>
	credentialNames[
		parameters.authentication === 'serviceAccount'
			? 'workspaceDataServiceAccountApi'
			: 'workspaceDataApi'
	];

/** @param stage the n8n and the browser */
export function testExamples({ bench, editor }: Stage): void {
	async function chooseCredentials(nodes: readonly WorkflowNode[]): Promise<void> {
		for (const node of nodes) {
			await editor().openNode(node.name);
			await editor().chooseCredential(credentialOf(node));
			await editor().closeNode();
		}
	}

	/** The ID of the workflow that is open, once n8n has stored all its credentials. */
	async function savedWith(nodes: readonly WorkflowNode[]): Promise<string> {
		const wanted = nodes.map((node) => `${node.name}: ${credentialOf(node)}`).sort();
		return await until(`n8n to store ${wanted.join(', ')}`, async () => {
			await editor().save();
			const id = editor().workflowId();
			if (id === undefined) return undefined;
			const saved = await bench()
				.client.workflow(id)
				.catch((error: unknown) => {
					// n8n 2 shows the ID in the address before it has stored the workflow for the first time.
					if (error instanceof N8nError && error.status === 404) return undefined;
					throw error;
				});
			const stored = saved?.nodes
				.filter(isOurs)
				.map(({ name, credentials }) => `${name}: ${Object.values(credentials ?? {})[0]?.name}`);
			return stored?.sort().join() === wanted.join() ? id : undefined;
		});
	}

	test('are imported by the menu, get their credentials, and run', async () => {
		const { client } = bench();
		const { element } = editor();
		const { say } = await readWords('Examples', major);
		const menu = major === 2 ? [say('Import'), say('From file')] : [say('Import from File...')];
		// By REST, all of them run in both majors; n8n's menu treats them alike.
		const some = [...first, agent, ...Object.keys(pictures)];
		const examples = (await readExamples()).filter(({ file }) => some.includes(file));
		const rank = ({ file }: Example) => (first.includes(file) ? first.indexOf(file) : first.length);
		for (const example of examples.sort((a, b) => rank(a) - rank(b))) {
			const ours = example.nodes.filter(isOurs);
			await editor().importFile(join(repository, 'examples', example.file), menu);
			await chooseCredentials(ours);
			const id = await savedWith(ours);
			if (example.file === agent) {
				await lookAtTool();
				continue;
			}
			await element('execute-workflow-button').first().click();
			const ended = await until(`${example.file} to end`, async () => {
				const [execution] = await client.executions(id);
				const isOver = execution && !['new', 'running', 'waiting'].includes(execution.status);
				return isOver ? execution : undefined;
			});
			expect([example.file, ended.status]).toEqual([example.file, 'success']);
			const shown = pictures[example.file];
			if (shown && wantsPictures) {
				await editor().openNode(shown.node);
				await editor().showAsSchema();
				await editor().picture(shown.picture, element('node-parameters'), element('output-panel'));
			}
		}
	}, 900_000);

	/** The tool shows the description of each value for the model. */
	async function lookAtTool(): Promise<void> {
		const panel = editor().element('node-parameters');
		await editor().openNode('Change a task');
		for (const sentence of [
			'The id of the task, as Find tasks gave it',
			'Whether the task is done: true or false',
			'All tags of the task, separated by commas',
		]) {
			await panel.getByText(sentence).first().waitFor();
		}
		await editor().picture('ai-tool', panel);
	}
}
