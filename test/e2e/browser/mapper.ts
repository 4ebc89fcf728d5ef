/** Values in the mapper as a person enters, clears and keeps them, and what the node says and shows afterwards. */
import type { JsonObject } from '../../host/n8nClient.ts';
import type { TestCard } from '../../host/serviceApi.ts';
import { isObject, type Stage } from './stage.ts';

/** The mapper's schema by field ID. */
const entryFor = (columns: JsonObject, fieldId: string | undefined) =>
	(columns.schema as JsonObject[] | undefined)?.find((entry) => entry.fieldId === fieldId);

/** @param stage the n8n and the browser */
export function testMapper(stage: Stage): void {
	const { bench, editor, openAction, savedParameters, savedColumns, execute, createTasks } = stage;

	const panel = () => editor().element('node-parameters');
	const input = (name: string) => editor().element(`parameter-input-${name}`);

	const book = async (name: string): Promise<TestCard> =>
		await bench().api.createCard(name, [
			['Title', 'text'],
			['Price', 'number'],
			['Status', 'single_select', ['Open', 'Done']],
			['Layout', 'json'],
		]);

	/** Opens Create, and selects the card from the list. */
	async function openCreate(card: TestCard) {
		const workflow = await openAction({ resource: 'record', operation: 'create' });
		await panel().getByText('Select a card to see its fields.').first().waitFor();
		expect(await panel().innerText()).not.toMatch(/No fields found|Retry/);
		await editor().choose('cardId', card.name);
		await input('Title').waitFor();
		return workflow;
	}

	test("a new node shows nothing red, and a card that doesn't exist is named in place of fields, and by the run", async () => {
		await openCreate(await book('Books to mistype'));
		expect(await panel().locator('[data-test-id="parameter-issues"]').count()).toBe(0);
		const entry = editor().element('resource-locator-cardId').locator('input').last();
		await editor().mode('cardId', 'By Name');
		await entry.fill('Boks to mistype');
		await panel().getByText("no card called 'Boks to mistype'").first().waitFor();
		await execute("The workspace has no card called 'Boks to mistype'");
	});

	test('the mapping is kept when columns are refreshed after all IDs changed, and after a rename', async () => {
		const { api, control } = bench();
		const card = await book('Books to rename');
		const workflow = await openCreate(card);
		await editor().fillColumn('Title', 'Emma');
		await editor().fillColumn('Price', '7');
		await savedColumns(workflow, ({ value }) => (value as JsonObject | null)?.Price === '7');

		const ids = (await control.rotateFieldIds({ cardId: card.id })) as Record<string, string>;
		const id = ids[card.fields.Price ?? ''] ?? '';
		const rename = async () =>
			void (await control.renameField({ cardId: card.id, fieldId: id, name: 'Cost' }));
		for (const [label, change] of [['Price'], ['Cost', rename]] as const) {
			await change?.();
			await editor().refreshColumns();
			const saved = await savedColumns(
				workflow,
				(columns) => entryFor(columns, id)?.displayName === label,
			);
			expect(saved.value).toEqual(expect.objectContaining({ Title: 'Emma', Price: '7' }));
		}
		await execute('Emma');
		expect((await api.records(await api.findCard(card.name)))[0]?.fields.Cost).toBe(7);
	});

	test('a selected card has a link to its page, which shows its records', async () => {
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
		for (const row of [/Emma\s+7\b/, /Moby Dick\s+12\.5\b/])
			expect(await records.innerText()).toMatch(row);
		await page.setViewportSize({ width: 900, height: 700 });
		await page.close();
	});

	test('only what was entered is sent: from Create, switched to Update, with a field that was added later', async () => {
		const { api } = bench();
		const card = await createTasks('Tasks to update');
		const workflow = await openCreate(card);
		await editor().fillColumn('Title', 'New');
		const hasTitle = ({ value }: JsonObject) => isObject(value) && 'Title' in value;
		expect((await savedColumns(workflow, hasTitle)).value).toEqual({ Title: 'New' });

		await editor().select('operation', 'Update');
		await savedParameters(workflow, ({ operation }) => operation === 'update');
		await editor().choose('recordId', 'Old');
		const field = { name: 'Later', type: 'boolean' };
		const later = await api.call<{ id: string }>('POST', `/cards/${card.id}/fields`, field);
		await editor().refreshColumns();
		const isThere = (saved: JsonObject) => entryFor(saved, later.id) !== undefined;
		expect((await savedColumns(workflow, isThere)).value).toEqual({ Title: 'New' });
		for (const name of ['Title', 'Price', 'Done', 'Tags', 'Status', 'Due', 'Later'])
			await input(name).waitFor();
		await execute('New');
		const kept = { Title: 'New', Price: 7, Tags: ['eu'], Due: '2026-03-01' };
		const record = async () => (await api.records(card))[0]?.fields;
		expect(await record()).toMatchObject({ ...kept, Done: true, Status: 'Open' });

		await editor().select('Done', 'False');
		await editor().select('Status', 'Empty');
		const hasStatus = ({ value }: JsonObject) => isObject(value) && 'Status' in value;
		const { value } = await savedColumns(workflow, hasStatus);
		expect(value).toEqual({ Title: 'New', Done: false, Status: '={{ null }}' });
		await execute('false');
		// A service may leave out what is empty.
		expect({ Status: null, ...(await record()) }).toMatchObject({
			...kept,
			Done: false,
			Status: null,
		});
	});
}
