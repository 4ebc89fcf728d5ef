/**
 * `npm run bench -- [--only part] [--rounds number] [--profile folder]`: what our nodes take in a real n8n, next to
 * n8n's HTTP Request node, an empty community trigger and a bare undici client. Paired rounds, medians.
 * Exits 1 where a goal is missed. Prints rows for the table of docs/testing.md. `--profile` has n8n write CPU profiles into a folder.
 */
import { parseArgs } from 'node:util';
import { stopEverything, stopOnSignals } from '../host/cleanup.ts';
import { median, type Round, type Row } from './row.ts';
import { rows } from './rows.ts';
import { openBench, type Bench } from './workbench.ts';

const { values: options } = parseArgs({
	options: {
		profile: { type: 'string' },
		only: { type: 'string', multiple: true, default: [] },
		rounds: { type: 'string', default: '5' },
	},
});

/** A measured row. */
interface Result extends Row {
	ours: number;
	peer: number;
	ratio: number;
	ok: boolean;
}

const tell = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * Ours and the peer's in turns: what slows the machine slows both. So the ratio is the median of the rounds' own
 * ratios; a machine may be twice as fast a minute later. The first round does not count.
 */
async function measure(row: Row, bench: Bench): Promise<Result> {
	const { name, goal, mostRounds = Infinity } = row;
	const wanted = Math.min(Number(options.rounds), mostRounds);
	try {
		await bench.control.reset();
		const runRound = await row.prepare(bench);
		const rounds: Round[] = [];
		if (wanted > 1) await runRound();
		while (rounds.length < wanted) rounds.push(await runRound());
		const ours = median(rounds.map((round) => round.ours));
		const peer = median(rounds.map((round) => round.peer));
		const ratio = median(rounds.map((round) => round.ours / round.peer));
		return { ...row, ours, peer, ratio, ok: ratio <= goal };
	} catch (error) {
		tell(`${name}: ${error instanceof Error ? error.message : String(error)}`);
		return { ...row, ours: NaN, peer: NaN, ratio: NaN, ok: false };
	}
}

stopOnSignals(() => 130);
const isWanted = ({ name }: Row) =>
	options.only.length === 0 || options.only.some((part) => name.includes(part));
try {
	const bench = await openBench(tell, options.profile);
	const today = new Date().toISOString().slice(0, 10);
	const results: Result[] = [];
	for (const row of rows.filter(isWanted)) {
		const result = await measure(row, bench);
		results.push(result);
		const { name, what, ours, peer, ratio, goal, ok, unit } = result;
		tell(
			`${ok ? 'met   ' : 'MISSED'}  ${name}: ${ours.toFixed(3)} ${unit} / ${peer.toFixed(3)} = ${ratio.toFixed(3)} (≤ ${goal})`,
		);
		const cells = [name, what, ratio.toFixed(2), `≤ ${goal}`, today];
		process.stdout.write(`| ${cells.join(' | ')} |\n`);
	}
	await bench.close();
	process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
} finally {
	await stopEverything();
}
