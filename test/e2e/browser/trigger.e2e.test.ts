/** The trigger node in the editor: published by hand, an execution appears. */
import { until } from '../../host/deadline.ts';
import { byId, chain } from '../../host/workflowBuilder.ts';
import { useBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';
import { openEditor, type Editor } from './editor.ts';

describe(`trigger in the editor of n8n ${major}`, () => {
	const bench = useBench(major);
	let editor: Editor;

	beforeAll(async () => {
		editor = await openEditor(bench().client);
	}, 300_000);
	afterAll(async () => await editor?.close());

	/** Publishes as a person does: 2.x asks once more, 1.x has a switch. */
	async function publish(): Promise<void> {
		const { element, page } = editor;
		if (major === 1) {
			await element('workflow-activate-switch').click();
			return;
		}
		await element('workflow-open-publish-modal-button').click();
		await page.locator('[data-test-id="workflow-publish-button"]').click();
	}

	test('a published workflow shows an execution for a record that is created', async () => {
		const { api, client, control, trigger } = bench();
		const card = await api.createCard('Watched', [['Title', 'text']]);
		const workflow = await client.createWorkflow(
			chain('React', [
				trigger(
					'On change',
					{ events: ['record.created'], watch: 'oneCard', cardId: byId(card.id) },
					{ webhookId: crypto.randomUUID() },
				),
			]),
		);
		await editor.openWorkflow(workflow.id);
		await publish();
		await until('a live subscription', async () =>
			(await control.subscriptions()).length > 0 ? true : undefined,
		);
		await api.createRecord(card, { Title: 'Fresh' });
		await until('an execution', async () => {
			const [execution] = await client.executions(workflow.id);
			return execution?.status === 'success' ? true : undefined;
		});
		await editor.page.goto(`${client.baseUrl}/workflow/${workflow.id}/executions`);
		await editor
			.element('execution-list-item')
			.first()
			.or(editor.page.locator('[data-test-execution-status="success"]').first())
			.first()
			.waitFor();
	});

	test('E4: the panel names the button that n8n shows, and pressing it waits for an event', async () => {
		const { api, client, control, trigger } = bench();
		const card = await api.createCard('Tried', [['Title', 'text']]);
		const workflow = await client.createWorkflow(
			chain('Try', [
				trigger(
					'On change',
					{
						events: ['record.created'],
						watch: 'oneCard',
						cardId: { __rl: true, mode: 'list', value: card.id, cachedResultName: card.name },
					},
					{ webhookId: crypto.randomUUID() },
				),
			]),
		);
		await editor.openWorkflow(workflow.id);
		const { element, page } = editor;
		await editor.openNode('On change');
		const button = element('trigger-execute-button').first();
		const name = (await button.innerText()).trim();
		await page.getByText('When will this node trigger my flow?').click();
		const help = await page.getByText('While building the workflow').locator('..').innerText();
		expect(help).toContain(`choose ${name},`);
		await editor.picture('trigger', element('ndv'));
		await button.click();
		await until('a subscription for the test', async () =>
			(await control.subscriptions()).some(({ cardId }) => cardId === card.id) ? true : undefined,
		);
		await api.createRecord(card, { Title: 'Sample' });
		await element('output-panel').getByText('Sample').first().waitFor();
	});

	test('the option Filters offers conditions that suit the field of the watched card', async () => {
		const { api, client, trigger } = bench();
		const card = await api.createCard('Filtered', [
			['Title', 'text'],
			['Status', 'single_select', ['Open', 'Closed']],
		]);
		const conditions = [{ field: 'Status', condition: 'equals', value: '' }];
		const workflow = await client.createWorkflow(
			chain('Filter', [
				trigger(
					'On change',
					{
						events: ['record.created'],
						watch: 'oneCard',
						cardId: { __rl: true, mode: 'list', value: card.id, cachedResultName: card.name },
						options: { filters: { conditions } },
					},
					{ webhookId: crypto.randomUUID() },
				),
			]),
		);
		await editor.openWorkflow(workflow.id);
		await editor.openNode('On change');
		expect(await editor.select('condition', 'Does Not Equal')).toEqual([
			'Contains',
			'Does Not Contain',
			'Does Not Equal',
			'Equals',
			'Is Any Of',
			'Is Empty',
			'Is None Of',
			'Is Not Empty',
		]);
	});

	test('n8n serves the preview of the trigger’s item, with the keys that an event has', async () => {
		const { client, types } = bench();
		const answer = await fetch(`${client.baseUrl}/schemas/${types.trigger}/1.0.0.json`);
		expect(answer.status).toBe(200);
		const { properties } = (await answer.json()) as { properties: Record<string, unknown> };
		expect(Object.keys(properties)).toEqual([
			...['event', 'timestamp', 'workspace_id', 'card_id', 'record_id', 'fields', 'delivery_key'],
		]);
	});
});
