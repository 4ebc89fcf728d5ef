/** Finds the prose in TypeScript (texts for people, and comments) and in workflows (notes). */
import ts from 'typescript';

/** A piece of prose and the line it begins in, from 1. */
export interface Passage {
	text: string;
	line: number;
}

/** As many words make a text that people read; fewer may be names, keys and paths. */
const FEWEST_WORDS = 4;

const lineOf = (source: ts.SourceFile, position: number): number =>
	source.getLineAndCharacterOfPosition(position).line + 1;

function parse(file: string, code: string): ts.SourceFile {
	return ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
}

/** The text of a literal, with `X` for what is filled in at run time. */
function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return undefined;
	return node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join('');
}

/** The labels, descriptions and messages in a source: its literals of several words. */
export function textsIn(file: string, code: string, fewestWords = FEWEST_WORDS): Passage[] {
	const source = parse(file, code);
	const found: Passage[] = [];
	const visit = (node: ts.Node): void => {
		const text = textOf(node);
		if (text !== undefined && text.trim().split(/\s+/).length >= fewestWords) {
			found.push({ text, line: lineOf(source, node.getStart(source)) });
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

/** A comment without its marks, tags and examples. */
function plain(comment: string): string {
	return comment
		.replace(/^\/\*\*?|\*\/$/g, '')
		.replace(/^[ \t]*(?:\/\/|\*)[ \t]?/gm, '')
		.replace(/^@(?:param|returns|throws|see)\b[ \t]*/gm, '\n');
}

/** The comments of a source; lines that follow one another are one. */
export function commentsIn(file: string, code: string): Passage[] {
	const source = parse(file, code);
	const ranges = new Map<number, ts.CommentRange>();
	const visit = (node: ts.Node): void => {
		const around = [
			...(ts.getLeadingCommentRanges(code, node.getFullStart()) ?? []),
			...(ts.getTrailingCommentRanges(code, node.getEnd()) ?? []),
		];
		for (const range of around) ranges.set(range.pos, range);
		ts.forEachChild(node, visit);
	};
	visit(source);
	const found: Array<Passage & { last: number }> = [];
	for (const { pos, end, kind } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
		const line = lineOf(source, pos);
		const text = plain(code.slice(pos, end));
		const before = found.at(-1);
		// A comment behind code is about that line only.
		const ownLine = /(?:^|\n)[ \t]*$/.test(code.slice(0, pos));
		if (kind === ts.SyntaxKind.SingleLineCommentTrivia && ownLine && before?.last === line - 1) {
			before.text += `\n${text}`;
			before.last = line;
		} else found.push({ text, line, last: lineOf(source, end) });
	}
	return found;
}

/** The sticky notes of a workflow's JSON; `code` has one parameter in a line. */
export function notesIn(code: string): Passage[] {
	const { nodes } = JSON.parse(code) as {
		nodes: Array<{ type: string; parameters: { content?: string } }>;
	};
	const lines = code.split('\n');
	return nodes.flatMap(({ type, parameters: { content } }) => {
		if (!type.endsWith('.stickyNote') || content === undefined) return [];
		const line = lines.findIndex((text) => text.includes(JSON.stringify(content))) + 1;
		return [{ text: content, line }];
	});
}
