/** Changes of many records, tried first. */
import { wantsPictures } from '../support/settings.ts';
import { fromList, type Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testDryRun({ bench, editor, openAction, execute }: Stage): void {
	test('Dry Run of Delete Many is a switch that is seen at once; it shows what would go, and deletes nothing (M14)', async () => {
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
}
