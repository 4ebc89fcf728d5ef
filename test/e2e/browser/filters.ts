/** Filter conditions as a person enters them: typed, confirmed in each way, selected, combined, and kept when the card changes. */
import type { SavedWorkflow } from '../../host/n8nClient.ts';
import { fromList, isObject, type Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testFilters(stage: Stage): void {
	const { bench, editor, openAction, savedParameters, execute, createTasks } = stage;

	/** Waits until the editor has saved a value in the first condition. */
	async function savedValue(workflow: SavedWorkflow, value: string): Promise<void> {
		await savedParameters(workflow, ({ filters }) => {
			const conditions = isObject(filters) ? filters.conditions : undefined;
			const [first] = Array.isArray(conditions) ? conditions : [];
			return isObject(first) && isObject(first.value) && first.value.value === value;
		});
	}

	/** Selects the field of the condition, and waits until its conditions are there. */
	async function selectField(name: string): Promise<void> {
		const conditions = editor().page.waitForResponse((response) => {
			const asked = response.request().postData() ?? '';
			return asked.includes('getFilterConditions') && asked.includes(`"field":"${name}"`);
		});
		await editor().select('field', name);
		await conditions;
	}

	const addCondition = async () => await editor().page.getByText('Add Condition').first().click();

	const entry = (text: string) => editor().element('rlc-item').filter({ hasText: text }).first();

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

	test('a condition offers what suits its field: choices, days, and their own words', async () => {
		const card = await createTasks('Tasks to filter');
		const cardId = fromList(card);
		const workflow = await openAction({ resource: 'record', operation: 'getAll', cardId });
		await addCondition();
		await selectField('Status');
		expect(await editor().select('condition', 'Not Equals')).toEqual([
			...['Contains', 'Does Not Contain', 'Equals', 'Is Any Of', 'Is Empty', 'Is None Of'],
			...['Is Not Empty', 'Not Equals'],
		]);
		await editor().mode('value', 'From List');
		expect(await editor().listOf('value')).toEqual(['Open', 'Closed']);
		await entry('Closed').click();
		await savedValue(workflow, 'Closed');
		expect(await execute('Old')).toContain('1 item');

		await selectField('Due');
		await editor().select('condition', 'Is in the Last Days');
		await editor().listOf('value');
		await entry('7 Days').click();
		await savedValue(workflow, '7');
		expect(await editor().select('condition', 'Is Before')).toEqual([
			...['Equals', 'Is After', 'Is After or Equal', 'Is Any Of', 'Is Before'],
			...['Is Before or Equal', 'Is Empty', 'Is in the Last Days', 'Is in the Next Days'],
			...['Is None Of', 'Is Not Empty', 'Not Equals'],
		]);
		// n8n shows the selected value until the list has come.
		await editor().listOf('value');
		await entry('Yesterday').waitFor();
		await entry('Today').click();
		const { filters } = await savedParameters(workflow, (parameters) =>
			JSON.stringify(parameters).includes('$today'),
		);
		expect(filters).toMatchObject({ conditions: [{ field: 'Due', condition: 'lessThan' }] });
		expect(await execute('Old')).toContain('1 item');
	});
}
