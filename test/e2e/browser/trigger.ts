/** The trigger's panel. How it is tried and published is in readme.ts. */
import { ourTypes } from '../../host/workbench.ts';
import { chain } from '../../host/workflowBuilder.ts';
import { CHOICE_CONDITIONS } from './filters.ts';
import { fromList, type Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testTrigger({ bench, editor }: Stage): void {
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
						cardId: fromList(card),
						options: { filters: { conditions } },
					},
					{ webhookId: crypto.randomUUID() },
				),
			]),
		);
		await editor().openWorkflow(workflow.id);
		await editor().openNode('On change');
		expect(await editor().select('condition', 'Not Equals')).toEqual(CHOICE_CONDITIONS);
	});

	test('n8n serves the preview of the trigger’s item, with the keys that an event has', async () => {
		const { client } = bench();
		const answer = await fetch(`${client.baseUrl}/schemas/${ourTypes.trigger}/1.0.0.json`);
		expect(answer.status).toBe(200);
		const { properties } = (await answer.json()) as { properties: Record<string, unknown> };
		expect(Object.keys(properties)).toEqual([
			...['event', 'timestamp', 'workspace_id', 'card_id', 'card_name', 'record_id'],
			'delivery_key',
		]);
	});
}
