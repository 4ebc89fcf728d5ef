/** `npm run promises`: prints a row for each title of a test that names a promise by its ID (`P4`). Runs no test. */
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '..');

/** The IDs in a title, without the ends of a range (`A1–A18`). */
const idsIn = (title: string): string[] => title.match(/(?<![–\w])[A-HK-R]\d{1,2}(?![–\w])/g) ?? [];

/** The text of a literal, with an ellipsis for what is filled in at run time. */
function textOf(node: ts.Node): string {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return '';
	return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}

/** A literal is a title as the first argument of a test, or in a table of tests by its form: `A5: …` or `… (A5)`. */
function isTitle(node: ts.Node): boolean {
	const { parent } = node;
	const isFirst = parent && ts.isCallExpression(parent) && parent.arguments[0] === node;
	if (isFirst && /^(?:test|it|describe)\b/.test(parent.expression.getText())) return true;
	return /^\(?[A-HK-R]\d{1,2}[,:) ].* |\w .*\([A-HK-R]\d{1,2}[^()]*\)$/.test(textOf(node));
}

/** The titles in a file that name a promise. */
function titlesIn(file: string): string[] {
	const titles: string[] = [];
	const visit = (node: ts.Node): void => {
		if (isTitle(node)) titles.push(textOf(node));
		ts.forEachChild(node, visit);
	};
	const text = readFileSync(resolve(root, file), 'utf8');
	visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
	return titles;
}

const rows = globSync('{test,service/test}/**/*.ts', {
	cwd: root,
	exclude: (path) => path.includes('node_modules'),
})
	.flatMap((file) => titlesIn(file).flatMap((title) => idsIn(title).map((id) => [id, title, file])))
	.sort(([a = ''], [b = '']) => a.localeCompare(b, 'en', { numeric: true }))
	.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '/')).join(' | ')} |`);
process.stdout.write(`${['| Promise | Test | File |', '|---|---|---|', ...rows].join('\n')}\n`);
