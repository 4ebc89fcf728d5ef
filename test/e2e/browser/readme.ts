/** README.md by hand: each word that it tells a person to click is looked for on the screen. */
import { credentialNames } from '../../host/credentials.ts';
import { until } from '../../host/deadline.ts';
import { major } from '../support/settings.ts';
import { readWords } from './readmeWords.ts';
import type { Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testReadme({ bench, editor, execute }: Stage): void {
	const panel = () => editor().element('node-parameters');

	/** The label of a parameter, in the words of README.md. */
	const label = (word: string) => panel().getByText(word, { exact: true }).first();

	/** Waits for a subscription of n8n, to an address that has this path. */
	const subscribed = async (path: string) =>
		await until(`a subscription to ${path}`, async () => {
			const subscriptions = await bench().control.subscriptions();
			return subscriptions.some(({ targetUrl }) => targetUrl.includes(path)) ? true : undefined;
		});

	test('"Your first workflow" is done as written: a record is created, one is found, an event starts a workflow', async () => {
		const { api, client } = bench();
		const { page, element } = editor();
		const { say, unsaid } = await readWords('Your first workflow', major);
		const card = await api.createCard('Groceries', [
			['Name', 'text'],
			['Amount', 'number'],
			['Bought', 'boolean'],
		]);
		await api.createRecord(card, { Name: 'Bread', Amount: 1, Bought: true });

		await editor().openNewWorkflow();
		await editor().addNode('', say('Trigger manually'));
		await editor().addNode(say('Workspace Data'), 'Workspace Data', say('Create record'));
		await editor().chooseCredential(credentialNames.workspaceDataApi);
		await label(say('Card')).waitFor();
		await editor().choose('cardId', card.name);
		await label(say('Values to Send')).waitFor();
		await editor().fillColumn('Name', 'Coffee');
		await editor().fillColumn('Amount', '2');
		await element('node-execute-button').getByText(say('Execute step')).waitFor();
		await execute('Coffee');
		await editor().picture('first-record', panel(), element('output-panel'));
		expect((await api.records(card)).map(({ fields }) => fields)).toContainEqual(
			expect.objectContaining({ Name: 'Coffee', Amount: 2 }),
		);
		await editor().closeNode();

		await editor().addNode(say('Workspace Data'), 'Workspace Data', say('Get many records'));
		await label(say('Since Last Run')).waitFor();
		await editor().choose('cardId', card.name);
		await label(say('Filters')).waitFor();
		await label(say('Add Condition')).click();
		await editor().select('field', 'Name');
		await label(say('Value')).waitFor();
		await editor().type('value', 'Bread');
		await page.keyboard.press('Enter');
		expect(await execute('Bread')).toContain('1 item');

		await editor().openNewWorkflow();
		await editor().addNode(say('Schedule Trigger'), 'Schedule Trigger');
		await editor().openNewWorkflow();
		await editor().addNode(say('Workspace Data'), 'Workspace Data', say('On record created'));
		const button = element('trigger-execute-button').first();
		expect((await button.innerText()).trim()).toBe(say('Execute step'));
		await page.getByText('When will this node trigger my flow?').click();
		const help = await page.getByText('While building the workflow').locator('..').innerText();
		expect(help).toContain(`click ${say('Execute step')},`);
		await button.click();
		await subscribed('/webhook-test/');
		await api.createRecord(card, { Name: 'Tea' });
		await element('output-panel').getByText('Tea').first().waitFor();
		await editor().picture('trigger', panel(), element('output-panel'));
		await editor().closeNode();

		await editor().save();
		if (major === 2) {
			await element('workflow-open-publish-modal-button').getByText(say('Publish')).click();
			await element('workflow-publish-button').click();
		} else {
			await page.getByText(say('Inactive'), { exact: true }).waitFor();
			await element('workflow-activate-switch').click();
		}
		await subscribed('/webhook/');
		await api.createRecord(card, { Name: 'Milk' });
		const id = editor().workflowId() ?? '';
		await until('an execution', async () => {
			const executions = await client.executions(id);
			const isThere = executions.some(
				({ mode, status }) => mode === 'webhook' && status === 'success',
			);
			return isThere ? true : undefined;
		});
		await page.goto(`${client.baseUrl}/workflow/${id}/executions`);
		await page.locator('[data-test-execution-status="success"]').first().waitFor();
		await client.unpublish(id);
		expect(unsaid()).toEqual([]);
	});
}
