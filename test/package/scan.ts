/**
 * `npm run scan`: what n8n's own lint says, and its scanner for community packages, of the packed package and of the
 * sources it is built from; exits 1 if either finds anything. The scanner is installed on first use.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runProgram } from '../host/cleanup.ts';
import { runCommand } from '../host/commands.ts';
import { repository } from '../host/folders.ts';
import { buildPackage, packPackage } from '../host/packageInstall.ts';
import { installTools, toolsFolder } from './install.ts';

/** The part of the scanner that works on a folder; its command line fetches published packages. */
interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

async function loadScanner(): Promise<Scanner> {
	await installTools();
	const path = join(toolsFolder, '@n8n', 'scan-community-package', 'scanner', 'scanner.mjs');
	return (await import(path)) as Scanner;
}

/** n8n's own lint. The flag lets folders that aren't published have rules of their own. */
async function lint(): Promise<void> {
	await runCommand('npx', ['n8n-node', 'lint'], {
		cwd: repository,
		env: { ESLINT_FLAGS: 'unstable_config_lookup_from_file' },
		purpose: "n8n's lint",
	});
}

async function scan(): Promise<boolean> {
	await lint();
	const scanner = await loadScanner();
	await buildPackage();
	const tarball = await packPackage();
	const unpacked = await mkdtemp(join(tmpdir(), 'workspace-data-scan-'));
	try {
		await runCommand('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'], {
			cwd: unpacked,
			purpose: 'Unpacking the package',
		});
		const published = await scanner.analyzePackage(unpacked, ['**/*.js', 'package.json']);
		const sources = await scanner.analyzePackage(repository, scanner.SOURCE_FILE_PATTERNS);
		for (const [name, result] of Object.entries({ published, sources })) {
			const verdict = result.passed ? 'passed' : `failed: ${result.message}`;
			process.stdout.write(`${name}: ${verdict}\n${result.details ?? ''}`);
		}
		return published.passed && sources.passed;
	} finally {
		await rm(unpacked, { recursive: true, force: true });
	}
}

await runProgram(async () => ((await scan()) ? 0 : 1));
