/**
 * `npm run lint`: types, n8n's rules, our stricter rules, layout, prose and the list of messages, side by side;
 * exits 1 if any of them objects.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const modules = join(import.meta.dirname, '..', 'node_modules');

/** Makes each folder's own eslint.config.mjs count, as ESLint 10 will do without being asked. */
const environment = { ...process.env, ESLINT_FLAGS: 'unstable_config_lookup_from_file' };

const checks: Array<[string, string[]]> = [
	['typescript/bin/tsc', ['-p', 'tsconfig.json']],
	['@n8n/node-cli/bin/n8n-node.mjs', ['lint']],
	[
		'eslint/bin/eslint.js',
		['-c', 'eslint.strict.mjs', 'nodes', 'credentials', 'package.json', '--max-warnings', '0'],
	],
	['prettier/bin/prettier.cjs', ['--check', '.', '--log-level', 'warn']],
	['../tools/prose.ts', []],
	['../tools/messages.ts', []],
];

const codes = await Promise.all(
	checks.map(
		async ([script, args]) =>
			await new Promise<number>((resolve) => {
				spawn(process.execPath, [join(modules, script), ...args], {
					stdio: 'inherit',
					env: environment,
				}).on('exit', (code) => resolve(code ?? 1));
			}),
	),
);
process.exit(Math.max(...codes));
