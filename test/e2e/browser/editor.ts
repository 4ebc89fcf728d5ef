import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';

import { until } from '../../host/deadline.ts';
import { repository } from '../../host/folders.ts';
import { demoSignIn, type N8nClient } from '../../host/n8nClient.ts';
import { wantsPictures } from '../support/settings.ts';

const pictures = join(repository, 'docs', 'pictures');

/** What the page showed when a test failed. */
const failures = join(repository, '.cache', 'browser-failures');

const chromiumArguments = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--disable-dev-shm-usage',
];

/** n8n's editor in a real browser, signed in, as a person uses it. */
export interface Editor {
	page: Page;
	/** An element by n8n's own test id. */
	element(testId: string): Locator;
	/** Opens a workflow and waits for its canvas. */
	openWorkflow(id: string): Promise<void>;
	/** Opens a node's panel. */
	openNode(name: string): Promise<void>;
	/** Closes the panel that is open. */
	closeNode(): Promise<void>;
	/** Chooses an entry of a resource locator's list, by search. */
	choose(parameter: string, search: string): Promise<void>;
	/** Chooses an entry of a parameter with fixed or loaded options; gives all that are offered. */
	select(parameter: string, option: string): Promise<string[]>;
	/** Switches the mode of a resource locator, for example to "From List". */
	mode(parameter: string, name: string): Promise<void>;
	/** Types into a locator that takes texts, key by key, in place of what it holds. */
	type(parameter: string, text: string): Promise<void>;
	/** Opens a resource locator's list and gives what it offers. */
	listOf(parameter: string): Promise<string[]>;
	/** Types a fixed value into a field of the mapper. */
	fillColumn(name: string, value: string): Promise<void>;
	/** Presses "Refresh field list" of the mapper. */
	refreshColumns(): Promise<void>;
	/** Imports a workflow into a new one, by the menu: ⋯ → Import → From file; n8n 1: ⋯ → Import from File…. */
	importFile(path: string): Promise<void>;
	/** Chooses a stored credential in the node that is open. */
	chooseCredential(name: string): Promise<void>;
	/** Saves the workflow; 2.x does that by itself. */
	save(): Promise<void>;
	/**
	 * Keeps a picture of a part of the page for the documentation, light and dark, when the run was
	 * started with `--pictures`.
	 *
	 * @param height pixels to keep from the top, where the rest is empty
	 */
	picture(name: string, part: Locator, height?: number): Promise<void>;
	close(): Promise<void>;
}

