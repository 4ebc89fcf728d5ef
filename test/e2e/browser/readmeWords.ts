/** The words that README.md tells a person to look for: what it prints in italics or bold. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type Major, repository } from '../../host/folders.ts';

const emphasised = /\*\*([^*]+)\*\*|\*([^*]+)\*/g;

/** What one major shows: "*Publish* (n8n 1: *Active*)" is the first word on 2, the second on 1. */
const variants = /(\*[^*]+\*)\s*\(n8n 1: ([^)]*)\)/g;

/**
 * Reads a section of README.md.
 *
 * @param title its heading, without the number signs
 */
export async function readWords(title: string, major: Major) {
	const text = await readFile(join(repository, 'README.md'), 'utf8');
	const section = text.split(/^#+ /m).find((part) => part.startsWith(`${title}\n`));
	if (section === undefined) throw new Error(`README.md has no section '${title}'`);
	const shown = section.replaceAll(variants, major === 1 ? '$2' : '$1').replaceAll(/\s+/g, ' ');
	const words = new Set(
		[...shown.matchAll(emphasised)].flatMap(([, bold, italic]) =>
			(bold ?? italic ?? '').split(' → '),
		),
	);
	const said = new Set<string>();
	return {
		/**
		 * A word that a test now looks for on the screen.
		 *
		 * @throws Error where the section does not have it
		 */
		say(word: string) {
			if (!words.has(word)) throw new Error(`README.md doesn't say '${word}' in '${title}'`);
			said.add(word);
			return word;
		},
		/** The words that no test has looked for. */
		unsaid: () => [...words].filter((word) => !said.has(word)),
	};
}
