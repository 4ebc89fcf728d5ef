/** Our nodes in the nodes panel. */
import { ourTypes } from '../../host/workbench.ts';
import { chain, manualTrigger } from '../../host/workflowBuilder.ts';
import type { Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testNodesPanel({ bench, editor }: Stage): void {
	test('the nodes panel finds the nodes by the words that people type', async () => {
		const { client } = bench();
		const workflow = await client.createWorkflow(chain('Empty', [manualTrigger()]));
		await editor().openWorkflow(workflow.id);
		const { element, page } = editor();
		await element('node-creator-plus-button').click();
		const ours = element('node-creator-item-name').filter({ hasText: /^\s*Workspace Data\s*$/ });
		for (const search of [
			...['table', 'tables', 'row', 'rows', 'record', 'records', 'new record'],
			...['csv', 'import', 'insert', 'crud', 'poll', 'lookup', 'find', 'create record', 'add row'],
			...['database', 'spreadsheet', 'upsert', 'Workspace Data'],
			// Words of the trigger. n8n shows one entry for both nodes, and reads the words of the action node.
			...['webhook', 'event', 'change'],
		]) {
			// What the word before has found must be gone first.
			await element('node-creator-search-bar').fill('no node has this');
			await ours.first().waitFor({ state: 'hidden' });
			await element('node-creator-search-bar').fill(search);
			await ours.first().waitFor();
		}
		await ours.first().click();
		await element('node-creator')
			.getByText(
				'Work with records, cards and fields of a workspace, and start workflows when they change',
			)
			.first()
			.waitFor();
		await page.getByText('Create or update record').waitFor();
		// n8n shows the groups one after the other.
		await page
			.getByText(/^api description actions$/i)
			.first()
			.waitFor();
		const panel = await element('node-creator').innerText();
		const groups = panel.match(/^(?:RECORD|CARD|FIELD|API DESCRIPTION) ACTIONS$/gim) ?? [];
		expect(groups.map((group) => group.toUpperCase())).toEqual([
			'RECORD ACTIONS',
			'CARD ACTIONS',
			'FIELD ACTIONS',
			'API DESCRIPTION ACTIONS',
		]);
	});
	test("n8n serves the preview of the trigger's item, with the keys that an event has", async () => {
		const { client } = bench();
		const answer = await fetch(`${client.baseUrl}/schemas/${ourTypes.trigger}/1.0.0.json`);
		const { properties } = (await answer.json()) as { properties: Record<string, unknown> };
		expect(Object.keys(properties)).toEqual([
			...['event', 'timestamp', 'workspace_id', 'card_id', 'card_name', 'record_id'],
			'delivery_key',
		]);
	});
}
