/** Filter conditions as a person enters them: typed, confirmed in each way, and kept when the card changes. */
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

	/** Chooses the field of the condition, and waits until its conditions are there. */
	async function chooseField(name: string): Promise<void> {
		const conditions = editor().page.waitForResponse((response) => {
			const asked = response.request().postData() ?? '';
			return asked.includes('getFilterConditions') && asked.includes(`"field":"${name}"`);
		});
		await editor().select('field', name);
		await conditions;
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
		const ways: Array<[title: string, confirm: () => Promise<void>]> = [
			['Water the plants', async () => await page.keyboard.press('Enter')],
			['Book the train', async () => await page.keyboard.press('Tab')],
			['Call Ada', async () => await element('output-panel').click()],
		];
		for (const [title, confirm] of ways) {
			await editor().type('value', title);
			await confirm();
			await savedValue(workflow, title);
			expect(await execute(title)).toContain('1 item');
		}

		await editor().choose('cardId', 'Notes');
		const shown = element('resource-locator-value').locator('input').last();
		expect(await shown.inputValue()).toBe('Call Ada');
		expect(await execute("has no field 'Title'")).toContain("Card 'Notes'");
		await savedValue(workflow, 'Call Ada');
	});

	test('a condition offers what suits its field, and the notice appears with the first one', async () => {
		const card = await createTasks('Tasks to filter');
		const workflow = await openAction({
			resource: 'record',
			operation: 'getAll',
			cardId: fromList(card),
		});
		const notice = editor().page.getByText("The service can't filter");
		await editor().element('parameter-input-returnAll').waitFor();
		expect(await notice.count()).toBe(0);
		await addCondition();
		await notice.waitFor();

		await chooseField('Status');
		expect(await editor().select('condition', 'Not Equals')).toEqual([
			...['Contains', 'Does Not Contain', 'Equals', 'Is Any Of', 'Is Empty', 'Is None Of'],
			...['Is Not Empty', 'Not Equals'],
		]);
		await editor().mode('value', 'From List');
		expect(await editor().listOf('value')).toEqual(['Open', 'Closed']);
		await editor().element('rlc-item').filter({ hasText: 'Closed' }).first().click();
		await savedParameters(workflow, (parameters) =>
			JSON.stringify(parameters).includes('"Closed"'),
		);
		expect(await execute('Old')).toContain('1 item');

		await chooseField('Due');
		await editor().select('condition', 'Is in the Last Days');
		await editor().listOf('value');
		await editor().element('rlc-item').filter({ hasText: '7 Days' }).first().click();
		await savedParameters(workflow, (parameters) => JSON.stringify(parameters).includes('"7"'));
		expect(await editor().select('condition', 'Is Before')).toEqual([
			'Equals',
			'Is After',
			'Is After or Equal',
			'Is Any Of',
			'Is Before',
			'Is Before or Equal',
			'Is Empty',
			'Is in the Last Days',
			'Is in the Next Days',
			'Is None Of',
			'Is Not Empty',
			'Not Equals',
		]);
		// n8n shows the chosen value until the list has come.
		await editor().listOf('value');
		await editor().element('rlc-item').filter({ hasText: 'Yesterday' }).first().waitFor();
		await editor().element('rlc-item').filter({ hasText: 'Today' }).first().click();
		const { filters } = await savedParameters(workflow, (parameters) =>
			JSON.stringify(parameters).includes('$today'),
		);
		expect(filters).toMatchObject({ conditions: [{ field: 'Due', condition: 'lessThan' }] });
		expect(await execute('Old')).toContain('1 item');
	});

	test('two conditions are combined by Must Match, which comes with the second one', async () => {
		const card = await createTasks('Tasks to combine');
		for (const Title of ['Another', 'Third']) await bench().api.createRecord(card, { Title });
		const value = { __rl: true, mode: 'value', value: 'Old' };
		await openAction({
			...{ resource: 'record', operation: 'getAll', cardId: fromList(card) },
			filters: { conditions: [{ field: 'Title', condition: 'equals', value }] },
		});
		const mustMatch = editor().element('parameter-input-matchType');
		const notice = editor().page.getByText("The service can't filter");
		await notice.waitFor();
		expect(await mustMatch.count()).toBe(0);
		await addCondition();
		await mustMatch.waitFor();
		expect(await notice.count()).toBe(1);
		await editor().select('matchType', 'Any Condition');
		await editor().select('field', 'Title', 1);
		await editor().select('condition', 'Is Not Empty', 1);
		expect(await execute('Third')).toContain('3 items');
	});

	test('Sort offers the fields of the card, the records come in that order, one column for each field', async () => {
		const card = await createTasks('Tasks to sort');
		await bench().api.createRecord(card, { Title: 'Another' });
		const workflow = await openAction({
			resource: 'record',
			operation: 'getAll',
			cardId: fromList(card),
			limit: 1,
		});
		await editor().page.getByText('Add Field').first().click();
		// n8n calls the input of Search by this name, too.
		const offered = await editor().select('field', 'Title', 1);
		expect(offered).toEqual(
			expect.arrayContaining([
				'Title (Text)',
				'Status (Single Select)',
				'Due (Date)',
				'ID (Record)',
			]),
		);
		expect(await editor().select('direction', 'Descending')).toEqual(['Ascending', 'Descending']);
		const { sort } = await savedParameters(workflow, (parameters) =>
			JSON.stringify(parameters).includes('desc'),
		);
		expect(sort).toEqual({ by: [{ field: 'Title', direction: 'desc' }] });
		expect(await execute('Old')).toContain('1 item');
		const columns = await editor().element('output-panel').locator('th').allInnerTexts();
		expect(columns.map((column) => column.trim()).filter(Boolean)).toEqual([
			...['Title', 'Done', 'Tags', 'Status', 'Due', 'id', 'created_at'],
		]);
	});
}
