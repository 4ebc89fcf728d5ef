/** Jobs of a person, as the pages describe them: each ends with what the person sees, or what the service has. */
import { outputOf } from '../../host/n8nClient.ts';
import type { FieldDraft, TestCard } from '../../host/serviceApi.ts';
import { byId, mapAutomatically, mapEach } from '../../host/workflowBuilder.ts';
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

const EUROPEAN = [
	{ Name: 'José Peña', Betrag: '12,50', Geburtsdatum: '03.02.1985', Aktiv: 'ja', PLZ: '01067' },
	{
		Name: 'Zoë Müller',
		Betrag: '1.299,00',
		Geburtsdatum: '31.12.1999',
		Aktiv: 'nein',
		PLZ: '80331',
	},
];

/** @param stage the n8n and the browser */
export function testJobs(stage: Stage): void {
	const { bench, editor, execute, openAction, openRows, savedColumns, fieldsOf } = stage;

	const valuesOf = async (card: TestCard) =>
		(await bench().api.records(card)).map(({ fields }) => fields);

	test('a European CSV: the dry run asks for formats first, then a card has typed fields; the same file again is refused', async () => {
		const { element } = editor();
		const parameters = { resource: 'card', operation: 'createFromItems', name: 'Kunden' };
		await openRows(EUROPEAN, { ...parameters, options: { booleanWords: 'ja, nein' } });
		const dryRun = element('parameter-input-dryRun').locator('.el-switch');
		await dryRun.click();
		const asked = await execute("select 'Number Format'");
		expect(asked).toContain("select 'Date Format'");
		await dryRun.click();
		await editor().addOption('Number Format');
		await editor().select('numberFormat', '1.234,5');
		await editor().addOption('Date Format');
		await editor().select('dateFormat', 'Day First');
		const shown = await execute('José Peña');
		for (const value of ['2 items', '12.5', '1299', '1985-02-03', 'true', '01067'])
			expect(shown).toContain(value);
		expect(await fieldsOf('Kunden')).toMatchObject([
			{ name: 'Name', type: 'text' },
			{ name: 'Betrag', type: 'number' },
			{ name: 'Geburtsdatum', type: 'date' },
			{ name: 'Aktiv', type: 'boolean' },
			{ name: 'PLZ', type: 'text' },
		]);
		const again = await execute('exists already');
		for (const word of ["A card called 'Kunden'", 'Create or Update'])
			expect(again).toContain(word);
	});

	test('what Delete Many deletes is seen first, then deleted, and brought back from its output', async () => {
		const { api, client } = bench();
		const { element } = editor();
		const card = await api.createCard('Orders', [
			['Customer', 'text'],
			['Status', 'single_select', ['Open', 'Cancelled']],
		]);
		const [ada, grace] = [
			{ Customer: 'Ada', Status: 'Open' },
			{ Customer: 'Grace', Status: 'Cancelled' },
		];
		for (const values of [ada, grace]) await api.createRecord(card, values);
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
		expect(await valuesOf(card)).toHaveLength(2);
		await editor().picture('dry-run', element('node-parameters'), element('output-panel'));

		await dryRun.click();
		// The column: the dry run's hint has the word as well.
		await execute(/^deleted$/);
		expect(await valuesOf(card)).toEqual([ada]);
		const [last] = await client.executions(workflow.id);
		const items = outputOf(await client.execution(last?.id ?? ''), 'Tasks').map(({ json }) => json);
		const again = { resource: 'record', operation: 'create', cardId: byId(card.id) };
		await openRows(items, { ...again, columns: mapAutomatically() });
		await execute('Grace');
		expect(await valuesOf(card)).toEqual(expect.arrayContaining([ada, grace]));
	});

	test('a field of each type is set by hand, left alone, and cleared', async () => {
		const { element, page } = editor();
		const card = await bench().api.createCard('Every type', EVERY_TYPE);
		const workflow = await openAction({ resource: 'record', operation: 'create' });
		await editor().choose('cardId', card.name);
		await element('node-parameters').getByText('Tags: ["urgent","Red, white"]').waitFor();
		const entered = {
			...{ Title: 'Typed', Notes: 'Two lines', Hours: '2.5', Tags: 'urgent; Red, white' },
			...{ Page: 'https://example.com', Mail: 'ada@example.com', Layout: '{ "a": [1] }' },
		};
		for (const [name, text] of Object.entries(entered)) await editor().fillColumn(name, text);
		await editor().select('Done', 'False');
		await editor().select('Status', 'Closed');
		const due = element('parameter-input-Due').locator('input').first();
		await due.click();
		await page.locator('.el-date-table:visible td.available').getByText('15').click();
		await page.locator('.el-picker-panel__footer:visible').getByText('OK').click();
		const Due = (await due.inputValue()).slice(0, 10);
		expect(Due).toMatch(/^\d{4}-\d\d-15$/);
		await savedColumns(workflow, ({ value }) => JSON.stringify(value).includes(Due));
		await execute('Typed');
		const [record] = await bench().api.records(card);
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
		// A service may leave out what is empty.
		const cleared = { Status: null, Done: null };
		const [changed] = await valuesOf(card);
		expect({ ...cleared, ...changed }).toEqual({ ...set, Title: 'Changed', ...cleared });
	});
}
