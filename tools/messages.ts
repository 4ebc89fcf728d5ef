/** Compares docs/messages.md with the code: the part of `npm run lint` that finds messages that no longer exist. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { textsIn } from './prose/sources.ts';

const root = join(import.meta.dirname, '..');
const page = 'docs/messages.md';

/** Messages that the service or n8n words. */
const foreign = ['Card not found', 'Record not found', 'Domain not allowed'];

/** The page has more; fewer mean that its tables are no longer understood here. */
const fewestMessages = 40;

/** The texts of the published code, with `X` for the parts that are filled in at run time. */
const texts = globSync('{nodes,credentials}/**/*.ts', { cwd: root }).flatMap((file) =>
	textsIn(file, readFileSync(join(root, file), 'utf8'), 3).map(({ text }) => text),
);

/** The messages in the tables of the page; a cell may have several, and the last table has sights, too. */
function messagesOf(text: string): string[] {
	const cells = [...text.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell);
	const sights = cells.indexOf('Message, or what you see');
	return cells
		.filter((cell, place) => place < sights || /^(Log: |n8n's )/.test(cell))
		.map((cell) => cell.replace('Log: ', ''))
		.flatMap((cell) => cell.replace(/, with .*/, '').split(/[,;] (?=[A-Z…'])/))
		.filter((message) => message !== 'Message' && !foreign.includes(message));
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

const messages = messagesOf(readFileSync(join(root, page), 'utf8'));
const unknown = messages.filter((message) => !texts.some((text) => patternOf(message).test(text)));
for (const message of unknown) {
	process.stdout.write(`${page}  The code has no message '${message}'\n`);
}
if (messages.length <= fewestMessages) {
	process.stdout.write(`${page}  Only ${messages.length} messages were found in its tables\n`);
}
process.exit(unknown.length > 0 || messages.length <= fewestMessages ? 1 : 0);
