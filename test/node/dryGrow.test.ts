/** Dry Run with fields and choices that a real run would add. */
import { runAction } from '../support/n8n';
import { byId, fromList, mapAutomatically } from '../support/parameters';
import { type TestWorkspace, useWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
useWorkspace((started) => (workspace = started));

test.each(['upsert', 'update', 'updateMany', 'sync'])(
	'a dry run of %s shows fields and choices that would be added, names them in hints, and adds none (M18)',
	async (operation) => {
		const card = await workspace.card('Dry', [
			{ name: 'Key', type: 'text' },
			{ name: 'State', type: 'single_select', options: ['Open'] },
		]);
		const [id = ''] = await workspace.records(card.id, [{ Key: 'a' }]);
		workspace.service.control.resetRequests();
		const { json, error, run } = await runAction({
			credentials: workspace.apiKey,
			items: [{ Key: 'a', New: '12', State: 'Late' }],
			parameters: {
				resource: 'record',
				operation,
				cardId: fromList(card.id, 'Dry'),
				recordId: byId(id),
				columns: mapAutomatically(['Key']),
				filters: { conditions: [{ field: 'Key', condition: 'equals', value: 'a' }] },
				options: { dryRun: true, unknownFields: 'create', missingChoices: 'add' },
			},
		});
		expect(error).toBeUndefined();
		expect(json).toEqual([
			{
				dry_run: true,
				action: 'update',
				id,
				before: { Key: 'a' },
				after: { Key: 'a', New: 12, State: 'Late' },
			},
		]);
		expect(workspace.requests().filter((r) => !r.startsWith('GET'))).toEqual([]);
		const hints = run.data.resultData.runData['Workspace Data']?.[0]?.hints ?? [];
		const texts = hints.map(({ message }) => message);
		expect(texts).toContainEqual(
			expect.stringMatching(/^Dry run: fields would be added to card 'Dry': 'New' \(number: .+\)$/),
		);
		expect(texts).toContain(
			"Dry run: choices would be added to field 'State' of card 'Dry': 'Late'",
		);
	},
);
