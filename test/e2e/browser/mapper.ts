/** Values in the mapper as a person enters, clears and keeps them, and what the node says and shows afterwards. */
import type { JsonObject } from '../../host/n8nClient.ts';
import { byId, chain, codeItems, manualTrigger, mapEach } from '../../host/workflowBuilder.ts';
import type { TestCard } from '../../host/serviceApi.ts';
import { fromList, isObject, type Stage } from './stage.ts';

/** The mapper's schema by field id. */
const entryFor = (columns: JsonObject, fieldId: string | undefined) =>
	(columns.schema as JsonObject[] | undefined)?.find((entry) => entry.fieldId === fieldId);

/** @param stage the n8n and the browser */
export function testMapper(stage: Stage): void {
	const { bench, editor, openAction, savedParameters, savedColumns, execute, createTasks } = stage;

	const panel = () => editor().element('node-parameters');

	const book = async (name: string): Promise<TestCard> =>
		await bench().api.createCard(name, [
			['Title', 'text'],
			['Price', 'number'],
			['Status', 'single_select', ['Open', 'Done']],
		]);

	test('a new node shows nothing red: without a card, and with a JSON field', async () => {
		const card = await bench().api.createCard('Settings', [
			['Name', 'text'],
			['Layout', 'json'],
		]);
		await openAction({ resource: 'record', operation: 'create' });
		await panel().getByText('Select a card to see its fields.').first().waitFor();
		expect(await panel().innerText()).not.toMatch(/No fields found|Retry/);
		await editor().choose('cardId', card.name);
		await editor().element('parameter-input-Layout').waitFor();
		expect(await panel().locator('[data-test-id="parameter-issues"]').count()).toBe(0);
	});

	test("a card that doesn't exist is named in place of fields, and by the run", async () => {
		const card = await book('Books to mistype');
		await openAction({ resource: 'record', operation: 'create' });
		await editor().choose('cardId', card.name);
		await editor().element('parameter-input-Price').waitFor();

		const entry = editor().element('resource-locator-cardId').locator('input').last();
		await editor().mode('cardId', 'By Name');
		await entry.fill('Boks to mistype');
		await panel().getByText("Did you mean 'Books to mistype'?").waitFor();
		await execute("The workspace has no card called 'Boks to mistype'");
	});

	test('the mapping is kept when columns are refreshed after a rename, and after all ids changed', async () => {
		const { api, control } = bench();
		const card = await book('Books to rename');
		const workflow = await openAction({ resource: 'record', operation: 'create' });
		await editor().choose('cardId', card.name);
		await editor().element('parameter-input-Price').waitFor();
		await editor().fillColumn('Title', 'Emma');
		await editor().fillColumn('Price', '7');
		await savedColumns(workflow, ({ value }) => (value as JsonObject | null)?.Price === '7');

		await control.renameField({ cardId: card.id, fieldId: card.fields.Price ?? '', name: 'Cost' });
		await editor().refreshColumns();
		const renamed = await savedColumns(
			workflow,
			(columns) => entryFor(columns, card.fields.Price)?.displayName === 'Cost',
		);
		expect(renamed.value).toEqual(expect.objectContaining({ Title: 'Emma', Price: '7' }));

		const rotated = (await control.rotateFieldIds({ cardId: card.id })) as Record<string, string>;
		const costId = rotated[card.fields.Price ?? ''];
		await editor().refreshColumns();
		const refreshed = await savedColumns(
			workflow,
			(columns) => entryFor(columns, costId)?.displayName === 'Cost',
		);
		expect(refreshed.value).toEqual(expect.objectContaining({ Title: 'Emma', Price: '7' }));

		await editor().element('node-execute-button').click();
		await editor().element('output-panel').getByText('Emma').first().waitFor();
		const { records } = await api.call<{ records: Array<{ data: JsonObject }> }>(
			'GET',
			`/cards/${card.id}/records`,
		);
		expect(records[0]?.data[costId ?? '']).toBe(7);
	});

	test('a failing item shows the field and its allowed values', async () => {
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
		await editor().openWorkflow(workflow.id);
		await editor().openNode('Books');
		await editor().element('node-execute-button').click();
		const output = editor().element('output-panel');
		await output.getByText("Field 'Status' can't hold").first().waitFor();
		await output.getByText("Allowed values are 'Open', 'Done'").first().waitFor();
		await output.getByText('[item 1]').first().waitFor();
		await editor().picture('failing-item', output.locator('.node-error-view__header'));
	});

	test('a chosen card has a link to its page, which shows its records', async () => {
		const { api, service } = bench();
		const card = await book('Books to look at');
		await api.createRecord(card, { Title: 'Emma', Price: 7 });
		await api.createRecord(card, { Title: 'Moby Dick', Price: 12.5 });
		await openAction({ resource: 'record', operation: 'getAll' });
		await editor().choose('cardId', card.name);
		const link = editor().element('rlc-open-resource-link').first();
		await link.waitFor({ state: 'attached' });
		const opened = editor().page.context().waitForEvent('page');
		await editor().element('resource-locator-cardId').hover();
		await link.click();
		const page = await opened;
		const address = page.url();
		expect(address).toContain(`${new URL(service.settingsUrl).origin}/`);
		await page.getByLabel('Password').fill(service.settingsPassword);
		await page.getByRole('button', { name: 'Sign in' }).click();
		await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
		await page.goto(address);
		const records = page.locator('table').first();
		await records.getByText('Moby Dick').waitFor();
		expect(await records.innerText()).toMatch(/Emma\s+7\b/);
		expect(await records.innerText()).toMatch(/Moby Dick\s+12\.5\b/);
		await page.setViewportSize({ width: 900, height: 700 });
		await editor().picture('records-page', page.locator('body'));
		await page.close();
	});

	test('a node that is opened and run sends no number that nobody entered', async () => {
		const { api } = bench();
		const card = await book('Books to open');
		const id = await api.createRecord(card, { Title: 'Old', Price: 7 });
		await openAction({
			resource: 'record',
			operation: 'update',
			cardId: fromList(card),
			recordId: byId(id),
			columns: mapEach({ Title: 'New' }),
		});
		await editor().element('parameter-input-Price').waitFor();
		await execute('New');
		expect((await api.records(card))[0]?.fields).toMatchObject({ Title: 'New', Price: 7 });
	});

	test("an untouched boolean isn't sent: from Create, switched to Update, and when added later", async () => {
		const { api } = bench();
		const card = await createTasks('Tasks to update');
		const workflow = await openAction({ resource: 'record', operation: 'create' });
		await editor().choose('cardId', card.name);
		await editor().element('parameter-input-Title').waitFor();
		await editor().fillColumn('Title', 'New');
		const created = await savedColumns(
			workflow,
			({ value }) => isObject(value) && 'Title' in value,
		);
		expect(created.value).toEqual({ Title: 'New' });

		await editor().select('operation', 'Update');
		await savedParameters(workflow, ({ operation }) => operation === 'update');
		await editor().choose('recordId', 'Old');
		const later = (await api.call<{ id: string }>('POST', `/cards/${card.id}/fields`, {
			name: 'Later',
			type: 'boolean',
		})) as { id: string };
		await editor().refreshColumns();
		const columns = await savedColumns(
			workflow,
			(saved) => entryFor(saved, later.id) !== undefined,
		);
		expect(columns.value).toEqual({ Title: 'New' });
		await editor().element('parameter-input-Later').waitFor();
		await execute('New');
		expect((await api.records(card))[0]?.fields).toMatchObject({ Title: 'New', Done: true });

		expect(await editor().select('Done', 'False')).toEqual(['True', 'False', 'Empty']);
		await savedColumns(workflow, ({ value }) => (value as JsonObject | null)?.Done === false);
		await execute('false');
		expect((await api.records(card))[0]?.fields).toMatchObject({ Title: 'New', Done: false });
	});

	test('Update offers all fields, sends only what was entered, and Empty clears a field', async () => {
		const { api } = bench();
		const card = await createTasks('Tasks to clear');
		const other = await api.createCard('Contacts', [
			['Name', 'text'],
			['Active', 'boolean'],
		]);
		const workflow = await openAction({ resource: 'record', operation: 'update' });
		await editor().choose('cardId', other.name);
		await editor().element('parameter-input-Active').waitFor();
		await editor().choose('cardId', card.name);
		for (const name of ['Title', 'Done', 'Tags', 'Status', 'Due']) {
			await editor().element(`parameter-input-${name}`).waitFor();
		}
		await editor().choose('recordId', 'Old');
		await editor().fillColumn('Title', 'Changed');
		await editor().select('Status', 'Empty');
		const { value } = await savedColumns(
			workflow,
			(columns) => isObject(columns.value) && 'Status' in columns.value && 'Title' in columns.value,
		);
		expect(value).toEqual({ Title: 'Changed', Status: '={{ null }}' });
		await editor().picture('clear-field', panel());
		await execute('Changed');
		const [record] = await api.records(card);
		expect(record?.fields).toMatchObject({ Title: 'Changed', Done: true, Tags: ['eu'] });
		expect(record?.fields.Status ?? null).toBeNull();
	});
}
