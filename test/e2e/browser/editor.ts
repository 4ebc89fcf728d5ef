/** n8n's editor in a real browser, as a person uses it: every wait is for what the page or n8n answers. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type Locator } from 'playwright-core';

import { chromiumPath } from '../../host/chromium.ts';
import { until } from '../../host/deadline.ts';
import { repository } from '../../host/folders.ts';
import { demoSignIn, type N8nClient } from '../../host/n8nClient.ts';
import { wantsPictures } from '../support/settings.ts';

const pictures = join(repository, 'docs', 'pictures');

/** What the page showed when a test failed. */
const failures = join(repository, '.cache', 'browser-failures');

/** Against hanging only, in ms: a slow machine needs longer, and is right all the same. */
const PATIENCE_MS = 120_000;

const viewport = { width: 1440, height: 900 };

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

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
export type Editor = Awaited<ReturnType<typeof openEditor>>;

/** Starts Chromium and signs in. */
export async function openEditor({ baseUrl, major }: N8nClient) {
	const browser: Browser = await chromium.launch({
		executablePath: chromiumPath(),
		headless: true,
		args: chromiumArguments,
		timeout: PATIENCE_MS,
	});
	const page = await browser.newPage({
		viewport,
		reducedMotion: 'reduce',
	});
	page.setDefaultTimeout(PATIENCE_MS);
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

	/** Chooses an entry of a list that an input opens. What still loads closes the list again: then it is opened once more. */
	async function pick(opener: Locator, entry: Locator): Promise<void> {
		await until(
			'the entry of a list to be chosen',
			async () => {
				if (await entry.isVisible()) {
					return await entry.click({ timeout: 5_000 }).then(
						() => true,
						() => undefined,
					);
				}
				if ((await opener.getAttribute('aria-expanded')) !== 'true') await opener.click();
				return undefined;
			},
			PATIENCE_MS,
		);
	}

	async function closeNode(): Promise<void> {
		await page
			.locator('[data-test-id="ndv-close-button"]:visible, [data-test-id="back-to-canvas"]:visible')
			.first()
			.click();
		await element('node-parameters').waitFor({ state: 'hidden' });
	}

	/** Leaves for another workflow by n8n's router, as its links do; to load the whole editor again takes ten times as long. */
	async function leaveFor(path: string): Promise<void> {
		if (!new URL(page.url()).pathname.startsWith('/workflow')) {
			await page.goto(baseUrl + path);
			return;
		}
		const router = "document.querySelector('#app').__vue_app__.config.globalProperties.$router";
		const leave = page.getByRole('button', { name: 'Leave without saving' });
		const canvas = element('canvas-wrapper').or(element('canvas'));
		const settings = page.getByText('Personal Settings');
		// The panel of a node would open again for a node of the same name.
		if (await element('node-parameters').isVisible()) await closeNode();
		await until(
			'the workflow to be left',
			async () => {
				await page.evaluate(`void ${router}.push('/settings/personal')`);
				// n8n 2 closes the question by itself when it has saved, and stays.
				await settings
					.or(leave)
					.first()
					.waitFor({ timeout: 5_000 })
					.catch(() => undefined);
				if (await leave.isVisible()) await leave.click({ timeout: 1_000 }).catch(() => undefined);
				return (await canvas.count()) === 0 ? true : undefined;
			},
			PATIENCE_MS,
		);
		await page.evaluate(`void ${router}.push('${path}')`);
	}

	/**
	 * Goes to a workflow. When n8n 2 has saved a new one, its editor returns to it, even from another page: then
	 * the new one is opened again.
	 *
	 * @param shown what the workflow shows once it has loaded
	 */
	async function goTo(path: string, shown: Locator): Promise<void> {
		await until(
			`${path} to be shown`,
			async () => {
				await leaveFor(path);
				return await shown
					.first()
					.waitFor({ timeout: 20_000 })
					.then(
						() => (page.url().includes(path) || path === '/workflow/new' ? true : undefined),
						() => undefined,
					);
			},
			PATIENCE_MS,
		);
	}

	async function openNewWorkflow(): Promise<void> {
		await goTo('/workflow/new', element('canvas-plus-button').or(element('canvas-add-button')));
	}

	/** The input of a resource locator; n8n 1 and 2 put the test id on it, or around it. */
	const input = (parameter: string) => {
		const locator = element(`resource-locator-${parameter}`).locator('[data-test-id="rlc-input"]');
		return locator
			.locator('input')
			.or(locator.and(page.locator('input')))
			.first();
	};

	return {
		page,
		element,
		/** Opens a workflow and waits for its canvas. */
		async openWorkflow(id: string) {
			await goTo(`/workflow/${id}`, element('canvas-node'));
		},
		openNewWorkflow,
		/** The ID of the workflow that is open; undefined before n8n has given it one. */
		workflowId() {
			return /\/workflow\/(?!new)([^/?]+)/.exec(page.url())?.[1];
		},
		/**
		 * Adds a node by the nodes panel. It opens, unless it has no parameters that could be entered.
		 *
		 * @param search what to type there
		 * @param entries what to click there, one after the other
		 */
		async addNode(search: string, ...entries: string[]) {
			const isFirst = (await element('canvas-node').count()) === 0;
			const first = element('canvas-plus-button').or(element('canvas-add-button'));
			await (isFirst ? first : element('node-creator-plus-button')).first().click();
			const panel = element('node-creator');
			await element('node-creator-search-bar').fill(search);
			for (const entry of entries) {
				await panel.getByText(entry, { exact: true }).first().click();
			}
			await element('node-creator-search-bar').waitFor({ state: 'hidden' });
		},
		/** Opens a node's panel. */
		async openNode(name: string) {
			const node = page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
			const panel = element('node-parameters');
			// A canvas that is still moving takes no notice of it, and a panel that comes late covers the node.
			await until(`the panel of ${name}`, async () => {
				await node.dblclick({ timeout: 5_000 }).catch(() => undefined);
				return await panel.waitFor({ timeout: 10_000 }).then(
					() => true,
					() => undefined,
				);
			});
		},
		closeNode,
		/** Chooses an entry of a resource locator's list, by search. */
		async choose(parameter: string, search: string) {
			await element(`resource-locator-${parameter}`).locator('[data-test-id="rlc-input"]').click();
			// n8n 1 keeps the closed lists of other locators in the page.
			const field = page.locator('[data-test-id="rlc-search"]:visible');
			await field.waitFor();
			const searched = field.locator('input');
			await ((await searched.count()) > 0 ? searched : field).fill(search);
			await page
				.locator('[data-test-id="rlc-item"]:visible')
				.filter({ hasText: search })
				.first()
				.click();
		},
		/** Chooses an entry of a parameter with fixed or loaded options. */
		async select(parameter: string, option: string) {
			const items = page.locator('[data-test-id="parameter-input-item"]:visible');
			// A list of fields shows their types: 'Title (Text)' is Title.
			const name = option.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
			const label = page.getByText(new RegExp(`^\\s*${name}(?: \\([\\w ]+\\))?\\s*$`));
			const wanted = items.filter({ has: label }).first();
			const opener = element(`parameter-input-${parameter}`).first().locator('input').first();
			await pick(opener, wanted);
			// It fades out, and would be taken for a part of the next one.
			await items.first().waitFor({ state: 'hidden' });
		},
		/** Switches the mode of a resource locator, for example to "From List". */
		async mode(parameter: string, name: string) {
			await element(`resource-locator-${parameter}`)
				.locator('[data-test-id="rlc-mode-selector"]')
				.click();
			await page.locator('[data-test-id^="mode-"]:visible').filter({ hasText: name }).click();
		},
		/** Replaces the text of a locator, key by key. */
		async type(parameter: string, text: string) {
			const field = input(parameter);
			// n8n 1 loses keys while it draws: a person sees it, and types again.
			await until(`'${text}' to be typed`, async () => {
				await field.click();
				await page.keyboard.press('Control+a');
				await page.keyboard.type(text, { delay: 60 });
				return (await field.inputValue()) === text ? true : undefined;
			});
		},
		/** Adds an option. */
		async addOption(name: string) {
			const entries = page.locator('[data-test-id="collection-parameter-option"]:visible');
			const label = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
			const entry = entries.filter({ hasText: new RegExp(`^\\s*${label}\\s*$`) });
			await pick(page.locator('input[placeholder="Add Option"]'), entry);
		},
		/** Types a fixed value into a field of the mapper. */
		async fillColumn(name: string, value: string) {
			const field = element(`parameter-input-${name}`).locator('input, textarea').first();
			await field.fill(value);
			await field.blur();
		},
		/** Presses "Refresh field list" of the mapper. */
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
		/**
		 * Imports a workflow into a new one, by the menu ⋯.
		 *
		 * @param entries the words of the entries: menus first, which open below the pointer, and the one to click
		 */
		async importFile(path: string, entries: readonly string[]) {
			await openNewWorkflow();
			await page.locator('[data-test-id="workflow-menu"]').first().click();
			const chooser = page.waitForEvent('filechooser');
			for (const [index, entry] of entries.entries()) {
				const item = page
					.locator('[data-test-id^="workflow-menu-item-"]:visible')
					.filter({ has: page.getByText(entry, { exact: true }) })
					.last();
				await (index < entries.length - 1 ? item.hover() : item.click());
			}
			await (await chooser).setFiles(path);
			await element('canvas-node').first().waitFor();
		},
		/** Chooses a stored credential in the node that is open. */
		async chooseCredential(name: string) {
			const entry = page
				.locator('[data-test-id^="node-credentials-select-item"]:visible')
				.filter({ hasText: name })
				.first();
			const opener = element('node-credentials-select').locator('input').first();
			// n8n may have chosen it when the node opened.
			if ((await opener.inputValue()) === name) return;
			await pick(opener, entry);
		},
		/** Saves the workflow where something is not saved; 2.x does that by itself. */
		async save() {
			if (major === 2) return;
			const button = element('workflow-save-button').first();
			await until(
				'n8n to save',
				async () => {
					const state = (await button.innerText()).trim();
					if (state === 'Save') await page.keyboard.press('Control+s');
					return state === 'Saved' ? true : undefined;
				},
				PATIENCE_MS,
				300,
			);
		},
		/** Keeps a picture of parts of the page for the documentation when the run was started with `--pictures`. */
		async picture(name: string, ...parts: Locator[]) {
			// One set for the documentation: that of the newer major.
			if (!wantsPictures || major !== 2) return;
			// One value below the other, as a table would be too wide. n8n keeps the view for all nodes.
			const schema = element('output-panel').locator('[data-test-id="radio-button-schema"]');
			const hasOutput = (await schema.count()) > 0;
			if (hasOutput) await schema.click();
			const boxes = await Promise.all(parts.map(async (part) => await part.boundingBox()));
			const of = (edge: (box: Box) => number) => boxes.flatMap((box) => (box ? [edge(box)] : []));
			const [x, y] = [Math.min(...of((box) => box.x)), Math.min(...of((box) => box.y))];
			const width = Math.max(...of((box) => box.x + box.width)) - x;
			const height = Math.max(...of((box) => box.y + box.height)) - y;
			const path = join(pictures, `${name}-light.png`);
			await page.screenshot({ path, animations: 'disabled', clip: { x, y, width, height } });
			if (hasOutput) await element('output-panel').getByText('Table', { exact: true }).click();
		},
		async close() {
			await browser.close();
		},
	};
}
