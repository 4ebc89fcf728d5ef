import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';

import { longestSentence, rules } from '../../../tools/prose/rules';
import { commentsIn, notesIn, textsIn } from '../../../tools/prose/sources';

describe('prose in sources', () => {
	const code = [
		'/** Opens the file. */',
		"const label = 'Name';",
		"const hint = 'Choose the card that the workflow reads';",
		'// Two lines of one thought,',
		'// read together.',
		'throw new Error(`The card ${name} does not exist any more`); // Says so.',
		'/**',
		' * Reads it.',
		' *',
		' * @param path where it is',
		' */',
	].join('\n');

	test('texts for people are the literals of several words, with their lines', () => {
		expect(textsIn('x.ts', code)).toEqual([
			{ text: 'Choose the card that the workflow reads', line: 3 },
			{ text: 'The card X does not exist any more', line: 6 },
		]);
	});
	test('comments come without marks and tags; lines that belong together are one', () => {
		const found = commentsIn('x.ts', code).map(({ text, line }) => [line, text.trim()]);
		expect(found).toEqual([
			[1, 'Opens the file.'],
			[4, 'Two lines of one thought,\nread together.'],
			[6, 'Says so.'],
			[7, expect.stringMatching(/^Reads it\.\s+path where it is$/)],
		]);
	});
});

test('the notes of a workflow come with their lines', () => {
	const nodes = [
		{ type: 'n8n-nodes-base.set', parameters: { content: 'No note' } },
		{ type: 'n8n-nodes-base.stickyNote', parameters: { content: '## Title\n\nReads "it".' } },
	];
	expect(notesIn(JSON.stringify({ nodes }, null, 2))).toEqual([
		{ text: '## Title\n\nReads "it".', line: 12 },
	]);
});

describe('the style', () => {
	/** The line and the beginning of each finding in a page. */
	async function findings(text: string): Promise<string[]> {
		const { messages } = await new TextlintKernel().lintText(text, {
			ext: '.md',
			plugins: [{ pluginId: 'markdown', plugin: markdown }],
			rules,
		});
		return messages.map(({ loc, message }) => `${loc.start.line} ${message}`);
	}

	test('finds turns of phrase to avoid, also across a line end and in tables', async () => {
		const page = 'The run goes\non.\n\n| a | it has to end |\n|---|---|\n| b | beside it |\n';
		expect(await findings(page)).toEqual([
			"1 'goes on': write continue",
			"4 'has to': write must, needs to",
			"6 'beside': write next to, in addition to",
		]);
	});
	test('leaves code and good English alone', async () => {
		const page = 'Nothing is left behind.\n\n`it goes on` is code.\n\n```\nit has to\n```\n';
		expect(await findings(page)).toEqual([]);
	});
	test('finds sentences that are too long, and "What …" as a subject', async () => {
		const long = (words: number) => `${'word '.repeat(words - 1)}word.`;
		const page = `Short. ${long(longestSentence)}\n\n${long(longestSentence + 1)}\n\nWhat is left is dropped. What now?\n`;
		expect(await findings(page)).toEqual([
			expect.stringMatching(/^3 a sentence of \d+ words/),
			expect.stringMatching(/^5 'What …' as a subject/),
			expect.stringMatching(/^5 'is left'/),
		]);
	});
});
