import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '../../..');

/** Messages that the service or n8n words. */
const FOREIGN = ['Card not found', 'Record not found', 'Domain not allowed'];

/** The text of a literal, with `X` for the parts that are filled in at run time. */
function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return undefined;
	const isQuoted = (span: ts.TemplateSpan) =>
		ts.isCallExpression(span.expression) && span.expression.expression.getText() === 'quote';
	const spans = node.templateSpans.map(
		(span) => `${isQuoted(span) ? "'X'" : 'X'}${span.literal.text}`,
	);
	return node.head.text + spans.join('');
}

const sources = globSync('{nodes,credentials}/**/*.ts', { cwd: root }).map((file) =>
	ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true),
);

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
const textsOfCode = () =>
	findInCode((node) => {
		const text = textOf(node);
		return isMessage(text) ? text : undefined;
	});

/** The messages in the tables of the page; a cell may have several, and the last table has symptoms, too. */
function messagesOfPage(): string[] {
	const page = readFileSync(join(root, 'docs/messages.md'), 'utf8');
	const cells = [...page.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell);
	const symptoms = cells.indexOf('Message, or what you see');
	return cells
		.filter(
			(cell, place) => place < symptoms || /^(Log: |n8n's |The service |'Trigger On')/.test(cell),
		)
		.map((cell) => cell.replace('Log: ', ''))
		.flatMap((cell) => cell.replace(/, with .*/, '').split(/[,;] (?=[A-Z…'])/))
		.filter((message) => message !== 'Message' && !FOREIGN.includes(message));
}

/** Finds a message in the texts: labels, numbers and addresses in it stand for any. */
function patternOf(message: string): RegExp {
	const parts = message
		.replaceAll(
			/'[A-Z][^']*'|(?<=^The )(?:record|field)|(?:upda|dele)ted$|http:\S+[^\s,]|\/api\S+|\d+/g,
			'…',
		)
		.split('…')
		.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`).trim());
	return new RegExp(parts.join('.*'));
}

test('docs/messages.md explains messages that the code has', () => {
	const texts = textsOfCode();
	const messages = messagesOfPage();
	expect(
		messages.filter((message) => !texts.some((text) => patternOf(message).test(text))),
	).toEqual([]);
	expect(messages.length).toBeGreaterThan(40);
});

/** Classes whose first parameter people read, and functions that log. */
const TELLS =
	/^(?:InputError|UnexpectedResponse|Unreachable|AccessTokenError|warn|(?:site\.)?node\.warn)$/;

/** The messages that the code gives as literals to errors and to n8n's log. */
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
