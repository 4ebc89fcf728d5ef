/** Credentials entered by hand, and the nodes found in the nodes panel. */
import { chain, manualTrigger } from '../../host/workflowBuilder.ts';
import { useBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';
import { openEditor, type Editor } from './editor.ts';

describe(`credentials and nodes panel of n8n ${major}`, () => {
	const bench = useBench(major);
	let editor: Editor;

	beforeAll(async () => {
		editor = await openEditor(bench().client);
	}, 300_000);
	afterAll(async () => await editor?.close());

	/** Creates a credential by hand; n8n tests it when it is saved. */
	async function createCredential(type: string, values: Record<string, string>): Promise<void> {
		const { page, element } = editor;
		await page.goto(`${bench().client.baseUrl}/home/credentials/create`);
		const select = element('new-credential-type-select');
		await select.waitFor();
		await select.click();
		await page.keyboard.type(type);
		await element('new-credential-type-select-option')
			.filter({ hasText: new RegExp(`^\\s*${type}\\s*$`) })
			.first()
			.click();
		await element('new-credential-type-button').click();
		for (const [name, value] of Object.entries(values)) {
			await element(`parameter-input-${name}`).locator('input').fill(value);
		}
		await element('credential-save-button').click();
	}

	test('both credentials are entered by hand, and Test says that they work', async () => {
		const { service } = bench();
		const address = { baseUrl: service.baseUrl, workspaceId: service.workspaceId };
		await createCredential('Workspace Data API', { ...address, apiKey: service.apiKey });
		await editor.page.getByText('Connection tested successfully').waitFor();
		await editor.picture('credential', editor.element('credential-edit-dialog'));
		await createCredential('Workspace Data Service Account API', {
			...address,
			authUrl: service.authUrl,
			realm: service.realm,
			clientId: service.clientId,
			clientSecret: service.clientSecret,
		});
		await editor.page.getByText('Connection tested successfully').waitFor();
	});

	test('a wrong key is named by the Test button', async () => {
		const { service } = bench();
		await createCredential('Workspace Data API', {
			baseUrl: service.baseUrl,
			workspaceId: service.workspaceId,
			apiKey: 'not-a-key-of-this-workspace',
		});
		await editor.page.getByText('More details').click();
		await editor.page.getByText("Check 'API Key'").first().waitFor();
	});

	test('the nodes panel finds the nodes by the words that people type (E7, M8)', async () => {
		const { client } = bench();
		const workflow = await client.createWorkflow(chain('Empty', [manualTrigger()]));
		await editor.openWorkflow(workflow.id);
		const { element, page } = editor;
		await element('node-creator-plus-button').click();
		const ours = element('node-creator-item-name').filter({ hasText: /^\s*Workspace Data\s*$/ });
		for (const search of [
			...['table', 'tables', 'row', 'rows', 'record', 'records', 'new record'],
			...['csv', 'import', 'insert', 'crud', 'poll', 'lookup', 'find', 'create record', 'add row'],
			...['database', 'spreadsheet', 'upsert', 'Workspace Data'],
			// Words of the trigger. n8n 1 looks for triggers in their own panel only.
			...(major === 2 ? ['webhook', 'event', 'change'] : []),
		]) {
			await element('node-creator-search-bar').fill(search);
			await ours.first().waitFor();
		}
		await ours.first().click();
		await element('node-creator')
			.getByText('or start a workflow when they change')
			.first()
			.waitFor();
		await page.getByText('Create or update a record').waitFor();
		const panel = await element('node-creator').innerText();
		const groups = panel.match(/^(?:RECORD|CARD|FIELD|API DESCRIPTION) ACTIONS$/gim) ?? [];
		expect(groups.map((group) => group.toUpperCase())).toEqual([
			'RECORD ACTIONS',
			'CARD ACTIONS',
			'FIELD ACTIONS',
			'API DESCRIPTION ACTIONS',
		]);
		await editor.picture('nodes-panel', element('node-creator'));
	});
});
