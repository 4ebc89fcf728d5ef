/** Reads our prose as `tools/prose/rules.ts` wants it: the part of `npm run lint` that is about English. */
import { TextlintKernel, type TextlintKernelPlugin } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import plainText from '@textlint/textlint-plugin-text';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { rules } from './prose/rules.ts';
import { scope } from './prose/scope.ts';
import { commentsIn, notesIn, type Passage, textsIn } from './prose/sources.ts';

const root = join(import.meta.dirname, '..');
const kernel = new TextlintKernel();
const plugins: TextlintKernelPlugin[] = [
	{ pluginId: 'markdown', plugin: markdown.default },
	{ pluginId: 'text', plugin: plainText.default },
];

interface Finding {
	file: string;
	line: number;
	message: string;
}

async function lint(
	file: string,
	ext: '.md' | '.txt',
	{ text, line }: Passage,
): Promise<Finding[]> {
	const { messages } = await kernel.lintText(text, { filePath: file, ext, plugins, rules });
	return messages.map(({ loc, message }) => ({ file, message, line: line + loc.start.line - 1 }));
}

async function* filesOf(patterns: readonly string[]): AsyncGenerator<[file: string, code: string]> {
	const exclude = (path: string) => /(?:^|\/)(?:node_modules|dist)(?:\/|$)/.test(path);
	for await (const file of glob(patterns, { cwd: root, exclude })) {
		yield [file, await readFile(join(root, file), 'utf8')];
	}
}

async function findings({ pages, notes, texts, comments }: typeof scope): Promise<Finding[]> {
	const found: Finding[] = [];
	for await (const [file, text] of filesOf(pages)) {
		found.push(...(await lint(file, '.md', { text, line: 1 })));
	}
	for await (const [file, code] of filesOf(notes)) {
		for (const { text, line } of notesIn(code)) {
			// A note is one line of JSON.
			for (const finding of await lint(file, '.md', { text, line }))
				found.push({ ...finding, line });
		}
	}
	for await (const [file, code] of filesOf(texts)) {
		for (const passage of textsIn(file, code)) found.push(...(await lint(file, '.txt', passage)));
	}
	for await (const [file, code] of filesOf(comments)) {
		for (const passage of commentsIn(file, code)) {
			found.push(...(await lint(file, '.txt', passage)));
		}
	}
	return found;
}

const found = await findings(scope);
for (const { file, line, message } of found) {
	process.stdout.write(`${file}:${line}  ${message}\n`);
}
process.exit(found.length > 0 ? 1 : 0);
