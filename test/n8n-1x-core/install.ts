/**
 * Jest's global set-up of the tests that run against n8n 1: installs this package from its lock where that
 * has not been done yet (under a minute, 240 MB). The stamp is written last and holds the hash of the lock.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const stamp = join(__dirname, 'node_modules', '.installed');

/** @throws Error with what npm printed, when the installation fails */
export default function installN8n1(): void {
	const lock = readFileSync(join(__dirname, 'package-lock.json'));
	const wanted = createHash('sha256').update(lock).digest('hex');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
	process.stderr.write('Installing n8n-core 1 for the tests (once; under a minute, 240 MB) …\n');
	const options = ['--omit=optional', '--no-audit', '--no-fund', '--fetch-retries=5'];
	const { status, error, stderr } = spawnSync('npm', ['ci', '--loglevel=error', ...options], {
		cwd: __dirname,
		encoding: 'utf8',
		shell: process.platform === 'win32',
	});
	if (status !== 0) throw error ?? new Error(`Installing n8n-core 1 failed:\n${stderr}`);
	writeFileSync(stamp, wanted);
}
