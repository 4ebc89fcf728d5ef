/** Changes of many records, tried first. */
import { wantsPictures } from '../support/settings.ts';
import { fromList, type Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testDryRun({ bench, editor, openAction, execute }: Stage): void {
	test('Dry Run of Delete Many is a switch that is seen at once; it shows what would go, and deletes nothing', async () => {
		const { api } = bench();
		const { element } = editor();
		const card = await api.createCard('Orders', [
			['Customer', 'text'],
			['Status', 'single_select', ['Open', 'Cancelled']],
		]);
		await api.createRecord(card, { Customer: 'Ada', Status: 'Open' });
		await api.createRecord(card, { Customer: 'Grace', Status: 'Cancelled' });
		await openAction({
			resource: 'record',
			operation: 'deleteMany',
			cardId: fromList(card),
			filters: {
				conditions: [
					{
						field: 'Status',
						condition: 'equals',
						value: { __rl: true, mode: 'value', value: 'Cancelled' },
					},
				],
			},
		});
		await element('parameter-input-maxChanges').waitFor();
		await element('parameter-input-dryRun').locator('.el-switch').click();
		const shown = await execute('Grace');
		expect(shown).toContain('1 item');
		expect(shown).toContain('delete');
		expect(await api.records(card)).toHaveLength(2);
		if (wantsPictures) await editor().showAsSchema();
		await editor().picture('dry-run', element('node-parameters'), element('output-panel'));
	});

	test('Add Option offers no second Dry Run; one that the node has from another operation is shown', async () => {
		const { api } = bench();
		const { element, page } = editor();
		const card = await api.createCard('Orders to sync', [['Customer', 'text']]);
		const parameters = { resource: 'record', cardId: fromList(card) };
		await openAction({ ...parameters, operation: 'deleteMany', options: {} });
		await element('parameter-input-dryRun').waitFor();
		await page.locator('input[placeholder="Add Option"]').click();
		const offered = page.locator('[data-test-id="collection-parameter-option"]:visible');
		await offered.first().waitFor();
		const names = (await offered.allInnerTexts()).map((text) => text.trim());
		expect(names).toEqual(['Max Parallel Requests', 'Requests per Second', 'Timeout (Seconds)']);

		await openAction({ ...parameters, operation: 'sync', options: { dryRun: true } });
		await element('parameter-input-dryRun').nth(1).waitFor();
	});
}
