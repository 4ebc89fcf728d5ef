import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A row of docs/reliability.md. */
export interface Row {
	/** The letter of the part and a number: `B12`. */
	id: string;
	/** The fault. */
	when: string;
	/** What is promised then. */
	then: string;
	/** The test files that show it, as {@link nameOf} calls them. */
	tests: string[];
}

/** How the page calls a test file: its path below test/, without the ending. */
export function nameOf(path: string): string {
	return path
		.replace(/^.*?\/test\/(?=(?:unit|node|service|e2e|package|zod-4)\/)/, '')
		.replace(/(\.e2e)?\.test\.ts$/, '');
}

/** The path, from the root of the repository, of the file that the page calls by a name. */
export function pathOf(name: string): string {
	return `test/${name}${name.startsWith('e2e/') ? '.e2e' : ''}.test.ts`;
}

/** The ids of rows in the name of a test, as in `(A17, A18)`; not the ends of a range, `A1–A18`. */
export function idsIn(title: string): string[] {
	return title.match(/(?<![–\w])[A-HK-N]\d{1,2}(?![–\w])/g) ?? [];
}

/** Reads the rows from the text of the page. */
export function parseRows(text: string): Row[] {
	return text
		.split('\n')
		.filter((line) => /^\| [A-HK-N]\d+ \|/.test(line))
		.map((line) => {
			const [id = '', when = '', then = '', shownBy = ''] = line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim());
			const tests = (shownBy.match(/`[^`]+`/g) ?? []).map((name) => name.slice(1, -1));
			return { id, when, then, tests };
		});
}

/** The rows of the page, when the current folder is the root of the repository. */
export function readRows(): Row[] {
	return parseRows(readFileSync(join(resolve(), 'docs', 'reliability.md'), 'utf8'));
}
