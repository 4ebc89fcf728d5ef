/** Our style for prose, as rules of textlint: turns of phrase to avoid, and the length of sentences. */
import type { TextlintKernelRule } from '@textlint/kernel';
import { splitAST } from 'sentence-splitter';

/** A turn of phrase that a native engineer would not write, and what to write instead. */
interface Phrase {
	pattern: RegExp;
	instead: string;
}

/** Blanks in a pattern match line ends, too. */
const phrase = (pattern: string, instead: string): Phrase => ({
	pattern: new RegExp(`\\b(?:${pattern.replaceAll(' ', '\\s+')})\\b`, 'gi'),
	instead,
});

export const phrases: readonly Phrase[] = [
	phrase('(?:has|have|had|having) to', 'must, needs to'),
	phrase('beside', 'next to, in addition to'),
	phrase('(?:go|goes|going|went) on', 'continue'),
	phrase('as (?:it is|they are)(?=\\s*[.,;:)])', 'unchanged'),
	phrase('(?:a|an|the) [a-z]+ of (?:its|their|our|his) own', 'its, their, a separate'),
	phrase('(?:put|puts|putting) out', 'return, output'),
	phrase('those that|the one that', 'name the thing'),
	phrase('anew', 'again'),
	phrase('(?:is|are) left(?! (?:behind|untouched|alone|out))', 'remains'),
	phrase('there is no [^.;]{1,60} and none to', 'say who cannot do what'),
	phrase('for ever', 'forever, never expires'),
	phrase('of earlier times', 'old'),
	phrase('cures?', 'what to do'),
	phrase('overrun', 'exceeded'),
	phrase('verdict', 'name the result'),
	phrase('in vain', 'say what did not happen'),
	phrase('is not there', 'does not exist, is not installed'),
];

/** Turns of phrase of {@link phrases}. */
const avoid: TextlintKernelRule['rule'] = ({ Syntax, RuleError, getSource, locator, report }) => ({
	[Syntax.Str](node) {
		const text = getSource(node);
		for (const { pattern, instead } of phrases) {
			for (const match of text.matchAll(pattern)) {
				const range = [match.index, match.index + match[0].length] as const;
				report(
					node,
					new RuleError(`'${match[0].replace(/\s+/g, ' ')}': write ${instead}`, {
						padding: locator.range(range),
					}),
				);
			}
		}
	},
});

/** The most words a sentence may have; code and addresses count as one. */
export const longestSentence = 32;

/** The words of a sentence. */
function wordsOf(sentence: string): string[] {
	return sentence
		.replace(/`[^`]*`/g, 'code')
		.replace(/\]\([^)]*\)/g, ']')
		.split(/\s+/)
		.filter((word) => /[\p{L}\p{N}]/u.test(word));
}

/** Sentences that are too long, and sentences that have a clause with "what" as their subject. */
const sentences: TextlintKernelRule['rule'] = ({ Syntax, RuleError, locator, report }) => ({
	[Syntax.Paragraph](node) {
		for (const part of splitAST(node as Parameters<typeof splitAST>[0]).children) {
			if (part.type !== 'Sentence') continue;
			const range = [part.range[0] - node.range[0], part.range[1] - node.range[0]] as const;
			const tell = (message: string) =>
				report(node, new RuleError(message, { padding: locator.range(range) }));
			const count = wordsOf(part.raw).length;
			if (count > longestSentence) tell(`a sentence of ${count} words: make it two`);
			if (/^What\b/.test(part.raw) && !/[?:]$/.test(part.raw)) {
				tell("'What …' as a subject: say who or which thing");
			}
		}
	},
});

export const rules: TextlintKernelRule[] = [
	{ ruleId: 'avoid', rule: avoid },
	{ ruleId: 'sentences', rule: sentences },
];
