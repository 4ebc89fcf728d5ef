/** What the browser suites of one n8n share: a bench, one browser, and our action node in its open panel. */
import { until } from '../../host/deadline.ts';
import type { JsonObject, SavedWorkflow } from '../../host/n8nClient.ts';
import { chain, codeItems, manualTrigger, type NodeDraft } from '../../host/workflowBuilder.ts';
import type { Workbench } from '../../host/workbench.ts';
import { useBench } from '../support/bench.ts';
import type { TestCard } from '../../host/serviceApi.ts';
import { major } from '../support/settings.ts';
import { type Editor, openEditor } from './editor.ts';

/** The name of the node that `openAction` opens. */
const ACTION = 'Tasks';

/** Given to each suite; the functions work within tests only. */
export type Stage = ReturnType<typeof createStage>;

export const isObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A card as it is chosen from the list. */
export const fromList = ({ id, name }: TestCard): JsonObject => ({
	__rl: true,
	mode: 'list',
	value: id,
	cachedResultName: name,
});

/** Opens one n8n and one browser for all tests of a `describe`. */
export function useStage() {
	const bench = useBench(major);
	let opened: Editor | undefined;
	const editor = () => {
		if (!opened) throw new Error("The browser didn't start");
		return opened;
	};
	beforeAll(async () => {
		opened = await openEditor(bench().client);
	}, 300_000);
	afterAll(async () => await opened?.close());
	return createStage(bench, editor);
}

/** @param bench and the editor, once both have started */
function createStage(bench: () => Workbench, editor: () => Editor) {
	/** The parameters of that node once the editor has saved what is waited for. */
	async function savedParameters(
		workflow: SavedWorkflow,
		isThere: (parameters: JsonObject) => boolean,
	): Promise<JsonObject> {
		return await until('the editor to save the parameters', async () => {
			await editor().save();
			const { nodes } = await bench().client.workflow(workflow.id);
			const parameters = nodes.find(({ name }) => name === ACTION)?.parameters;
			return parameters && isThere(parameters) ? parameters : undefined;
		});
	}

	/** Stores a workflow that ends with one of our action nodes, and opens that node. */
	async function open(before: NodeDraft[], parameters: JsonObject): Promise<SavedWorkflow> {
		const { client, action } = bench();
		const workflow = await client.createWorkflow(
			chain('In the editor', [manualTrigger(), ...before, action(ACTION, parameters)]),
		);
		await editor().openWorkflow(workflow.id);
		await editor().openNode(ACTION);
		return workflow;
	}

	return {
		bench,
		editor,
		savedParameters,
		/** Opens an action node with these parameters. */
		openAction: async (parameters: JsonObject) => await open([], parameters),
		/** As `openAction`, behind these items. */
		openRows: async (rows: JsonObject[], parameters: JsonObject) =>
			await open([codeItems('Rows', rows)], parameters),
		/** The fields of a card by its name. */
		async fieldsOf(name: string) {
			const { api } = bench();
			const { id } = await api.findCard(name);
			return (await api.call<{ fields: JsonObject[] }>('GET', `/cards/${id}/fields`)).fields;
		},
		/** The mapper's value once the editor has saved what is waited for. */
		async savedColumns(workflow: SavedWorkflow, isThere: (columns: JsonObject) => boolean) {
			const { columns } = await savedParameters(
				workflow,
				(parameters) => isObject(parameters.columns) && isThere(parameters.columns),
			);
			return columns as JsonObject;
		},
		/** Executes the node that is open. @returns what the output panel shows once it has the text */
		async execute(text: string | RegExp) {
			const { element, page } = editor();
			// The editor takes what an earlier run gave away before it asks for the next one.
			const isAsked = page.waitForResponse(
				(response) =>
					response.request().method() === 'POST' &&
					/\/rest\/workflows\/[^/]+\/run$/.test(new URL(response.url()).pathname),
			);
			await element('node-execute-button').click();
			await isAsked;
			const output = element('output-panel');
			await output.getByText(text).first().waitFor();
			return await output.innerText();
		},
		/** A card with a record, "Old", whose boolean is true, to see whether anything overwrites it. */
		async createTasks(name: string): Promise<TestCard> {
			const card = await bench().api.createCard(name, [
				['Title', 'text'],
				['Price', 'number'],
				['Done', 'boolean'],
				['Tags', 'multi_select', ['urgent', 'eu', 'Red, white']],
				['Status', 'single_select', ['Open', 'Closed']],
				['Due', 'date'],
			]);
			const values = { Title: 'Old', Price: 7, Done: true, Tags: ['eu'], Status: 'Open' };
			await bench().api.createRecord(card, { ...values, Due: '2026-03-01' });
			return card;
		},
	};
}
