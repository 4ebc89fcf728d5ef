/** The floors of the service: an import runs down or stays in its folder. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '..');

/** From the ground up; '' is the files at the top. */
const floors = [
	'foundation',
	'data',
	'delivery',
	'listener',
	'auth',
	'http',
	'routes',
	'settingsPage',
	'control',
	'',
];

const floorOf = (path: string) => {
	const [folder = '', ...rest] = path.split('/');
	return rest.length === 0 ? '' : folder;
};

const files = globSync('**/*.ts', { cwd: root }).filter(
	(path) => !/node_modules|^test\//.test(path),
);

const imports = files.flatMap((from) => {
	const text = readFileSync(join(root, from), 'utf8');
	return ts
		.preProcessFile(text)
		.importedFiles.filter(({ fileName }) => fileName.startsWith('.') && /\.ts$/.test(fileName))
		.map(({ fileName }) => ({ from, to: relative(root, resolve(root, dirname(from), fileName)) }));
});

test('every import runs down or stays in its folder', () => {
	const up = imports.filter(
		({ from, to }) => floors.indexOf(floorOf(to)) > floors.indexOf(floorOf(from)),
	);
	expect(up).toEqual([]);
	expect(imports.length).toBeGreaterThan(100);
});

test('every folder has a floor, and every floor has files', () => {
	expect([...new Set(files.map(floorOf))].sort()).toEqual([...floors].sort());
});

test('nothing but the composition knows the control for tests', () => {
	const knowing = imports.filter(
		({ from, to }) => floorOf(to) === 'control' && floorOf(from) !== 'control',
	);
	expect([...new Set(knowing.map(({ from }) => from))].sort()).toEqual(['index.ts', 'options.ts']);
});

test('at most eight files stand at the top', () => {
	// Every folder that n8n's linter looks into has its own configuration; it is no part of the service.
	const top = globSync('*', { cwd: root, withFileTypes: true }).filter(
		(entry) => entry.isFile() && entry.name !== 'eslint.config.mjs',
	);
	expect(top.length).toBeLessThanOrEqual(8);
});
