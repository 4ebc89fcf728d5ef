import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');

/** Folders that are made by programs, and folders with a dot: not part of the source. */
const isPart = (name: string): boolean =>
	!name.startsWith('.') && !['node_modules', 'dist', 'coverage'].includes(name);

const foldersIn = (folder: string): string[] =>
	readdirSync(join(root, folder), { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && isPart(entry.name))
		.map(({ name }) => `${folder}${name}/`)
		.sort();

/** The folders of the tree in the page, with their paths; two blanks indent a level. */
function drawnFolders(): string[] {
	const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
	const [, tree = ''] = /## The folders\n\n```text\n([^`]*)```/.exec(page) ?? [];
	const above: string[] = [];
	return tree
		.trimEnd()
		.split('\n')
		.map((line) => {
			const [, indent = '', name = ''] = /^( *)(\S+\/)/.exec(line) ?? [];
			above.length = indent.length / 2;
			above.push(name);
			return above.join('');
		});
}

describe('docs/architecture.md', () => {
	const drawn = drawnFolders();

	test('draws folders that exist', () => {
		expect(drawn.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
		expect(drawn.length).toBeGreaterThan(30);
	});

	test('draws every folder of the root', () => {
		const top = drawn.filter((folder) => folder.split('/').length === 2);
		expect(top.toSorted()).toEqual(foldersIn(''));
	});

	test('shows all subfolders of a folder, or none', () => {
		for (const folder of drawn) {
			const inside = drawn.filter(
				(other) =>
					other.startsWith(folder) && other.split('/').length === folder.split('/').length + 1,
			);
			if (inside.length > 0) expect(inside.toSorted()).toEqual(foldersIn(folder));
		}
	});
});
