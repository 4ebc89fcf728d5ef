/** Writes the figures into test/README.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { hostFolders, repository } from '../host/folders.ts';

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

/** A row of the page's table: name, measure, ratio, goal, and the day or a dash. */
const ROW = /^\| ([a-z][\w-]*) \| (.+) \| .+ \| ≤ .+ \| (?:\d{4}-\d\d-\d\d|–) \|$/;

/**
 * Writes figures into the page's table. The page says which rows it shows and what each measures; the lines of rows that were not
 * measured stay.
 */
export async function writeReport(results: readonly Result[]): Promise<void> {
	const page = join(repository, 'test', 'README.md');
	const before = await readFile(page, 'utf8');
	const start = before.indexOf(START);
	const end = before.indexOf(END);
	if (start < 0 || end < start) throw new Error(`${page} has no place for the figures`);
	const [cpu] = cpus();
	const n8n = await versionOf(hostFolders[2], 'n8n');
	const undici = await versionOf(repository, 'undici');
	const machine = `${cpus().length} × ${cpu?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`;
	const today = new Date().toISOString().slice(0, 10);
	const rows = before
		.slice(start, end)
		.split('\n')
		.flatMap((line) => {
			const [, name, measure] = ROW.exec(line) ?? [];
			if (name === undefined) return [];
			const result = results.find((one) => one.name === name);
			if (result === undefined) return [line];
			const ratio = shown(result.ratio) + (result.ok ? '' : ' (missed)');
			return [`| ${name} | ${measure} | ${ratio} | ≤ ${result.goal} | ${today} |`];
		});
	const measured = [
		START,
		'',
		`Last measured on ${today}: ${machine}; n8n ${n8n} on Node ${process.version}, undici ${undici}.`,
		'',
		'| Name | Ours / peer | Ratio | Goal | Measured |',
		'|---|---|---|---|---|',
		...rows,
		'',
		'',
	].join('\n');
	await writeFile(page, before.slice(0, start) + measured + before.slice(end));
}