/** Starts Chromium and signs in. */
export async function openEditor({ baseUrl, major }: N8nClient): Promise<Editor> {
	const browser: Browser = await chromium.launch({
		executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
		headless: true,
		args: chromiumArguments,
		timeout: 120_000,
	});
	const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
	page.setDefaultTimeout(60_000);
	const element = (testId: string) => page.locator(`[data-test-id="${testId}"]`);

	(globalThis as { onTestFailure?: (name: string) => Promise<void> }).onTestFailure = async (
		name,
	) => {
		await mkdir(failures, { recursive: true });
		const file = `n8n ${major} ${name.replaceAll(/[^\w ]+/g, ' ').slice(0, 80)}.png`;
		await page.screenshot({ path: join(failures, file) }).catch(() => undefined);
	};

	await page.goto(`${baseUrl}/signin`);
	await page.locator('input[name="emailOrLdapLoginId"]').fill(demoSignIn.email);
	await page.locator('input[name="password"]').fill(demoSignIn.password);
	await element('form-submit-button').click();
	await page.waitForURL((url) => !url.pathname.includes('signin'));

	/** Waits until the page rests: nothing loads, nothing moves, no message is in the way. */
	async function settle(): Promise<void> {
		await page.mouse.move(0, 0);
		// As texts: these run in the browser, whose names the tests do not know.
		await page.evaluate('document.activeElement?.blur()');
		// An error stays until it is closed.
		const messages = page.locator('.el-notification');
		while ((await messages.count()) > 0) {
			const count = await messages.count();
			await messages.first().locator('.el-notification__closeBtn').click();
			await page.waitForFunction(`document.querySelectorAll('.el-notification').length < ${count}`);
		}
		await page.waitForLoadState('networkidle');
		await page.waitForFunction(
			"document.getAnimations().every(({ playState }) => playState !== 'running')",
		);
	}

	return {
		page,
		element,
		async openWorkflow(id) {
			await page.goto(`${baseUrl}/workflow/${id}`);
			await element('canvas-node').first().waitFor();
		},
		async openNode(name) {
			await page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).dblclick();
			await element('node-parameters').waitFor();
		},
		async closeNode() {
			await page
				.locator(
					'[data-test-id="ndv-close-button"]:visible, [data-test-id="back-to-canvas"]:visible',
				)
				.first()
				.click();
			await element('node-parameters').waitFor({ state: 'hidden' });
		},
		async choose(parameter, search) {
			await element(`resource-locator-${parameter}`).locator('[data-test-id="rlc-input"]').click();
			// n8n 1 keeps the closed lists of other locators in the page.
			const field = page.locator('[data-test-id="rlc-search"]:visible');
			await field.waitFor();
			const input = field.locator('input');
			await ((await input.count()) > 0 ? input : field).fill(search);
			await page
				.locator('[data-test-id="rlc-item"]:visible')
				.filter({ hasText: search })
				.first()
				.click();
		},
		async select(parameter, option) {
			const items = page.locator('[data-test-id="parameter-input-item"]:visible');
			const wanted = items.filter({ has: page.getByText(option, { exact: true }) }).first();
			// Options that are still loading close the list again.
			await until(`the option '${option}'`, async () => {
				await element(`parameter-input-${parameter}`).locator('input').first().click();
				const isOpen = wanted.waitFor({ timeout: 5_000 });
				return await isOpen.then(() => true).catch(() => undefined);
			});
			const offered = await items.locator('.option-headline').allInnerTexts();
			await wanted.click();
			// It fades out, and would be taken for a part of the next one.
			await items.first().waitFor({ state: 'hidden' });
			return offered.map((text) => text.trim());
		},
		async mode(parameter, name) {
			await element(`resource-locator-${parameter}`)
				.locator('[data-test-id="rlc-mode-selector"]')
				.click();
			await page.locator('[data-test-id^="mode-"]:visible').filter({ hasText: name }).click();
		},
		async type(parameter, text) {
			const input = element(`resource-locator-${parameter}`).locator('[data-test-id="rlc-input"]');
			await input.click();
			await page.keyboard.press('Control+a');
			// A quick person's speed, in ms for each key: n8n 1 loses keys that come while it draws.
			await page.keyboard.type(text, { delay: 80 });
		},
		async listOf(parameter) {
			await element(`resource-locator-${parameter}`).locator('[data-test-id="rlc-input"]').click();
			const items = page.locator('[data-test-id="rlc-item"]:visible');
			await items.first().waitFor();
			return (await items.allInnerTexts()).map((text) => text.trim());
		},
		async fillColumn(name, value) {
			const input = element(`parameter-input-${name}`).locator('input, textarea').first();
			await input.fill(value);
			await input.blur();
		},
		async refreshColumns() {
			const answer = page.waitForResponse((response) =>
				response.url().includes('resource-mapper-fields'),
			);
			await element('columns-parameter-input-options-container')
				.locator('[data-test-id="action-toggle"]')
				.click();
			await page.locator('[data-test-id="action-refreshFieldList"]:visible').click();
			await (await answer).finished();
		},
		async importFile(path) {
			await page.goto(`${baseUrl}/workflow/new`);
			await element('canvas-wrapper').or(element('canvas')).first().waitFor();
			await page.locator('[data-test-id="workflow-menu"]').first().click();
			const entry = page.locator('[data-test-id="workflow-menu-item-import-from-file"]:visible');
			if (major === 2) await page.locator('[data-test-id="workflow-menu-item-import"]').hover();
			const chooser = page.waitForEvent('filechooser');
			await entry.click();
			await (await chooser).setFiles(path);
			await element('canvas-node').first().waitFor();
		},
		async chooseCredential(name) {
			const entry = page
				.locator('[data-test-id^="node-credentials-select-item"]:visible')
				.filter({ hasText: name })
				.first();
			// The panel still loads when it opens, which closes the list again.
			await until('the list of credentials', async () => {
				await element('node-credentials-select').first().click();
				const isOpen = entry.waitFor({ timeout: 3_000 });
				return await isOpen.then(() => true).catch(() => undefined);
			});
			await entry.click();
		},
		async save() {
			if (major === 1) await page.keyboard.press('Control+s');
		},
		async picture(name, part, height) {
			// One set for the documentation: that of the newer major.
			if (!wantsPictures || major !== 2) return;
			await mkdir(pictures, { recursive: true });
			for (const colorScheme of ['light', 'dark'] as const) {
				await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
				await settle();
				const box = await part.boundingBox();
				if (!box) throw new Error(`There is nothing to see for '${name}'`);
				await page.screenshot({
					path: join(pictures, `${name}-${colorScheme}.png`),
					animations: 'disabled',
					clip: { ...box, height: Math.min(box.height, height ?? box.height) },
				});
			}
			await page.emulateMedia({ colorScheme: 'light' });
		},
		async close() {
			await browser.close();
		},
	};
}
