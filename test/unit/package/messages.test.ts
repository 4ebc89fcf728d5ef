import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { textsIn } from '../../../tools/prose/sources';

const root = resolve(__dirname, '../../..');

/** Messages that the service or n8n words. */
const FOREIGN = ['Card not found', 'Record not found', 'Domain not allowed'];

/** The texts of the published code, with `X` for the parts that are filled in at run time. */
const texts = globSync('{nodes,credentials}/**/*.ts', { cwd: root }).flatMap((file) =>
	textsIn(file, readFileSync(join(root, file), 'utf8'), 3).map(({ text }) => text),
);

/** The messages in the tables of the page; a cell may have several, and the last table has sights, too. */
function messagesOf(page: string): string[] {
	const cells = [...page.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell);
	const sights = cells.indexOf('Message, or what you see');
	return cells
		.filter((cell, place) => place < sights || /^(Log: |n8n's )/.test(cell))
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

test('docs/messages.md has the messages of the code', () => {
	const messages = messagesOf(readFileSync(join(root, 'docs/messages.md'), 'utf8'));
	const unknown = messages.filter(
		(message) => !texts.some((text) => patternOf(message).test(text)),
	);
	expect(unknown).toEqual([]);
	expect(messages.length).toBeGreaterThan(40);
});
