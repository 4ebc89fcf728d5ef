/** The example workflows as README.md says: imported by the menu, a credential chosen in each node, executed. */
import { join } from 'node:path';

import { credentialNames } from '../../host/credentials.ts';
import { until } from '../../host/deadline.ts';
import { readExamples, type Example } from '../../host/examples.ts';
import { repository } from '../../host/folders.ts';
import { N8nError, type WorkflowNode } from '../../host/n8nClient.ts';
import { useBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';
import { openEditor, type Editor } from './editor.ts';

/** The others need the card Tasks, and most need its records. */
const first = ['create-card-with-typed-fields.json', 'import-rows-create-or-update.json'];

/** These wait for somebody from outside, or need a chat model. */
const notExecuted = [
	'agent-reads-and-writes-a-card.json',
	'form-to-record.json',
	'react-to-record-changes.json',
];

const isOurs = ({ type }: WorkflowNode): boolean => type.includes('.workspaceData');

describe(`examples in the editor of n8n ${major}`, () => {
	const bench = useBench(major, { N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'true' });
	let editor: Editor;

	beforeAll(async () => {
		editor = await openEditor(bench().client);
	}, 300_000);
	afterAll(async () => await editor?.close());

	/** Imports an example and chooses the credential in each node of ours. @returns the workflow's id */
	async function importByHand({ file, nodes }: Example): Promise<string> {
		const { client } = bench();
		await editor.importFile(join(repository, 'examples', file));
		const ours = nodes.filter(isOurs);
		for (const node of ours) {
			await editor.openNode(node.name);
			const isServiceAccount = node.parameters.authentication === 'serviceAccount';
			await editor.chooseCredential(
				credentialNames[isServiceAccount ? 'workspaceDataServiceAccountApi' : 'workspaceDataApi'],
			);
			await editor.closeNode();
		}
		return await until(`n8n to store the credentials of ${file}`, async () => {
			await editor.save();
			// The workflow that is open: a slow n8n may have been told to save it twice.
			const [, id] = /\/workflow\/(?!new)([^/?]+)/.exec(editor.page.url()) ?? [];
			if (id === undefined) return undefined;
			const saved = await client.workflow(id).catch((error: unknown) => {
				// n8n 2 shows the ID in the address before it has stored the workflow for the first time.
				if (error instanceof N8nError && error.status === 404) return undefined;
				throw error;
			});
			if (saved === undefined) return undefined;
			const chosen = saved.nodes
				.filter(isOurs)
				.flatMap(({ credentials }) => Object.values(credentials ?? {}))
				.filter(({ id }) => Boolean(id));
			return chosen.length === ours.length ? id : undefined;
		});
	}

	test('each runs after it was imported by the menu and its credential chosen (M1)', async () => {
		const { client } = bench();
		const examples = await readExamples();
		const rank = ({ file }: Example) => (first.includes(file) ? first.indexOf(file) : first.length);
		for (const example of examples.sort((a, b) => rank(a) - rank(b))) {
			const id = await importByHand(example);
			if (notExecuted.includes(example.file)) continue;
			await editor.element('execute-workflow-button').first().click();
			const ended = await until(`${example.file} to end`, async () => {
				const [execution] = await client.executions(id);
				const isOver = execution && !['new', 'running', 'waiting'].includes(execution.status);
				return isOver ? execution : undefined;
			});
			expect([example.file, ended.status]).toEqual([example.file, 'success']);
		}
	}, 600_000);
});
