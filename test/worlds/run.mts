/**
 * `npm run worlds -- [--minutes 30] [--seed 1] [--count n] [--findings 3] [--shrinks 300] [--theme sync]`: plays generated
 * worlds in n8n's engine. Worlds have consecutive seeds; `--seed 294 --count 1` plays one again. Prints each finding with
 * its seed and the smallest world that shows it. Ends with 0 only if all laws held.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const defaults = {
	minutes: '30',
	seed: '1',
	count: '1000000',
	findings: '3',
	shrinks: '300',
	theme: '',
};
const options = Object.entries(defaults).map(([name, value]) => [
	name,
	{ type: 'string' as const, default: value },
]);
const { values } = parseArgs({ options: Object.fromEntries(options) });
const env = Object.entries(values).map(([name, value]) => [`WORLDS_${name.toUpperCase()}`, value]);

const root = join(import.meta.dirname, '..', '..');
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const { status } = spawnSync(process.execPath, [jest, '--selectProjects', 'worlds'], {
	cwd: root,
	stdio: 'inherit',
	env: { ...process.env, ...Object.fromEntries(env) },
});
process.exit(status ?? 1);
