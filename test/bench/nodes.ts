/**
 * `npm run bench -- [--only part] [--rounds number] [--write]`: what our nodes take in a real n8n, next
 * to n8n's HTTP Request node, an empty community trigger and undici without n8n. Exits 1 if a goal is missed. Without
 * `--only` or with `--write`, writes the measured rows into test/README.md.
 */
import { parseArgs } from 'node:util';
import { stopEverything, stopOnSignals } from '../host/cleanup.ts';
import { localRows } from './localRows.ts';
import { readRows } from './readRows.ts';
import { writeReport } from './report.ts';
import { median, type Result, type Round, type Row } from './row.ts';
import { triggerRows } from './triggerRows.ts';
import { NO_LIMIT, openBench, type Bench } from './workbench.ts';
import { writeRows } from './writeRows.ts';

const { values: options } = parseArgs({
	options: {
		write: { type: 'boolean', default: false },
		only: { type: 'string', multiple: true, default: [] },
		rounds: { type: 'string', default: '5' },
	},
});

const tell = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * Ours and the peer's in turns: what slows the machine slows both. So the ratio is the median of the rounds' own
 * ratios; a machine may be twice as fast a minute later. The first round does not count.
 */
async function measure(row: Row, bench: Bench): Promise<Result> {
	const { mostRounds = Infinity, prepare, ...facts } = row;
	const wanted = Math.min(Number(options.rounds), mostRounds);
	try {
		await bench.control.reset();
		await bench.control.setRate(NO_LIMIT);
		const runRound = await prepare(bench);
		const rounds: Round[] = [];
		if (wanted > 1) await runRound();
		while (rounds.length < wanted) rounds.push(await runRound());
		const of = (figure: (round: Round) => number) => median(rounds.map(figure));
		const ratio = of(({ ours, peer }) => ours / peer);
		const figures = { ours: of(({ ours }) => ours), peer: of(({ peer }) => peer) };
		return { ...facts, ...figures, ratio, isMet: ratio <= row.goal };
	} catch (error) {
		tell(`${row.name}: ${error instanceof Error ? error.message : String(error)}`);
		return { ...facts, ours: NaN, peer: NaN, ratio: NaN, isMet: false };
	}
}

stopOnSignals(() => 130);
const rows = [...writeRows, ...readRows, ...triggerRows, ...localRows].filter(
	({ name }) => options.only.length === 0 || options.only.some((part) => name.includes(part)),
);
try {
	const bench = await openBench(tell);
	const results: Result[] = [];
	for (const row of rows) {
		const result = await measure(row, bench);
		results.push(result);
		const { name, ours, peer, ratio, goal, isMet, unit } = result;
		tell(
			`${isMet ? 'met   ' : 'MISSED'}  ${name}: ${ours.toFixed(3)} ${unit} / ${peer.toFixed(3)} = ${ratio.toFixed(3)} (≤ ${goal})`,
		);
	}
	await bench.close();
	if (options.only.length === 0 || options.write) await writeReport(results);
	process.exitCode = results.every(({ isMet }) => isMet) ? 0 : 1;
} finally {
	await stopEverything();
}
