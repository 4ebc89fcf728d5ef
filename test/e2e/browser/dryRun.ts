/** Changes of many records, tried first. */
import { fromList, type Stage } from './stage.ts';

/** @param stage the n8n and the browser */
export function testDryRun({ bench, editor, openAction }: Stage): void {
	test('Add Option offers no second Dry Run; one that the node has from another operation is shown', async () => {
		const { api } = bench();
		const { element, addOption } = editor();
		const card = await api.createCard('Orders to sync', [['Customer', 'text']]);
		const parameters = { resource: 'record', cardId: fromList(card) };
		await openAction({ ...parameters, operation: 'deleteMany', options: {} });
		await element('parameter-input-dryRun').waitFor();
		const names = await addOption('Timeout (Seconds)');
		expect(names).toEqual([
			...['Max Parallel Requests', 'Name Fields By', 'Output Field Names or IDs'],
			...['Requests per Second', 'Timeout (Seconds)'],
		]);

		await openAction({ ...parameters, operation: 'sync', options: { dryRun: true } });
		await element('parameter-input-dryRun').nth(1).waitFor();
	});
}
