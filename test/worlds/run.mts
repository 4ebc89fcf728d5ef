/**
 * `npm run worlds -- [--minutes 30] [--seed 1] [--count n]`: plays generated worlds in n8n's engine, on demand.
 * Worlds have consecutive seeds; `--seed 294 --count 1` plays one again. Prints each
 * finding with its seed and the smallest world that shows it. Ends with 0 only if all laws held.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const usage =
	'npm run worlds -- [--minutes <number>] [--seed <first>] [--count <worlds>] [--findings <of each law>] [--shrinks <tries>] [--theme keys|writes|conditions|choices|listings|sync|fromItems]\n';

const {
	values: { theme, ...values },
} = parseArgs({
	options: {
		theme: { type: 'string', default: 'any' },
		minutes: { type: 'string', default: '30' },
		seed: { type: 'string', default: '1' },
		count: { type: 'string', default: '1000000' },
		findings: { type: 'string', default: '3' },
		shrinks: { type: 'string', default: '300' },
	},
});
if (Object.values(values).some((value) => !(Number(value) >= 0))) {
	process.stderr.write(usage);
	process.exit(2);
}

const root = join(import.meta.dirname, '..', '..');
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const { status } = spawnSync(process.execPath, [jest, '--selectProjects', 'worlds'], {
	cwd: root,
	stdio: 'inherit',
	env: {
		...process.env,
		WORLDS_THEME: theme,
		...Object.fromEntries(
			Object.entries(values).map(([name, value]) => [`WORLDS_${name.toUpperCase()}`, value]),
		),
	},
});
process.exit(status ?? 1);
