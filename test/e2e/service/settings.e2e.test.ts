/** The settings page of the reference service in a real browser, with script switched off but for its copy buttons. */
import { type Browser, chromium, type Page } from 'playwright-core';
import { type ControlledService, startService } from '../../../service/index.ts';
import { chromiumPath } from '../../host/chromium.ts';

let browser: Browser;
let service: ControlledService;
let page: Page;
/** Objections of the browser itself, for example a breach of the Content-Security-Policy. */
const complaints: string[] = [];

beforeAll(async () => {
	browser = await chromium.launch({
		executablePath: chromiumPath(),
		args: ['--no-sandbox'],
		timeout: 120_000,
	});
});
afterAll(async () => await browser.close());

beforeEach(async () => {
	service = await startService({ control: true, backoffMs: 1 });
	complaints.length = 0;
	await open(false);
});

/** Opens the settings page in a separate browser. @param javaScriptEnabled whether scripts run */
async function open(javaScriptEnabled: boolean): Promise<void> {
	const context = await browser.newContext({ javaScriptEnabled });
	page = await context.newPage();
	page.setDefaultTimeout(60_000);
	page.on('console', (message) => {
		// A refused sign-in is reported as a failed resource; that is meant.
		if (message.type() === 'error' && !message.text().includes('401')) {
			complaints.push(message.text());
		}
	});
	await page.goto(service.settingsUrl);
}
afterEach(async () => {
	await page.context().close();
	await service.close();
	expect(complaints).toEqual([]);
});

const signIn = async (password = service.settingsPassword) => {
	await page.getByLabel('Password').fill(password);
	await page.getByRole('button', { name: 'Sign in' }).click();
};

const section = (name: string) => page.locator(`section[aria-labelledby="${name}"]`);

test('a wrong password gets a message that says so', async () => {
	await signIn('wrong');
	expect(await page.getByRole('alert').textContent()).toBe('That is not the password.');
	await signIn();
	expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Demo workspace');
	expect(await page.getByRole('alert').count()).toBe(0);
});

test('an API key is created and revoked', async () => {
	await signIn();
	const keys = section('keys');
	await keys.getByLabel('Name').fill('<script>alert(1)</script>');
	await keys.getByRole('button', { name: 'Create API key' }).click();
	const apiKey = await page.getByRole('status').locator('dd').textContent();
	const list = async () =>
		await fetch(`${service.baseUrl}/workspaces/${service.workspaceId}/cards`, {
			headers: { authorization: `Bearer ${apiKey}` },
		});
	expect((await list()).status).toBe(200);
	expect(await keys.getByText('<script>alert(1)</script>').count()).toBe(1);
	await page.getByRole('button', { name: 'Revoke key <script>' }).click();
	await page.getByRole('button', { name: 'Revoke key' }).click();
	expect((await list()).status).toBe(401);
});

test('the values for a credential in n8n are copied by a click; without scripts there is no button', async () => {
	const buttons = () => section('n8n').getByRole('button', { name: 'Copy' });
	await signIn();
	expect(await buttons().count()).toBe(0);
	await page.context().close();

	await open(true);
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	await signIn();
	const rows = await section('n8n').getByRole('row').all();
	expect(await buttons().count()).toBe(rows.length);
	expect(await section('n8n').textContent()).toContain(service.baseUrl);
	for (const row of rows) {
		const [value, button] = [row.locator('code'), row.getByRole('button')];
		await button.click();
		await row.getByText('Copied').waitFor();
		expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await value.textContent());
	}
	// Each is itself again after a moment.
	await section('n8n').getByText('Copied').first().waitFor({ state: 'detached' });
});
