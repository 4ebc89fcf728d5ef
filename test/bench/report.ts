/** Writes the figures into test/README.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { hostFolders, repository } from '../host/folders.ts';
import type { Result } from './row.ts';

const START = '<!-- measured -->';
const END = '<!-- /measured -->';

async function versionOf(folder: string, name: string): Promise<string> {
	const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
	return (JSON.parse(manifest) as { version: string }).version;
}

const today = new Date().toISOString().slice(0, 10);

function lineOf({ name, what, ratio, goal, isMet }: Result): string {
	const shown = Number.isNaN(ratio) ? 'failed' : ratio.toFixed(2);
	return `| ${name} | ${what} | ${shown}${isMet ? '' : ' (missed)'} | ≤ ${goal} | ${today} |`;
}

/** Writes the measured rows into the page's table; other rows of it stay. */
export async function writeReport(results: readonly Result[]): Promise<void> {
	const page = join(repository, 'test', 'README.md');
	const before = await readFile(page, 'utf8');
	const [start, end] = [before.indexOf(START), before.indexOf(END)];
	if (start < 0 || end < start) throw new Error(`${page} has no place for the figures`);
	const lines = new Map<string, string>();
	for (const line of before.slice(start, end).split('\n')) {
		const name = /^\| ([a-z][\w-]*) \|/.exec(line)?.[1];
		if (name !== undefined) lines.set(name, line);
	}
	for (const result of results) lines.set(result.name, lineOf(result));
	const n8n = await versionOf(hostFolders[2], 'n8n');
	const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
	const measured = [
		START,
		'',
		`Measured by \`npm run bench\`: ${machine}, Linux ${release()}; n8n ${n8n} on Node.js ${process.version}.`,
		'',
		'| Name | Ours / peer | Ratio | Goal | Measured |',
		'|---|---|---|---|---|',
		...lines.values(),
		'',
		'',
	];
	await writeFile(page, before.slice(0, start) + measured.join('\n') + before.slice(end));
}
