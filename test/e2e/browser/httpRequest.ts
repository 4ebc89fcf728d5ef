/** What the nodes do not offer: n8n's HTTP Request node with one of our credentials. */
import { credentialNames } from '../../host/credentials.ts';
import type { Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testHttpRequest({ bench, editor, execute }: Stage): void {
	test('HTTP Request lists both credentials when one searches "workspace", and a request with one of them succeeds', async () => {
		const { api, service } = bench();
		const { element, page } = editor();
		await api.createCard('Seen by HTTP Request', []);
		await editor().openNewWorkflow();
		await editor().addNode('', 'Trigger manually');
		await editor().addNode('HTTP Request', 'HTTP Request');
		const url = `${service.baseUrl}/workspaces/${service.workspaceId}/cards`;
		await element('parameter-input-url').locator('input, textarea, .cm-content').first().fill(url);
		await editor().select('authentication', 'Predefined Credential Type');
		const types = page.locator('[data-test-id="credential-select"], .credential-select').first();
		await types.click();
		await types.locator('input').first().fill('workspace');
		const offered = page.locator('.el-select-dropdown__item:visible');
		await offered.filter({ hasText: 'Workspace Data API' }).first().waitFor();
		const names = (await offered.allInnerTexts()).map((text) => text.trim());
		expect(names.filter((name) => name.startsWith('Workspace Data'))).toEqual([
			'Workspace Data API',
			'Workspace Data Service Account API',
		]);
		await offered.filter({ hasText: 'Workspace Data API' }).first().click();
		await editor().chooseCredential(credentialNames.workspaceDataApi);
		expect(await execute('Seen by HTTP Request')).toContain('1 item');
	});
}
