/** Filter conditions as a person enters them: typed, confirmed in each way, and kept when the card changes. */
import { until } from '../../host/deadline.ts';
import type { JsonObject, SavedWorkflow } from '../../host/n8nClient.ts';
import { chain, manualTrigger } from '../../host/workflowBuilder.ts';
import { useBench } from '../support/bench.ts';
import type { TestCard } from '../support/serviceApi.ts';
import { major } from '../support/settings.ts';
import { openEditor, type Editor } from './editor.ts';

describe(`filters in the editor of n8n ${major}`, () => {
	const bench = useBench(major);
	let editor: Editor;

	beforeAll(async () => {
		editor = await openEditor(bench().client);
	}, 300_000);
	afterAll(async () => await editor?.close());

	async function tasks(name: string): Promise<TestCard> {
		const { api } = bench();
		const card = await api.createCard(name, [
			['Title', 'text'],
			['Status', 'single_select', ['Open', 'Closed']],
		]);
		await api.createRecord(card, { Title: 'Water the plants', Status: 'Open' });
		await api.createRecord(card, { Title: 'Book the train', Status: 'Closed' });
		await api.createRecord(card, { Title: 'Call Ada' });
		return card;
	}

	/** A node as it comes from the nodes panel; the card is chosen by hand. */
	async function openNode(operation: string, card: TestCard): Promise<SavedWorkflow> {
		const { client, action } = bench();
		const workflow = await client.createWorkflow(
			chain('Filters', [manualTrigger(), action('Tasks', { resource: 'record', operation })]),
		);
		await editor.openWorkflow(workflow.id);
		await editor.openNode('Tasks');
		await editor.choose('cardId', card.name);
		await editor.page.getByText('Add Condition').first().click();
		return workflow;
	}

	/** The value of the first condition, once the editor has saved it. */
	async function savedValue(workflow: SavedWorkflow, value: string): Promise<void> {
		await until(`the condition's value '${value}'`, async () => {
			await editor.save();
			const { nodes } = await bench().client.workflow(workflow.id);
			const filters = nodes.find(({ name }) => name === 'Tasks')?.parameters.filters;
			const [first] = (filters as { conditions?: JsonObject[] } | undefined)?.conditions ?? [];
			const saved = first?.value as { value?: unknown } | undefined;
			return saved?.value === value ? true : undefined;
		});
	}

	/** Executes the node that is open. @returns what the output panel shows */
	async function outputWith(text: string | RegExp): Promise<string> {
		await editor.element('node-execute-button').click();
		const output = editor.element('output-panel');
		await output.getByText(text).first().waitFor();
		return await output.innerText();
	}

	test.each<[string, string, () => Promise<void>]>([
		['Enter', 'Water the plants', async () => await editor.page.keyboard.press('Enter')],
		['Tab', 'Book the train', async () => await editor.page.keyboard.press('Tab')],
		['a click elsewhere', 'Call Ada', async () => await editor.element('output-panel').click()],
	])('a value that is typed and confirmed with %s is the value (M2)', async (_, value, confirm) => {
		const workflow = await openNode('getAll', await tasks(`Tasks, ${value}`));
		await editor.select('field', 'Title');
		await editor.type('value', value);
		await confirm();
		await savedValue(workflow, value);
		expect(await outputWith(value)).toContain('1 item');
	});

	test('a new condition shows nothing red (M4)', async () => {
		await openNode('getAll', await tasks('Tasks to look at'));
		await editor.element('resource-locator-value').waitFor();
		await editor.page.waitForLoadState('networkidle');
		const red = editor.element('node-parameters').locator('[data-test-id="parameter-issues"]');
		expect(await red.count()).toBe(0);
	});

	test('a choice is typed, or chosen from the list (M2)', async () => {
		const workflow = await openNode('getAll', await tasks('Tasks by status'));
		await editor.select('field', 'Status');
		await editor.type('value', 'Open');
		await editor.page.keyboard.press('Enter');
		await savedValue(workflow, 'Open');
		expect(await outputWith('Water the plants')).toContain('1 item');

		await editor.mode('value', 'From List');
		expect(await editor.listOf('value')).toEqual(['Open', 'Closed']);
		await editor.element('rlc-item').filter({ hasText: 'Closed' }).first().click();
		await savedValue(workflow, 'Closed');
		expect(await outputWith('Book the train')).toContain('1 item');
	});

	test('a condition keeps its value when another card is chosen, and the run names its field (M3)', async () => {
		await bench().api.createCard('Notes', [['Text', 'text']]);
		const workflow = await openNode('getAll', await tasks('Tasks to leave'));
		await editor.select('field', 'Title');
		await editor.type('value', 'Call Ada');
		await editor.page.keyboard.press('Enter');
		await savedValue(workflow, 'Call Ada');
		await editor.choose('cardId', 'Notes');
		const shown = editor.element('resource-locator-value').locator('input').last();
		expect(await shown.inputValue()).toBe('Call Ada');
		expect(await outputWith("has no field 'Title'")).toContain("Card 'Notes'");
		await savedValue(workflow, 'Call Ada');
	});
});
