/** Dry Run with fields and choices that a real run would add. */
import { runAction } from '../support/n8n';
import { byId, mapAutomatically } from '../support/parameters';
import { type TestWorkspace, useWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
useWorkspace((started) => (workspace = started));

test.each(['upsert', 'update', 'updateMany'])(
	'a dry run of %s shows fields and choices that would be added, and adds none',
	async (operation) => {
		const card = await workspace.card('Dry', [
			{ name: 'Key', type: 'text' },
			{ name: 'State', type: 'single_select', options: ['Open'] },
		]);
		const [id = ''] = await workspace.records(card.id, [{ Key: 'a' }]);
		workspace.service.control.resetRequests();
		const { json, error } = await runAction({
			credentials: workspace.apiKey,
			items: [{ Key: 'a', New: '12', State: 'Late' }],
			parameters: {
				resource: 'record',
				operation,
				cardId: byId(card.id),
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
	},
);
