/** A node fresh from the panel: what it returns, and a card with its fields. */
import { credentialNames } from '../../host/credentials.ts';
import { ourTypes } from '../../host/workbench.ts';
import type { Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testFreshNode({ bench, editor, execute }: Stage): void {
	/** Adds our node to a new workflow, with a credential. */
	async function addFresh(action: string): Promise<void> {
		await editor().openNewWorkflow();
		await editor().addNode('', 'Trigger manually');
		await editor().addNode('Workspace Data', 'Workspace Data', action);
		await editor().chooseCredential(credentialNames.workspaceDataApi);
	}

	test('its output shows the fields first, and an empty field as null', async () => {
		const { api } = bench();
		const card = await api.createCard('Fresh books', [
			['Title', 'text'],
			['Price', 'number'],
		]);
		await api.createRecord(card, { Title: 'Emma' });
		await addFresh('Get many records');
		await editor().choose('cardId', card.name);
		expect(await execute('Emma')).toContain('null');
		const columns = await editor().element('output-panel').locator('th').allInnerTexts();
		expect(columns.map((column) => column.trim()).filter(Boolean)).toEqual([
			...['Title', 'Price', 'id', 'created_at'],
		]);
	});

	test('n8n serves the preview of the trigger’s item, with the keys that an event has', async () => {
		const { client } = bench();
		const answer = await fetch(`${client.baseUrl}/schemas/${ourTypes.trigger}/1.0.0.json`);
		const { properties } = (await answer.json()) as { properties: Record<string, unknown> };
		expect(Object.keys(properties)).toEqual([
			...['event', 'timestamp', 'workspace_id', 'card_id', 'card_name', 'record_id'],
			'delivery_key',
		]);
	});
}
