/** Credentials entered by hand. */
import { until } from '../../host/deadline.ts';
import type { Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testCredentials({ bench, editor }: Stage): void {
	/** Creates a credential by hand, and gives what n8n says of its test, which it makes when it saves. */
	async function createCredential(type: string, values: Record<string, string>): Promise<string> {
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
		const said = page
			.getByText('Connection tested successfully')
			.or(page.getByText('Couldn’t connect with these settings'))
			.filter({ visible: true });
		// A value that has just been typed may not count as entered yet: then n8n asks for it, and a person saves again.
		await until(`${type} to be saved and tested`, async () => {
			const button = element('credential-save-button');
			await button.click({ timeout: 5_000 }).catch(() => undefined);
			return await said.waitFor({ timeout: 10_000 }).then(
				() => true,
				() => undefined,
			);
		});
		return await said.innerText();
	}

	test('both credentials are entered by hand, and Test says that they work', async () => {
		const { service } = bench();
		const address = { baseUrl: service.baseUrl, workspaceId: service.workspaceId };
		expect(
			await createCredential('Workspace Data API', { ...address, apiKey: service.apiKey }),
		).toContain('Connection tested successfully');
		const dialog = editor()
			.page.locator('[role="dialog"], .el-dialog')
			.filter({ has: editor().element('credential-edit-dialog') });
		await editor().picture('credential', dialog.last());
		const account = await createCredential('Workspace Data Service Account API', {
			...address,
			authUrl: service.authUrl,
			realm: service.realm,
			clientId: service.clientId,
			clientSecret: service.clientSecret,
		});
		expect(account).toContain('Connection tested successfully');
	});

	test('a wrong key is named by Test', async () => {
		const { baseUrl, workspaceId } = bench().service;
		const values = { baseUrl, workspaceId, apiKey: 'not-a-key-of-this-workspace' };
		expect(await createCredential('Workspace Data API', values)).toContain('Couldn’t connect');
		await editor().page.getByText('More details').click();
		await editor().page.getByText("Check 'API Key'").first().waitFor();
	});
}
