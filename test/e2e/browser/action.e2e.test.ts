/** The action node as a person uses it: in n8n's editor, in a real browser. */
import { until } from '../../../host/deadline.ts';
import type { JsonObject, SavedWorkflow } from '../../../host/n8nClient.ts';
import { byId, chain, codeItems, manualTrigger, mapEach } from '../../../host/workflowBuilder.ts';
import { useBench } from '../support/bench.ts';
import type { TestCard } from '../support/serviceApi.ts';
import { major } from '../support/settings.ts';
import { openEditor, type Editor } from './editor.ts';

describe(`editor of n8n ${major}`, () => {
	const bench = useBench(major);
	let editor: Editor;

	beforeAll(async () => {
		editor = await openEditor(bench().client);
	}, 300_000);
	afterAll(async () => await editor?.close());

	const book = async (name: string): Promise<TestCard> =>
		await bench().api.createCard(name, [
			['Title', 'text'],
			['Price', 'number'],
			['Status', 'single_select', ['Open', 'Done']],
		]);

	/** Stores a workflow with one of our nodes and opens that node. */
	async function openAction(parameters: JsonObject): Promise<SavedWorkflow> {
		const { client, action } = bench();
		const workflow = await client.createWorkflow(
			chain('In the editor', [manualTrigger(), action('Books', parameters)]),
		);
		await editor.openWorkflow(workflow.id);
		await editor.openNode('Books');
		return workflow;
	}

	/** The mapper's value once the editor has saved it. */
	async function savedColumns(
		workflow: SavedWorkflow,
		isThere: (columns: JsonObject) => boolean,
	): Promise<JsonObject> {
		return await until('the editor to save the mapping', async () => {
			await editor.save();
			const { nodes } = await bench().client.workflow(workflow.id);
			const columns = nodes.find(({ name }) => name === 'Books')?.parameters.columns;
			return columns && isThere(columns as JsonObject) ? (columns as JsonObject) : undefined;
		});
	}

	/** The mapper's schema by field id. */
	const entryFor = (columns: JsonObject, fieldId: string | undefined) =>
		(columns.schema as JsonObject[] | undefined)?.find((entry) => entry.fieldId === fieldId);

	test('a card is chosen by search, the mapper shows field names, and the run puts out names', async () => {
		for (let n = 1; n <= 5; n += 1) await bench().api.createCard(`Shelf ${n}`);
		const card = await book('Books to pick');
		const workflow = await openAction({ resource: 'record', operation: 'create' });
		await editor.choose('cardId', card.name);
		await editor.element('parameter-input-Title').waitFor();
		await editor.fillColumn('Title', 'Moby Dick');
		await editor.fillColumn('Price', '12.5');
		await savedColumns(workflow, ({ value }) => (value as JsonObject | null)?.Price === 12.5);
		await editor.picture('mapper');
		await editor.element('node-execute-button').click();
		const output = editor.element('output-panel');
		await output.getByText('Moby Dick').first().waitFor();
		expect(await output.innerText()).toMatch(/Title[\s\S]*Price/);
		await editor.picture('output');
		const [record] = await bench().api.records(card);
		expect(record?.fields).toEqual(expect.objectContaining({ Title: 'Moby Dick', Price: 12.5 }));
	});

	test('the mapping is kept when columns are refreshed after a rename, and after all ids changed', async () => {
		const { api, control } = bench();
		const card = await book('Books to rename');
		const workflow = await openAction({ resource: 'record', operation: 'create' });
		await editor.choose('cardId', card.name);
		await editor.element('parameter-input-Price').waitFor();
		await editor.fillColumn('Title', 'Emma');
		await editor.fillColumn('Price', '7');
		await savedColumns(workflow, ({ value }) => (value as JsonObject | null)?.Price === 7);

		await control.renameField({ cardId: card.id, fieldId: card.fields.Price ?? '', name: 'Cost' });
		await editor.refreshColumns();
		const renamed = await savedColumns(
			workflow,
			(columns) => entryFor(columns, card.fields.Price)?.displayName === 'Cost',
		);
		expect(renamed.value).toEqual(expect.objectContaining({ Title: 'Emma', Price: 7 }));

		const rotated = (await control.rotateFieldIds({ cardId: card.id })) as Record<string, string>;
		const costId = rotated[card.fields.Price ?? ''];
		await editor.refreshColumns();
		const refreshed = await savedColumns(
			workflow,
			(columns) => entryFor(columns, costId)?.displayName === 'Cost',
		);
		expect(refreshed.value).toEqual(expect.objectContaining({ Title: 'Emma', Price: 7 }));
		await editor.picture('renamed');

		await editor.element('node-execute-button').click();
		await editor.element('output-panel').getByText('Emma').first().waitFor();
		const { records } = await api.call<{ records: Array<{ data: JsonObject }> }>(
			'GET',
			`/cards/${card.id}/records`,
		);
		expect(records[0]?.data[costId ?? '']).toBe(7);
	});

	test('a failing item shows the field and what it accepts', async () => {
		const { client, action } = bench();
		const card = await book('Books that fail');
		const workflow = await client.createWorkflow(
			chain('Fails in the editor', [
				manualTrigger(),
				codeItems('Rows', [{ status: 'Open' }, { status: 'Lost' }]),
				action('Books', {
					resource: 'record',
					operation: 'create',
					cardId: byId(card.id),
					columns: mapEach({ Status: '={{ $json.status }}' }),
				}),
			]),
		);
		await editor.openWorkflow(workflow.id);
		await editor.openNode('Books');
		await editor.element('node-execute-button').click();
		const output = editor.element('output-panel');
		await output.getByText("Field 'Status' cannot hold").first().waitFor();
		const shown = await output.innerText();
		expect(shown).toContain("Allowed values are 'Open', 'Done'");
		expect(shown).toContain('[item 1]');
		await editor.picture('failing-item');
	});
});
