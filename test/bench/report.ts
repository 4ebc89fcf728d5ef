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

/** Replaces the measured part of the page; its words stay. */
export async function writeReport(results: readonly Result[]): Promise<void> {
	const page = join(repository, 'docs', 'benchmarks.md');
	const before = await readFile(page, 'utf8');
	const [cpu] = cpus();
	const { stdout: node } = await execa(hostNode(hostFolders[2]).binary, ['--version']);
	const n8n = await versionOf(hostFolders[2], 'n8n');
	const undici = await versionOf(repository, 'undici');
	const machine = `${cpus().length} × ${cpu?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`;
	const lines = results.map(
		({ name, what, ours, peer, unit, ratio, goal, ok, rounds }) =>
			`| ${name} | ${what} | ${shown(ours)} / ${shown(peer)} ${unit} | ${shown(ratio)} | ≤ ${goal} | ${ok ? 'met' : 'missed'} | ${rounds} |`,
	);
	const measured = [
		START,
		'',
		`Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}; n8n ${n8n} on Node ${node}, undici ${undici}.`,
		'',
		'| name | measure | ours / peer | ratio | goal | | rounds |',
		'|---|---|---|---|---|---|---|',
		...lines,
		'',
		END,
	].join('\n');
	const start = before.indexOf(START);
	const end = before.indexOf(END);
	if (start < 0 || end < start) throw new Error(`${page} has no place for the figures`);
	await writeFile(page, before.slice(0, start) + measured + before.slice(end + END.length));
}
