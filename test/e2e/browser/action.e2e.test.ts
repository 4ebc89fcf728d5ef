/** The action node as a person uses it: in n8n's editor, in a real browser. */
import { until } from '../../host/deadline.ts';
import { readExamples, withCredentials } from '../../host/examples.ts';
import type { JsonObject, SavedWorkflow } from '../../host/n8nClient.ts';
import { byId, chain, codeItems, manualTrigger, mapEach } from '../../host/workflowBuilder.ts';
import { useBench } from '../support/bench.ts';
import type { TestCard } from '../support/serviceApi.ts';
import { major } from '../support/settings.ts';
import { openEditor, type Editor } from './editor.ts';

const isObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A card as it is chosen from the list. */
const fromList = ({ id, name }: TestCard): JsonObject => ({
	__rl: true,
	mode: 'list',
	value: id,
	cachedResultName: name,
});

describe(`editor of n8n ${major}`, () => {
	const bench = useBench(major, { N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'true' });
	let editor: Editor;

	beforeAll(async () => {
		editor = await openEditor(bench().client);
	}, 300_000);
	afterAll(async () => await editor?.close());

	const panel = () => editor.element('node-parameters');

	const book = async (name: string): Promise<TestCard> =>
		await bench().api.createCard(name, [
			['Title', 'text'],
			['Price', 'number'],
			['Status', 'single_select', ['Open', 'Done']],
		]);

	/** Stores a workflow with one of our nodes and opens that node. */
	async function openAction(parameters: JsonObject): Promise<SavedWorkflow> {
		const { client, action } = bench();
		const workflow = await client.createWorkflow(
			chain('In the editor', [manualTrigger(), action('Books', parameters)]),
		);
		await editor.openWorkflow(workflow.id);
		await editor.openNode('Books');
		return workflow;
	}

	/** The node's parameters once the editor has saved what is waited for. */
	async function savedParameters(
		workflow: SavedWorkflow,
		isThere: (parameters: JsonObject) => boolean,
	): Promise<JsonObject> {
		return await until('the editor to save the parameters', async () => {
			await editor.save();
			const { nodes } = await bench().client.workflow(workflow.id);
			const parameters = nodes.find(({ name }) => name === 'Books')?.parameters;
			return parameters && isThere(parameters) ? parameters : undefined;
		});
	}

	/** The mapper's value once the editor has saved it. */
	async function savedColumns(
		workflow: SavedWorkflow,
		isThere: (columns: JsonObject) => boolean,
	): Promise<JsonObject> {
		const { columns } = await savedParameters(
			workflow,
			(parameters) => isObject(parameters.columns) && isThere(parameters.columns),
		);
		return columns as JsonObject;
	}

	/** A card with a record whose boolean is true, to see whether anything overwrites it. */
	async function tasks(name: string): Promise<TestCard> {
		const card = await bench().api.createCard(name, [
			['Title', 'text'],
			['Done', 'boolean'],
			['Tags', 'multi_select', ['urgent', 'eu', 'Red, white']],
			['Status', 'single_select', ['Open', 'Closed']],
			['Due', 'date'],
		]);
		const values = { Title: 'Old', Done: true, Tags: ['eu'], Status: 'Open', Due: '2026-03-01' };
		await bench().api.createRecord(card, values);
		return card;
	}

	/** Runs the node that is open and waits for its output to hold a text. */
	async function execute(text: string): Promise<string> {
		await editor.element('node-execute-button').click();
		const output = editor.element('output-panel');
		await output.getByText(text).first().waitFor();
		return await output.innerText();
	}

	/** The mapper's schema by field id. */
	const entryFor = (columns: JsonObject, fieldId: string | undefined) =>
		(columns.schema as JsonObject[] | undefined)?.find((entry) => entry.fieldId === fieldId);

	test('a card is chosen by search, the mapper shows field names, and the run returns names', async () => {
		for (let n = 1; n <= 5; n += 1) await bench().api.createCard(`Shelf ${n}`);
		const card = await book('Books to pick');
		const workflow = await openAction({ resource: 'record', operation: 'create' });
		await editor.choose('cardId', card.name);
		await editor.element('parameter-input-Title').waitFor();
		await editor.fillColumn('Title', 'Moby Dick');
		await editor.fillColumn('Price', '12.5');
		await savedColumns(workflow, ({ value }) => (value as JsonObject | null)?.Price === 12.5);
		await editor.picture('mapper', panel());
		await editor.element('node-execute-button').click();
		const output = editor.element('output-panel');
		await output.getByText('Moby Dick').first().waitFor();
		expect(await output.innerText()).toMatch(/Title[\s\S]*Price/);
		await editor.picture('output', editor.element('output-panel'), 180);
		const [record] = await bench().api.records(card);
		expect(record?.fields).toEqual(expect.objectContaining({ Title: 'Moby Dick', Price: 12.5 }));
	});

	test('the mapping is kept when columns are refreshed after a rename, and after all ids changed', async () => {
		const { api, control } = bench();
		const card = await book('Books to rename');
		const workflow = await openAction({ resource: 'record', operation: 'create' });
		await editor.choose('cardId', card.name);
		await editor.element('parameter-input-Price').waitFor();
		await editor.fillColumn('Title', 'Emma');
		await editor.fillColumn('Price', '7');
		await savedColumns(workflow, ({ value }) => (value as JsonObject | null)?.Price === 7);

		await editor.picture('renamed-before', panel());
		await control.renameField({ cardId: card.id, fieldId: card.fields.Price ?? '', name: 'Cost' });
		await editor.refreshColumns();
		const renamed = await savedColumns(
			workflow,
			(columns) => entryFor(columns, card.fields.Price)?.displayName === 'Cost',
		);
		expect(renamed.value).toEqual(expect.objectContaining({ Title: 'Emma', Price: 7 }));

		const rotated = (await control.rotateFieldIds({ cardId: card.id })) as Record<string, string>;
		const costId = rotated[card.fields.Price ?? ''];
		await editor.refreshColumns();
		const refreshed = await savedColumns(
			workflow,
			(columns) => entryFor(columns, costId)?.displayName === 'Cost',
		);
		expect(refreshed.value).toEqual(expect.objectContaining({ Title: 'Emma', Price: 7 }));
		await editor.picture('renamed-after', panel());

		await editor.element('node-execute-button').click();
		await editor.element('output-panel').getByText('Emma').first().waitFor();
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
		await editor.openWorkflow(workflow.id);
		await editor.openNode('Books');
		await editor.element('node-execute-button').click();
		const output = editor.element('output-panel');
		await output.getByText("Field 'Status' cannot hold").first().waitFor();
		const shown = await output.innerText();
		expect(shown).toContain("Allowed values are 'Open', 'Done'");
		expect(shown).toContain('[item 1]');
		await editor.picture('failing-item', output, 300);
	});

	test('the service shows the records that a workflow wrote', async () => {
		const { client, action, service } = bench();
		const card = await book('Books to look at');
		const rows = [
			{ title: 'Emma', price: 7 },
			{ title: 'Moby Dick', price: 12.5 },
		];
		const workflow = await client.createWorkflow(
			chain('Writes what the page shows', [
				manualTrigger(),
				codeItems('Rows', rows),
				action('Books', {
					resource: 'record',
					operation: 'create',
					cardId: byId(card.id),
					columns: mapEach({ Title: '={{ $json.title }}', Price: '={{ $json.price }}' }),
				}),
			]),
		);
		await editor.openWorkflow(workflow.id);
		await editor.openNode('Books');
		await execute('Moby Dick');

		const { page } = editor;
		await page.goto(`${service.settingsUrl}/records`);
		await page.getByLabel('Password').fill(service.settingsPassword);
		await page.getByRole('button', { name: 'Sign in' }).click();
		await page.goto(`${service.settingsUrl}/records`);
		await page.getByRole('link', { name: card.name }).click();
		const records = page.locator('table').first();
		await records.getByText('Moby Dick').waitFor();
		expect(await records.innerText()).toMatch(/Emma\s+7\b/);
		expect(await records.innerText()).toMatch(/Moby Dick\s+12\.5\b/);
		await page.setViewportSize({ width: 1100, height: 960 });
		await editor.picture('records-page', page.locator('body'), 940);
		await page.setViewportSize({ width: 1440, height: 900 });
	});

	test('E3: a new node asks for a card and shows nothing red', async () => {
		await openAction({ resource: 'record', operation: 'create' });
		await panel().getByText('Choose a card to see its fields.').waitFor();
		expect(await panel().innerText()).not.toMatch(/No fields found|Retry/);
	});

	test('E1: an untouched boolean is not sent: from Create, switched to Update, and when added later', async () => {
		const { api } = bench();
		const card = await tasks('Tasks to update');
		const workflow = await openAction({ resource: 'record', operation: 'create' });
		await editor.choose('cardId', card.name);
		await editor.element('parameter-input-Title').waitFor();
		await editor.fillColumn('Title', 'New');
		const created = await savedColumns(
			workflow,
			({ value }) => isObject(value) && 'Title' in value,
		);
		expect(created.value).toEqual({ Title: 'New' });

		await editor.select('operation', 'Update');
		await savedParameters(workflow, ({ operation }) => operation === 'update');
		await editor.choose('recordId', 'Old');
		const later = (await api.call<{ id: string }>('POST', `/cards/${card.id}/fields`, {
			name: 'Later',
			type: 'boolean',
		})) as { id: string };
		await editor.refreshColumns();
		const columns = await savedColumns(
			workflow,
			(saved) => entryFor(saved, later.id) !== undefined,
		);
		expect(columns.value).toEqual({ Title: 'New' });
		await editor.element('parameter-input-Later').waitFor();
		await execute('New');
		expect((await api.records(card))[0]?.fields).toMatchObject({ Title: 'New', Done: true });

		expect(await editor.select('Done', 'False')).toEqual(['True', 'False', 'Clear']);
		await savedColumns(workflow, ({ value }) => (value as JsonObject | null)?.Done === false);
		await execute('false');
		expect((await api.records(card))[0]?.fields).toMatchObject({ Title: 'New', Done: false });
	});

	test('Update offers all fields, sends only what was entered, and Clear empties a field (M5, M7)', async () => {
		const { api } = bench();
		const card = await tasks('Tasks to clear');
		const other = await api.createCard('Contacts', [
			['Name', 'text'],
			['Active', 'boolean'],
		]);
		const workflow = await openAction({ resource: 'record', operation: 'update' });
		await editor.choose('cardId', other.name);
		await editor.element('parameter-input-Active').waitFor();
		await editor.choose('cardId', card.name);
		for (const name of ['Title', 'Done', 'Tags', 'Status', 'Due']) {
			await editor.element(`parameter-input-${name}`).waitFor();
		}
		await editor.choose('recordId', 'Old');
		await editor.fillColumn('Title', 'Changed');
		await editor.select('Status', 'Clear');
		const { value } = await savedColumns(
			workflow,
			(columns) => isObject(columns.value) && 'Status' in columns.value && 'Title' in columns.value,
		);
		expect(value).toEqual({ Title: 'Changed', Status: '={{ null }}' });
		await editor.picture('clear-field', panel());
		await execute('Changed');
		const [record] = await api.records(card);
		expect(record?.fields).toMatchObject({ Title: 'Changed', Done: true, Tags: ['eu'] });
		expect(record?.fields.Status ?? null).toBeNull();
	});

	test('a JSON field shows nothing red before anything is entered (M4)', async () => {
		const card = await bench().api.createCard('Settings', [
			['Name', 'text'],
			['Layout', 'json'],
		]);
		await openAction({ resource: 'record', operation: 'create' });
		await editor.choose('cardId', card.name);
		await editor.element('parameter-input-Layout').waitFor();
		expect(await panel().locator('[data-test-id="parameter-issues"]').count()).toBe(0);
	});

	test('a chosen card has a link to its page', async () => {
		const { service } = bench();
		const card = await tasks('Tasks with a page');
		await openAction({ resource: 'record', operation: 'getAll' });
		await editor.choose('cardId', card.name);
		const link = editor.element('rlc-open-resource-link').first();
		await link.waitFor({ state: 'attached' });
		const opened = editor.page.context().waitForEvent('page');
		await editor.element('resource-locator-cardId').hover();
		await link.click();
		const page = await opened;
		expect(page.url()).toContain(`${new URL(service.settingsUrl).origin}/`);
		await page.close();
	});

	test('E1: a mapping of 0.1.0 with a toggle and a list keeps its values when opened and run', async () => {
		const card = await tasks('Tasks of 0.1.0');
		const entry = (name: string, type: string): JsonObject => ({
			id: name,
			displayName: name,
			fieldId: card.fields[name],
			type,
			required: false,
			defaultMatch: false,
			canBeUsedToMatch: true,
			display: true,
			removed: false,
		});
		const value = { Title: 'Kept', Done: true, Tags: '["eu","urgent"]' };
		const workflow = await openAction({
			resource: 'record',
			operation: 'create',
			cardId: fromList(card),
			columns: {
				mappingMode: 'defineBelow',
				value,
				matchingColumns: [],
				schema: [entry('Title', 'string'), entry('Done', 'boolean'), entry('Tags', 'array')],
			},
		});
		// n8n 1 leaves it to the person to refresh an old field list.
		if (major === 1) await editor.refreshColumns();
		const columns = await savedColumns(
			workflow,
			(saved) => entryFor(saved, card.fields.Done)?.type === 'options',
		);
		expect(columns.value).toEqual(value);
		const shown = editor.element('parameter-input-Done').locator('input').first();
		expect(await shown.inputValue()).toBe('True');
		await execute('Kept');
		const created = (await bench().api.records(card)).find(({ fields }) => fields.Title === 'Kept');
		expect(created?.fields).toMatchObject({ Done: true, Tags: ['eu', 'urgent'] });
	});

	test('several choices are entered as a text, or as an expression with a list (E2, M6)', async () => {
		const card = await tasks('Tasks with tags');
		const workflow = await openAction({ resource: 'record', operation: 'create' });
		await editor.choose('cardId', card.name);
		await panel().getByText('Tags (comma-separated: urgent, eu, "Red, white")').waitFor();
		await editor.fillColumn('Title', 'Typed');
		await editor.fillColumn('Tags', 'urgent, Red, white');
		await savedColumns(
			workflow,
			({ value }) => (value as JsonObject | null)?.Tags === 'urgent, Red, white',
		);
		await execute('Typed');
		await openAction({
			resource: 'record',
			operation: 'create',
			cardId: fromList(card),
			columns: mapEach({ Title: 'Computed', Tags: '={{ ["eu", "Red, white"] }}' }),
		});
		await panel().getByText('Tags (comma-separated: urgent, eu, "Red, white")').waitFor();
		await execute('Computed');
		const records = await bench().api.records(card);
		const tagsOf = (title: string) => records.find(({ fields }) => fields.Title === title)?.fields;
		expect(tagsOf('Typed')?.Tags).toEqual(['urgent', 'Red, white']);
		expect(tagsOf('Computed')?.Tags).toEqual(['eu', 'Red, white']);
	});

	test('E8: a condition offers what suits its field, and the notice appears with the first one', async () => {
		const card = await tasks('Tasks to filter');
		const workflow = await openAction({
			resource: 'record',
			operation: 'getAll',
			cardId: fromList(card),
		});
		const notice = editor.page.getByText('The service cannot filter');
		await editor.element('parameter-input-returnAll').waitFor();
		expect(await notice.count()).toBe(0);
		await editor.page.getByText('Add Condition').first().click();
		await notice.waitFor();

		await editor.select('field', 'Status');
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
		await editor.mode('value', 'From List');
		expect(await editor.listOf('value')).toEqual(['Open', 'Closed']);
		await editor.element('rlc-item').filter({ hasText: 'Closed' }).first().click();
		await savedParameters(workflow, (parameters) =>
			JSON.stringify(parameters).includes('"Closed"'),
		);
		expect(await execute('Old')).toContain('1 item');

		await editor.select('field', 'Due');
		expect(await editor.select('condition', 'Is Before')).toEqual([
			'Does Not Equal',
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
		]);
		// n8n shows the chosen value until the list has come.
		await editor.listOf('value');
		await editor.element('rlc-item').filter({ hasText: 'Yesterday' }).first().waitFor();
		await editor.element('rlc-item').filter({ hasText: 'Today' }).first().click();
		const { filters } = await savedParameters(workflow, (parameters) =>
			JSON.stringify(parameters).includes('$today'),
		);
		expect(filters).toMatchObject({ conditions: [{ field: 'Due', condition: 'lessThan' }] });
		await editor.picture('filters', panel());
		expect(await execute('Old')).toContain('1 item');
	});

	test('Sort offers the fields of the card, and the records come in that order', async () => {
		const card = await tasks('Tasks to sort');
		await bench().api.createRecord(card, { Title: 'Another' });
		const workflow = await openAction({
			resource: 'record',
			operation: 'getAll',
			cardId: fromList(card),
			returnAll: false,
			limit: 1,
		});
		await editor.page.getByText('Add Field').first().click();
		const offered = await editor.select('field', 'Title');
		expect(offered).toEqual(expect.arrayContaining(['Title', 'Status', 'Due', 'ID (Record)']));
		expect(await editor.select('direction', 'Descending')).toEqual(['Ascending', 'Descending']);
		const { sort } = await savedParameters(workflow, (parameters) =>
			JSON.stringify(parameters).includes('desc'),
		);
		expect(sort).toEqual({ by: [{ field: 'Title', direction: 'desc' }] });
		expect(await execute('Old')).toContain('1 item');
	});

	test('E8: conditions of 0.1.0, whose value is a plain text, are shown and run', async () => {
		const card = await tasks('Filters of 0.1.0');
		const conditions = [
			{ field: 'Status', condition: 'equals', value: 'Open' },
			{ field: 'Status', condition: 'greaterThan', value: 'A' },
		];
		const workflow = await openAction({
			resource: 'record',
			operation: 'getAll',
			cardId: fromList(card),
			returnAll: true,
			filters: { conditions },
		});
		const input = '[data-test-id="rlc-input"]';
		const values = editor
			.element('resource-locator-value')
			.locator(`${input} input, input${input}`);
		const texts = [await values.first().inputValue(), await values.last().inputValue()];
		expect(texts).toEqual(['Open', 'A']);
		const second = editor.element('parameter-input-condition').nth(1).locator('input').first();
		await until('the saved condition', async () =>
			(await second.inputValue()) === 'Greater Than' ? true : undefined,
		);
		expect(await execute('Old')).toContain('1 item');
		const saved = await savedParameters(workflow, ({ filters }) => filters !== undefined);
		expect(JSON.stringify(saved.filters)).toContain('"value":"Open"');
	});

	test('E12: the tool of the example shows the description of each value for the model', async () => {
		const { client, credentials } = bench();
		await tasks('Tasks');
		const examples = await readExamples();
		const example = examples.find(({ file }) => file === 'agent-reads-and-writes-a-card.json');
		if (!example) throw new Error('The example is missing');
		const workflow = await client.createWorkflow(withCredentials(example, credentials));
		await editor.openWorkflow(workflow.id);
		await editor.openNode('Change a task');
		for (const sentence of [
			'The id of the task, as Find tasks gave it',
			'Whether the task is done: true or false',
			'All tags of the task, separated by commas',
		]) {
			await panel().getByText(sentence).first().waitFor();
		}
		await editor.picture('ai-tool', panel());
	});
});
