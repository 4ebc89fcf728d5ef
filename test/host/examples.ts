import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { CredentialReferences } from './credentials.ts';
import { repository } from './folders.ts';
import type {
	CredentialReference,
	N8nClient,
	SavedWorkflow,
	Workflow,
	WorkflowNode,
} from './n8nClient.ts';

/** A workflow of the folder examples/, whose nodes hold no credentials: n8n keeps what an import holds. */
export interface Example extends Workflow {
	file: string;
}

/** The example workflows, by file name. */
export async function readExamples(): Promise<Example[]> {
	const folder = join(repository, 'examples');
	const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
	return await Promise.all(
		files.map(async (file) => ({
			...(JSON.parse(await readFile(join(folder, file), 'utf8')) as Workflow),
			file,
		})),
	);
}

/** Stored credentials by their type: ours, and those of the other nodes in the examples. */
type StoredCredentials = CredentialReferences & { openAiApi?: CredentialReference };

/** The type of the credential that a node asks for; undefined for nodes without one. */
function wantedCredential({ type, parameters }: WorkflowNode): keyof StoredCredentials | undefined {
	if (type.endsWith('.lmChatOpenAi')) return 'openAiApi';
	if (!type.includes('.workspaceData')) return undefined;
	return parameters.authentication === 'serviceAccount'
		? 'workspaceDataServiceAccountApi'
		: 'workspaceDataApi';
}

/** The workflow with the stored credentials in its nodes, as a person chooses them there. */
export function withCredentials(example: Example, stored: StoredCredentials): Workflow {
	const { name, nodes, connections, settings } = example;
	return {
		name,
		connections,
		settings,
		nodes: nodes.map((node) => {
			const type = wantedCredential(node);
			const reference = type && stored[type];
			return reference ? { ...node, credentials: { [type]: reference } } : node;
		}),
	};
}

/**
 * Stores the example workflows that n8n does not have yet, by name.
 *
 * @returns all of them as stored, by file name, and how many are new
 */
export async function importExamples(
	client: N8nClient,
	stored: CredentialReferences,
): Promise<{ workflows: Map<string, SavedWorkflow>; added: number }> {
	const known = new Map((await client.workflows()).map(({ name, id }) => [name, id]));
	const workflows = new Map<string, SavedWorkflow>();
	let added = 0;
	for (const example of await readExamples()) {
		const id = known.get(example.name);
		if (id === undefined) added++;
		const saved =
			id === undefined
				? await client.createWorkflow(withCredentials(example, stored))
				: await client.workflow(id);
		workflows.set(example.file, saved);
	}
	return { workflows, added };
}
