/** Jobs of a person that go through several nodes, as the pages describe them: each ends with what the person sees. */
import type { Locator } from 'playwright-core';

import { until } from '../../host/deadline.ts';
import { outputOf } from '../../host/n8nClient.ts';
import {
	byId,
	chain,
	codeItems,
	manualTrigger,
	mapAutomatically,
	mapEach,
} from '../../host/workflowBuilder.ts';
import type { FieldDraft } from '../../host/serviceApi.ts';
import { wantsPictures } from '../support/settings.ts';
import { fromList, type Stage } from './stage.ts';

/** A field of each type that a person enters. */
const EVERY_TYPE: FieldDraft[] = [
	['Title', 'text'],
	['Notes', 'long_text'],
	['Hours', 'number'],
	['Done', 'boolean'],
	['Due', 'date'],
	['Status', 'single_select', ['Open', 'Closed']],
	['Tags', 'multi_select', ['urgent', 'Red, white']],
	['Page', 'url'],
	['Mail', 'email'],
	['Layout', 'json'],
];

/** @param stage the n8n and the browser */
export function testJobs({ bench, editor, execute, openAction, savedColumns }: Stage): void {
	/** Drags something of the input onto a field, as one does with the mouse. */
	async function drag(from: Locator, to: Locator): Promise<void> {
		const { mouse } = editor().page;
		const [start, end] = [await from.boundingBox(), await to.boundingBox()];
		if (!start || !end) throw new Error("What is to be dragged can't be seen");
		await mouse.move(start.x + start.width / 2, start.y + start.height / 2);
		await mouse.down();
		await mouse.move(end.x + 20, end.y + end.height / 2, { steps: 12 });
		await mouse.up();
	}

	test('a European CSV becomes a card with typed fields; the same file once more is refused, and the way out is named', async () => {
		const { api, client, action } = bench();
		const rows = [
			{ Name: 'José Peña', Betrag: '12,50', Geburtsdatum: '03.02.1985', Aktiv: 'ja', PLZ: '01067' },
			{
				Name: 'Zoë Müller',
				Betrag: '1.299,00',
				Geburtsdatum: '31.12.1999',
				Aktiv: 'nein',
				PLZ: '80331',
			},
		];
		const options = { numberFormat: 'comma', booleanWords: 'ja, nein' };
		const importing = { resource: 'card', operation: 'createFromItems', name: 'Kunden', options };
		const workflow = await client.createWorkflow(
			chain('CSV', [manualTrigger(), codeItems('Rows', rows), action('Card', importing)]),
		);
		await editor().openWorkflow(workflow.id);
		await editor().openNode('Card');
		await editor().addOption('Date Format');
		await editor().select('dateFormat', 'Day First');
		const shown = await execute('José Peña');
		for (const value of ['2 items', '12.5', '1299', '1985-02-03', 'true', '01067']) {
			expect(shown).toContain(value);
		}
		const { cards } = await api.call<{ cards: Array<{ id: string; name: string }> }>(
			'GET',
			'/cards',
		);
		const id = cards.find(({ name }) => name === 'Kunden')?.id ?? '';
		expect(await api.call('GET', `/cards/${id}/fields`)).toMatchObject({
			fields: ['text', 'number', 'date', 'boolean', 'text'].map((type) => ({ type })),
		});
		expect(await execute("A card called 'Kunden' exists already")).toContain('If Card Exists');
	});

	test('values of a record are dragged into Edit Fields and If, and arrive there', async () => {
		const { api, client, action } = bench();
		const card = await api.createCard('To drag', [
			['Title', 'text'],
			['Hours', 'number'],
		]);
		await api.createRecord(card, { Title: 'Water the plants', Hours: 2 });
		const edit = { name: 'Edit', type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: {} };
		const choose = { name: 'If', type: 'n8n-nodes-base.if', typeVersion: 2.2, parameters: {} };
		const read = { resource: 'record', operation: 'getAll', cardId: fromList(card) };
		const workflow = await client.createWorkflow(
			chain('Drag', [manualTrigger(), action('Tasks', read), choose, edit]),
		);
		await editor().openWorkflow(workflow.id);
		await editor().openNode('Tasks');
		await execute('Water the plants');
		await editor().closeNode();

		const { element } = editor();
		const value = (name: string) =>
			element('run-data-schema-node-name').and(editor().page.locator(`[data-name="${name}"]`));
		await editor().openNode('If');
		await value('Title').first().waitFor();
		await drag(value('Title').first(), element('filter-condition-left').first());
		await element('filter-condition-left').getByText('$json.Title').first().waitFor();
		const wanted = element('filter-condition-right').locator('input').first();
		await wanted.fill('Water the plants');
		await wanted.blur();
		// n8n takes what is typed after a moment.
		await until('the condition to be saved', async () => {
			const { nodes } = await client.workflow(workflow.id);
			return JSON.stringify(nodes).includes('"rightValue":"Water the plants"') ? true : undefined;
		});
		expect(await execute('Water the plants')).toContain('True Branch (1 item)');
		await editor().closeNode();
		await editor().openNode('Edit');
		await value('Hours').first().waitFor();
		await drag(value('Hours').first(), element('assignment-collection-drop-area'));
		await element('assignment-value').getByText('$json.Hours').first().waitFor();
		expect(await execute('Hours')).toContain('2');
	});

	test('what Delete Many deletes is seen first, then deleted, and brought back from its output', async () => {
		const { api, client } = bench();
		const { element } = editor();
		const card = await api.createCard('Orders', [
			['Customer', 'text'],
			['Status', 'single_select', ['Open', 'Cancelled']],
		]);
		await api.createRecord(card, { Customer: 'Ada', Status: 'Open' });
		await api.createRecord(card, { Customer: 'Grace', Status: 'Cancelled' });
		const value = { __rl: true, mode: 'value', value: 'Cancelled' };
		const conditions = [{ field: 'Status', condition: 'equals', value }];
		const workflow = await openAction({
			...{ resource: 'record', operation: 'deleteMany', cardId: fromList(card) },
			filters: { conditions },
		});
		await element('parameter-input-maxChanges').waitFor();
		const dryRun = element('parameter-input-dryRun').locator('.el-switch');
		await dryRun.click();
		const planned = await execute('Grace');
		for (const text of ['1 item', 'delete']) expect(planned).toContain(text);
		expect(await api.records(card)).toHaveLength(2);
		if (wantsPictures) await editor().showAsSchema();
		await editor().picture('dry-run', element('node-parameters'), element('output-panel'));

		await dryRun.click();
		await execute('deleted');
		expect((await api.records(card)).map(({ fields }) => fields.Customer)).toEqual(['Ada']);
		const [last] = await client.executions(workflow.id);
		const items = outputOf(await client.execution(last?.id ?? ''), 'Tasks').map(({ json }) => json);
		const columns = mapAutomatically();
		const again = { resource: 'record', operation: 'create', cardId: byId(card.id), columns };
		const undo = await client.createWorkflow(
			chain('Undo', [manualTrigger(), codeItems('Deleted', items), bench().action('Back', again)]),
		);
		await editor().openWorkflow(undo.id);
		await editor().openNode('Back');
		await execute('Grace');
		const values = (await api.records(card)).map(({ fields }) => fields);
		expect(values).toContainEqual({ Customer: 'Grace', Status: 'Cancelled' });
		expect(values).toHaveLength(2);
	});

	test('two cards are kept equal: new records are created, equal ones stay unchanged', async () => {
		const { api, client, action } = bench();
		const fields: FieldDraft[] = [
			['Key', 'text'],
			['Amount', 'number'],
		];
		const [from, to] = [
			await api.createCard('Shop', fields),
			await api.createCard('Books to sync', fields),
		];
		await api.createRecord(from, { Key: 'a', Amount: 1 });
		await api.createRecord(to, { Key: 'a', Amount: 1 });
		await api.createRecord(from, { Key: 'b', Amount: 2 });
		const record = { resource: 'record' };
		const workflow = await client.createWorkflow(
			chain('Two cards', [
				manualTrigger(),
				action('Read', { ...record, operation: 'getAll', cardId: byId(from.id), returnAll: true }),
				action('Sync', {
					...{ ...record, operation: 'sync', cardId: fromList(to) },
					columns: mapAutomatically(['Key']),
				}),
			]),
		);
		await editor().openWorkflow(workflow.id);
		await editor().openNode('Sync');
		const shown = await execute('created');
		for (const text of ['2 items', 'unchanged']) expect(shown).toContain(text);
		const synced = (await api.records(to)).map(({ fields: values }) => values);
		expect(synced).toEqual([
			{ Key: 'a', Amount: 1 },
			{ Key: 'b', Amount: 2 },
		]);
	});

	test('a field of each type is set by hand, left alone, and cleared', async () => {
		const { api } = bench();
		const { element } = editor();
		const card = await api.createCard('Every type', EVERY_TYPE);
		const workflow = await openAction({ resource: 'record', operation: 'create' });
		await editor().choose('cardId', card.name);
		await editor().element('node-parameters').getByText('Tags: ["urgent","Red, white"]').waitFor();
		const entered = {
			...{ Title: 'Typed', Notes: 'Two lines', Hours: '2.5', Tags: 'urgent, Red, white' },
			...{ Page: 'https://example.com', Mail: 'ada@example.com', Layout: '{ "a": [1] }' },
		};
		for (const [name, text] of Object.entries(entered)) await editor().fillColumn(name, text);
		await editor().select('Done', 'False');
		await editor().select('Status', 'Closed');
		const due = element('parameter-input-Due').locator('input').first();
		await due.click();
		const { page } = editor();
		await page.locator('.el-date-table:visible td.available').getByText('15').click();
		await page.locator('.el-picker-panel__footer:visible').getByText('OK').click();
		const Due = (await due.inputValue()).slice(0, 10);
		expect(Due).toMatch(/^\d{4}-\d\d-15$/);
		await savedColumns(workflow, ({ value }) => JSON.stringify(value).includes(Due));
		await execute('Typed');
		const [record] = await api.records(card);
		const set = {
			...{ Title: 'Typed', Notes: 'Two lines', Hours: 2.5, Done: false, Due },
			...{ Status: 'Closed', Tags: ['urgent', 'Red, white'], Page: 'https://example.com' },
			...{ Mail: 'ada@example.com', Layout: { a: [1] } },
		};
		expect(record?.fields).toEqual(set);

		await openAction({
			...{ resource: 'record', operation: 'update', cardId: fromList(card) },
			recordId: byId(record?.id ?? ''),
			columns: mapEach({ Title: 'Changed' }),
		});
		await editor().select('Status', 'Empty');
		await editor().select('Done', 'Empty');
		await execute('Changed');
		const [changed] = await api.records(card);
		// A service may leave out what is empty.
		const cleared = { Status: null, Done: null };
		expect({ ...cleared, ...changed?.fields }).toEqual({ ...set, Title: 'Changed', ...cleared });
	});
}
