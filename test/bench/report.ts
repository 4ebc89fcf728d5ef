/** Writes docs/benchmarks.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { hostFolders, repository } from '../host/folders.ts';
import { hostNode } from '../host/hostNode.ts';
import { execa } from 'execa';

/** A measured row. */
export interface Result {
	name: string;
	what: string;
	unit: string;
	goal: number;
	ours: number;
	peer: number;
	ratio: number;
	ok: boolean;
	rounds: number;
}

const START = '<!-- measured -->';
const END = '<!-- /measured -->';

async function versionOf(folder: string, name: string): Promise<string> {
	const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
	return (JSON.parse(manifest) as { version: string }).version;
}

const shown = (value: number): string =>
	Number.isNaN(value) ? 'failed' : value.toFixed(Math.abs(value) < 10 ? 2 : 0);

/** The lines of the page's table by the names of their rows. */
const linesOf = (page: string): Map<string, string> =>
	new Map(
		page.split('\n').flatMap((line) => {
			const name = /^\| ([a-z][\w-]*) \| .+ rounds? \|$/.exec(line)?.[1];
			return name === undefined ? [] : [[name, line]];
		}),
	);

/**
 * Writes the measured rows into the page's table. Its words stay, and so do the lines of rows that were not measured.
 *
 * @param names of all rows, in their order
 */
export async function writeReport(
	results: readonly Result[],
	names: readonly string[],
): Promise<void> {
	const page = join(repository, 'docs', 'benchmarks.md');
	const before = await readFile(page, 'utf8');
	const [cpu] = cpus();
	const { stdout: node } = await execa(hostNode(hostFolders[2]).binary, ['--version']);
	const n8n = await versionOf(hostFolders[2], 'n8n');
	const undici = await versionOf(repository, 'undici');
	const machine = `${cpus().length} × ${cpu?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`;
	const today = new Date().toISOString().slice(0, 10);
	const lines = linesOf(before);
	for (const { name, what, ours, peer, unit, ratio, goal, ok, rounds } of results) {
		const figures = `${shown(ours)} / ${shown(peer)} ${unit} | ${shown(ratio)} | ≤ ${goal}`;
		const when = `${today}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
		lines.set(name, `| ${name} | ${what} | ${figures} | ${ok ? 'met' : 'missed'} | ${when} |`);
	}
	const measured = [
		START,
		'',
		`Last measured on ${today}: ${machine}; n8n ${n8n} on Node ${node}, undici ${undici}.`,
		'',
		'| name | measure | ours / peer | ratio | goal | | measured |',
		'|---|---|---|---|---|---|---|',
		...names.flatMap((name) => lines.get(name) ?? []),
		'',
		END,
	].join('\n');
	const start = before.indexOf(START);
	const end = before.indexOf(END);
	if (start < 0 || end < start) throw new Error(`${page} has no place for the figures`);
	await writeFile(page, before.slice(0, start) + measured + before.slice(end + END.length));
}
