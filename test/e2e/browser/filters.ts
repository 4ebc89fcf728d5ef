/** Filter conditions as a person enters them: typed, confirmed in each way, and kept when the card changes. */
import type { SavedWorkflow } from '../../host/n8nClient.ts';
import { isObject, type Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testFilters(stage: Stage): void {
	const { bench, editor, openAction, savedParameters, execute } = stage;

	/** Waits until the editor has saved a value in the first condition. */
	async function savedValue(workflow: SavedWorkflow, value: string): Promise<void> {
		await savedParameters(workflow, ({ filters }) => {
			const conditions = isObject(filters) ? filters.conditions : undefined;
			const [first] = Array.isArray(conditions) ? conditions : [];
			return isObject(first) && isObject(first.value) && first.value.value === value;
		});
	}

	const addCondition = async () => await editor().page.getByText('Add Condition').first().click();

	test("a value that is typed is the value, however it is confirmed, a new condition isn't red, and both stay when the card is changed", async () => {
		const { api } = bench();
		const titles = ['Water the plants', 'Book the train', 'Call Ada'];
		const card = await api.createCard('Tasks to find', [['Title', 'text']]);
		for (const title of titles) await api.createRecord(card, { Title: title });
		await api.createCard('Notes', [['Text', 'text']]);
		const workflow = await openAction({ resource: 'record', operation: 'getAll' });
		await editor().choose('cardId', card.name);
		await addCondition();
		await editor().element('resource-locator-value').waitFor();
		await editor().select('field', 'Title');
		const red = editor().element('node-parameters').locator('[data-test-id="parameter-issues"]');
		expect(await red.count()).toBe(0);

		const { page, element } = editor();
		const ways = [
			async () => await page.keyboard.press('Enter'),
			async () => await page.keyboard.press('Tab'),
			async () => await element('output-panel').click(),
		];
		for (const [place, title] of titles.entries()) {
			await editor().type('value', title);
			await ways[place]?.();
			await savedValue(workflow, title);
			expect(await execute(title)).toContain('1 item');
		}

		await editor().choose('cardId', 'Notes');
		const shown = element('resource-locator-value').locator('input').last();
		expect(await shown.inputValue()).toBe('Call Ada');
		expect(await execute("has no field 'Title'")).toContain("Card 'Notes'");
		await savedValue(workflow, 'Call Ada');
	});
}
