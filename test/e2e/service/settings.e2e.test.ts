/** The copy buttons of the reference service's settings page, the only thing there that needs a browser. */
import { chromium } from 'playwright-core';
import { startService } from '../../../service/index.ts';
import { chromiumPath } from '../../host/chromium.ts';

test('the values for a credential in n8n are copied by a click; without scripts there is no button', async () => {
	const service = await startService();
	const browser = await chromium.launch({
		executablePath: chromiumPath(),
		args: ['--no-sandbox'],
		timeout: 120_000,
	});
	/** Objections of the browser itself, for example a breach of the Content-Security-Policy. */
	const complaints: string[] = [];
	/** Signs in, in a separate window. @param javaScriptEnabled whether scripts run */
	async function open(javaScriptEnabled: boolean) {
		const permissions = ['clipboard-read', 'clipboard-write'];
		const context = await browser.newContext({ javaScriptEnabled, permissions });
		const page = await context.newPage();
		page.on('console', (message) => {
			if (message.type() === 'error') complaints.push(message.text());
		});
		await page.goto(service.settingsUrl);
		await page.getByLabel('Password').fill(service.settingsPassword);
		await page.getByRole('button', { name: 'Sign in' }).click();
		const values = page.locator('section[aria-labelledby="n8n"]');
		await values.waitFor();
		return { page, values };
	}
	try {
		const plain = await open(false);
		expect(await plain.values.textContent()).toContain(service.baseUrl);
		expect(await plain.values.getByRole('button', { name: 'Copy' }).count()).toBe(0);

		const { page, values } = await open(true);
		const rows = await values.getByRole('row').all();
		expect(rows).toHaveLength(5);
		for (const row of rows) {
			await row.getByRole('button').click();
			await row.getByText('Copied').waitFor();
			const copied = await page.evaluate('navigator.clipboard.readText()');
			expect(copied).toBe(await row.locator('code').textContent());
		}
		expect(complaints).toEqual([]);
	} finally {
		await browser.close();
		await service.close();
	}
});
