/** Example workflows as README.md says: imported by the menu, a credential chosen in each node, executed. All of them run in rest. */
import { join } from 'node:path';

import { credentialNames } from '../../host/credentials.ts';
import { readExamples, withCredentials } from '../../host/examples.ts';
import { repository } from '../../host/folders.ts';
import { major, wantsPictures } from '../support/settings.ts';
import { readWords } from './readmeWords.ts';
import type { Stage } from './stage.ts';

/** Nodes whose panel is in the documentation once they have run. */
const PICTURES = [
	{ file: 'csv-file-to-card.json', picture: 'create-from-items', node: 'Card from the rows' },
	{ file: 'nightly-sync.json', picture: 'sync', node: 'Sync products' },
];

/** @param stage the n8n and the browser */
export function testExamples({ bench, editor, execute }: Stage): void {
	/** Imports an example by the menu, and chooses the credential in these nodes. */
	async function importExample(file: string, ...nodes: string[]): Promise<void> {
		const { say } = await readWords('Examples', major);
		await editor().importFile(join(repository, 'examples', file), [
			say('Import'),
			say('From file'),
		]);
		for (const node of nodes) {
			await editor().openNode(node);
			await editor().chooseCredential(credentialNames.workspaceDataApi);
			await editor().closeNode();
		}
	}

	/** Runs the workflow, and waits until the output of a node shows the text. */
	async function runUntil(node: string, text: string): Promise<void> {
		await editor().element('execute-workflow-button').first().click();
		await editor().openNode(node);
		await editor().element('output-panel').getByText(text).first().waitFor();
		await editor().closeNode();
	}

	test('are imported by the menu, get their credentials and run; a tool shows the description of each value', async () => {
		const create = ['List cards', 'Create card', 'Add fields'];
		await importExample('create-card-with-typed-fields.json', ...create);
		await runUntil('Add fields', 'multi_select');
		await importExample('import-rows-create-or-update.json', 'Create or update records');
		await runUntil('Create or update records', 'created');

		const tools = ['Find tasks', 'Change a task'];
		await importExample('agent-reads-and-writes-a-card.json', ...tools);
		const panel = editor().element('node-parameters');
		await editor().openNode('Change a task');
		for (const sentence of [
			'The id of the task, as Find tasks returned it',
			'Whether the task is done: true or false',
			'All tags of the task, separated by commas',
		]) {
			await panel.getByText(sentence).first().waitFor();
		}
	});

	if (!wantsPictures) return;
	test.each(PICTURES)('$file has a picture', async ({ file, picture, node }) => {
		const { client, credentials } = bench();
		const example = (await readExamples()).find((one) => one.file === file);
		if (!example) throw new Error(`There is no examples/${file}`);
		const { id } = await client.createWorkflow(withCredentials(example, credentials));
		await editor().openWorkflow(id);
		await editor().openNode(node);
		await execute(/items?/);
		const { element } = editor();
		await editor().picture(picture, element('node-parameters'), element('output-panel'));
	});
}
