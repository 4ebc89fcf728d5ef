/** Credentials entered by hand. */
import type { Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testCredentials({ bench, editor }: Stage): void {
	/** Creates a credential by hand; n8n tests it when it is saved. */
	async function createCredential(type: string, values: Record<string, string>): Promise<void> {
		const { page, element } = editor();
		await page.goto(`${bench().client.baseUrl}/home/credentials/create`);
		const select = element('new-credential-type-select');
		await select.click();
		await select.locator('input').first().fill(type);
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
		await editor().page.getByText('Connection tested successfully').waitFor();
		const dialog = editor()
			.page.locator('[role="dialog"], .el-dialog')
			.filter({ has: editor().element('credential-edit-dialog') });
		await editor().picture('credential', dialog.last());
		await createCredential('Workspace Data Service Account API', {
			...address,
			authUrl: service.authUrl,
			realm: service.realm,
			clientId: service.clientId,
			clientSecret: service.clientSecret,
		});
		await editor().page.getByText('Connection tested successfully').waitFor();
	});
}
