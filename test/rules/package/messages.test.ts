import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '../../..');

const sources = globSync('{nodes,credentials}/**/*.ts', { cwd: root }).map((file) =>
	ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true),
);

/** The constants that hold a text, by name. */
const constants = new Map(
	sources
		.flatMap((source) => [...source.statements])
		.filter(ts.isVariableStatement)
		.flatMap(({ declarationList }) => [...declarationList.declarations])
		.flatMap(({ name, initializer }) =>
			initializer && ts.isStringLiteral(initializer) ? [[name.getText(), initializer.text]] : [],
		) as Array<[string, string]>,
);

/** What a part of a message is at run time, with `X` for what isn't known. */
function partOf({ expression }: ts.TemplateSpan): string {
	const isQuoted = ts.isCallExpression(expression) && expression.expression.getText() === 'quote';
	return isQuoted ? "'X'" : (constants.get(expression.getText()) ?? 'X');
}

/** The text of a literal, with `X` for the parts that are filled in at run time. */
function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return undefined;
	const spans = node.templateSpans.map((span) => partOf(span) + span.literal.text);
	return node.head.text + spans.join('');
}

/** What a function finds in each part of the published code. */
function findInCode(found: (node: ts.Node) => string | undefined): string[] {
	const texts: string[] = [];
	const visit = (node: ts.Node): void => {
		const text = found(node);
		if (text !== undefined) texts.push(text);
		ts.forEachChild(node, visit);
	};
	sources.forEach(visit);
	return texts;
}

const isMessage = (text: string | undefined) => text && text.trim().split(/\s+/).length >= 3;

/** The literals of three words or more in the published code. */
const texts = [...new Set(findInCode(textOf).filter(isMessage))];

/** The rows of the tables that list messages, hints and lines of the log; a cell may have several. */
function messagesOfPage(): string[] {
	const page = readFileSync(join(root, 'docs/messages.md'), 'utf8');
	const tables = page.matchAll(/^\| (?:Message|Hint|In n8n's log) \|.*\n\|-.*\n((?:\|.*\n)+)/gm);
	return [...tables]
		.flatMap(([, rows = '']) => rows.trimEnd().split('\n'))
		.flatMap((row) => (row.split(' | ', 1)[0] ?? '').replace(/^\| /, '').split('<br>'));
}

/** The beginning of a message; `…` stands for any text. */
function patternOf(message: string): RegExp {
	const parts = message
		.replace(/…$/, '')
		.split('…')
		.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
	return new RegExp(`^${parts.join('.+')}`);
}

/** A row that fits more of the texts than this explains none of them. */
const MOST = 15;

test('docs/messages.md explains messages that the code has', () => {
	const messages = messagesOfPage();
	const strange = messages.filter((message) => {
		const found = texts.filter((text) => patternOf(message).test(text.trim())).length;
		return found === 0 || found > MOST;
	});
	expect(strange).toEqual([]);
	expect(messages.length).toBeGreaterThan(100);
});

/** Classes whose first parameter people read, and functions that log or show a hint. */
const TELLS =
	/^(?:InputError|UnexpectedResponse|Unreachable|AccessTokenError|warn|(?:site\.)?node\.warnings\.write|(?:run\.)?messages\.hint)$/;

/** The messages that the code gives as literals to errors, hints and n8n's log. */
const messagesOfCode = () =>
	findInCode((node) => {
		if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return undefined;
		if (!TELLS.test(node.expression.getText())) return undefined;
		// Of an error the first one; its other text is advice. Of the log whichever is a text.
		const given = node.arguments ?? [];
		return (ts.isNewExpression(node) ? given.slice(0, 1) : given).map(textOf).find(isMessage);
	});

test('docs/messages.md explains every message that the code has', () => {
	const patterns = messagesOfPage().map(patternOf);
	const messages = messagesOfCode();
	const unexplained = messages.filter((text) => !patterns.some((pattern) => pattern.test(text)));
	expect(unexplained).toEqual([]);
	expect(messages.length).toBeGreaterThan(80);
});
