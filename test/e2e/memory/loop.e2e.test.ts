/**
 * The plain loop: the node runs hundreds of times in one execution, over a card of 5,000 records, in an n8n with little
 * memory. Each run that stayed in memory took some 2 MB.
 */
import { outputOf } from '../../host/n8nClient.ts';
import { byId, chain, code, manualTrigger, mapAutomatically } from '../../host/workflowBuilder.ts';
import { useBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';

/** How often the loop runs all three operations; LOOP_PASSES=400 is the whole measurement. */
const PASSES = Number(process.env.LOOP_PASSES ?? 100);
const RECORDS = 5_000;
/** With it, n8n ends after some 220 runs that stay in memory. */
const HEAP_MB = 640;

describe(`a loop in n8n ${major}`, () => {
	const bench = useBench(major, { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });

	it('Create or Update, Get Many and Sync hundreds of times', async () => {
		const { action, api, control, host, succeed } = bench();
		await control.setRate({ rate: { limit: 1_000_000, windowSeconds: 60 } });
		const made = await api.createCard('Loop', [
			['Key', 'text'],
			['Group', 'text'],
			['Note', 'text'],
		]);
		for (let from = 0; from < RECORDS; from += 50) {
			const some = Array.from({ length: 50 }, (_, place) => from + place);
			const create = async (n: number) =>
				await api.createRecord(made, { Key: `k${n}`, Group: `g${n % 500}`, Note: 'n'.repeat(100) });
			await Promise.all(some.map(create));
		}
		const card = { resource: 'record', cardId: byId(made.id) };
		const where = (field: string, value: string) => ({
			filters: { conditions: [{ field, condition: 'equals', value }] },
		});
		const workflow = chain('Loop', [
			manualTrigger(),
			code('Numbers', `return Array.from({ length: ${PASSES} }, (_, n) => ({ json: { n } }));`),
			{ name: 'Loop', type: 'n8n-nodes-base.splitInBatches', typeVersion: 3, parameters: {} },
			code(
				'One',
				'return $input.all().map(({ json: { n } }) => ({ json: { Key: `k${n}`, Note: `new ${n}` } }));',
			),
			action('Upsert', { ...card, operation: 'upsert', columns: mapAutomatically(['Key']) }),
			action('Get Many', { ...card, operation: 'getAll', returnAll: true, ...where('Key', 'k1') }),
			code(
				'Ten',
				"const n = Number($('One').first().json.Key.slice(1)) % 500; return Array.from({ length: 10 }, (_, i) => ({ json: { Key: `k${n + 500 * i}`, Group: `g${n}` } }));",
			),
			action('Sync', {
				...{ ...card, operation: 'sync', columns: mapAutomatically(['Key']) },
				...where('Group', '={{ $json.Group }}'),
			}),
			code('Nothing', 'return [{ json: {} }];'),
		]);
		// The loop's second output begins a pass, whose end leads back to it.
		workflow.connections['Loop'] = {
			main: [[], [{ node: 'One', type: 'main', index: 0 }]],
		};
		workflow.connections['Nothing'] = { main: [[{ node: 'Loop', type: 'main', index: 0 }]] };
		const before = host.processId;
		const execution = await succeed(workflow);
		expect(outputOf(execution, 'Sync')).toHaveLength(10 * PASSES);
		expect(execution.data.resultData.runData['Upsert']).toHaveLength(PASSES);
		expect(execution.data.resultData.runData['Sync']).toHaveLength(PASSES);
		expect(host.processId).toBe(before);
	}, 1_800_000);
});
