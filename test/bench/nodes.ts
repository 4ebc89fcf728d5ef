/**
 * `npm run bench -- [--only part] [--rounds number] [--json] [--write] [--profile folder]`: what our nodes take in a real n8n, next to
 * n8n's HTTP Request node, an empty community trigger and a bare undici client. Paired rounds, medians.
 * Exits 1 where a goal is missed. Without `--only` or with `--write`, writes the measured rows into test/README.md. `--profile` has n8n write CPU profiles into a folder.
 */
import { parseArgs } from 'node:util';
import { stopEverything, stopOnSignals } from '../host/cleanup.ts';
import { writeReport, type Result } from './report.ts';
import { median, type Round, type Row } from './row.ts';
import { rows } from './rows.ts';
import { openBench, type Bench } from './workbench.ts';

const { values: options } = parseArgs({
	options: {
		json: { type: 'boolean', default: false },
		profile: { type: 'string' },
		write: { type: 'boolean', default: false },
		only: { type: 'string', multiple: true, default: [] },
		rounds: { type: 'string', default: '5' },
	},
});

/** For all rows that set none themselves. */
const NO_LIMIT = { limit: 1_000_000_000 };

const tell = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * Ours and the peer's in turns: what slows the machine slows both. So the ratio is the median of the rounds' own
 * ratios; a machine may be twice as fast a minute later. The first round does not count.
 */
async function measure(row: Row, bench: Bench): Promise<Result> {
	const { name, what, unit, goal, mostRounds = Infinity } = row;
	const wanted = Math.min(Number(options.rounds), mostRounds);
	try {
		await bench.control.reset();
		await bench.control.setRate({ rate: NO_LIMIT });
		const runRound = await row.prepare(bench);
		const rounds: Round[] = [];
		if (wanted > 1) await runRound();
		while (rounds.length < wanted) rounds.push(await runRound());
		const ours = median(rounds.map((round) => round.ours));
		const peer = median(rounds.map((round) => round.peer));
		const ratio = median(rounds.map((round) => round.ours / round.peer));
		return { name, what, unit, goal, ours, peer, ratio, ok: ratio <= goal, rounds: wanted };
	} catch (error) {
		tell(`${name}: ${error instanceof Error ? error.message : String(error)}`);
		return { name, what, unit, goal, ours: NaN, peer: NaN, ratio: NaN, ok: false, rounds: 0 };
	}
}

stopOnSignals(() => 130);
const isWanted = ({ name }: Row) =>
	options.only.length === 0 || options.only.some((part) => name.includes(part));
try {
	const bench = await openBench(tell, options.profile);
	const results: Result[] = [];
	for (const row of rows.filter(isWanted)) {
		const result = await measure(row, bench);
		results.push(result);
		const { name, ours, peer, ratio, goal, ok, unit } = result;
		tell(
			`${ok ? 'met   ' : 'MISSED'}  ${name}: ${ours.toFixed(3)} ${unit} / ${peer.toFixed(3)} = ${ratio.toFixed(3)} (≤ ${goal})`,
		);
	}
	await bench.close();
	if (options.json) {
		const table = Object.fromEntries(
			results.map(({ name, ratio, goal, ok }) => [name, { ratio, goal, ok }]),
		);
		process.stdout.write(`${JSON.stringify(table, null, '\t')}\n`);
	}
	if (options.only.length === 0 || options.write) await writeReport(results);
	process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
} finally {
	await stopEverything();
}
