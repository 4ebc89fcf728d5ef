/** An example workflow as README.md says: imported by the menu, a credential chosen in each node. All of them run in rest. */
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
	test('are imported by the menu and get their credentials; a tool shows the description of each value', async () => {
		const { say } = await readWords('Examples', major);
		const tags = ['home', 'office', 'garden', 'travel'];
		await bench().api.createCard('Tasks', [
			['Title', 'text'],
			['Done', 'boolean'],
			['Tags', 'multi_select', tags],
		]);
		const file = join(repository, 'examples', 'agent-reads-and-writes-a-card.json');
		await editor().importFile(file, [say('Import'), say('From file')]);
		for (const node of ['Find tasks', 'Change a task']) {
			await editor().openNode(node);
			await editor().chooseCredential(credentialNames.workspaceDataApi);
			await editor().closeNode();
		}
		const panel = editor().element('node-parameters');
		await editor().openNode('Change a task');
		for (const sentence of [
			'The id of the task, as Find tasks returned it',
			'Whether the task is done: true or false',
			'All tags of the task, separated by commas',
		]) {
			await panel.getByText(sentence).first().waitFor();
		}
		await editor().picture('ai-tool', panel);
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
		await editor().showAsSchema();
		const { element } = editor();
		await editor().picture(picture, element('node-parameters'), element('output-panel'));
	});
}
