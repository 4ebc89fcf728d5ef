/** `npm run lint`: types, rules and layout, side by side; exits 1 if any of them objects. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const bin = join(import.meta.dirname, '..', 'node_modules');
const checks: Array<[string, string[]]> = [
	['typescript/bin/tsc', ['-p', 'tsconfig.json']],
	['eslint/bin/eslint.js', ['.', 'package.json', '--max-warnings', '0']],
	['prettier/bin/prettier.cjs', ['--check', '.', '--log-level', 'warn']],
];

const codes = await Promise.all(
	checks.map(
		async ([script, args]) =>
			await new Promise<number>((resolve) => {
				spawn(process.execPath, [join(bin, script), ...args], { stdio: 'inherit' }).on(
					'exit',
					(code) => resolve(code ?? 1),
				);
			}),
	),
);
process.exit(Math.max(...codes));
