/**
 * `npm run bench -- [--only part] [--rounds number] [--json]`: what our nodes take in n8n's engine, compared with
 * undici and n8n's own request helper doing the same work at the same service, with as many requests at
 * once. Medians; all wait for the service. The ratio to the helper is what our node adds to n8n.
 */
import { parseArgs } from 'node:util';
import { stopEverything, stopOnSignals } from '../host/cleanup.ts';
import { startService } from '../host/serviceProcess.ts';
import { connectControl } from '../service/index.ts';
import { helperClient, undiciClient } from './clients.ts';
import { loadNodes } from './compiledNodes.ts';
import { PARALLEL, prepareScenarios, type Scenario } from './scenarios.ts';

const { values: options } = parseArgs({
	options: {
		json: { type: 'boolean', default: false },
		only: { type: 'string', default: '' },
		rounds: { type: 'string', default: '5' },
	},
});

async function secondsOf(run: () => Promise<void>): Promise<number> {
	const started = performance.now();
	await run();
	return (performance.now() - started) / 1000;
}

const median = (values: number[]): number =>
	values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

stopOnSignals(() => 130);
const nodes = await loadNodes();
const service = await startService({ control: true });
const control = connectControl(service.controlUrl ?? '', service.controlToken ?? '');
await control.setRate({ rate: { limit: 1_000_000_000 } });
const undici = undiciClient(service, PARALLEL);
const helper = helperClient(service, nodes.executeContext({}));

/** In turns, after one round that does not count: what slows the machine slows all. */
async function measure({ name, count, isLocal, bare, node }: Scenario) {
	const ways = {
		undici: async () => await bare(undici),
		...(!isLocal && { helper: async () => await bare(helper) }),
		node,
	};
	const seconds: Record<string, number[]> = {};
	for (let round = 0; round <= Number(options.rounds); round += 1) {
		for (const [way, run] of Object.entries(ways)) {
			const taken = await secondsOf(run);
			if (round > 0) (seconds[way] ??= []).push(taken);
		}
	}
	const [bareSeconds = NaN, helperSeconds, nodeSeconds = NaN] = ['undici', 'helper', 'node'].map(
		(way) => seconds[way] && median(seconds[way]),
	);
	return {
		name,
		count,
		undiciSeconds: bareSeconds,
		helperSeconds,
		nodeSeconds,
		toUndici: nodeSeconds / bareSeconds,
		toHelper: helperSeconds && nodeSeconds / helperSeconds,
	};
}

const shown = (value: number | undefined, digits: number) =>
	value === undefined ? undefined : Number(value.toFixed(digits));

try {
	const scenarios = await prepareScenarios({ nodes, service, control, client: undici });
	const results = [];
	for (const scenario of scenarios.filter(({ name }) => name.includes(options.only))) {
		results.push(await measure(scenario));
	}
	if (options.json) process.stdout.write(`${JSON.stringify(results, null, '\t')}\n`);
	else {
		const rows = results.map((result) => [
			result.name,
			{
				count: result.count,
				'undici, s': shown(result.undiciSeconds, 3),
				"n8n's helper, s": shown(result.helperSeconds, 3),
				'our node, s': shown(result.nodeSeconds, 3),
				'node : undici': shown(result.toUndici, 2),
				'node : helper': shown(result.toHelper, 2),
			},
		]);
		console.table(Object.fromEntries(rows));
	}
} finally {
	await undici.close();
	await stopEverything();
}
