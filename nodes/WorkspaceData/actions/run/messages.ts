/** The messages of a run: hints, names instead of IDs, and notes on errors. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { mayHaveHappened } from '../../transport/failure/failures';

export interface Messages {
	/** Shows a hint next to the output. Each text is shown only once. */
	hint(message: string): void;
	/** Remembers the name of a field or card, to replace its ID in the service's messages. */
	learnName(id: string, name: string): void;
	/** Replaces known IDs in a text with their names, in 'quotes'. */
	withNames(text: string): string;
	/** Adds a note to an error that says how far the run came. */
	note(error: unknown, text: string): void;
	noteOn(error: unknown): string | undefined;
}

/**
 * Says how far some work came before it ended.
 *
 * @param what the words after the numbers, for example `records were updated`
 * @param errors the errors of the failed changes; changes that may have been carried out are counted
 */
export function progressOf(
	done: number,
	total: number,
	what: string,
	errors: readonly unknown[],
): string {
	const unclear = errors.filter(mayHaveHappened).length;
	const more = ` For ${unclear} more, the request was under way: it may have been carried out.`;
	return `${done} of ${total} ${what}.${unclear > 0 ? more : ''}`;
}

/** Creates the messages of a run. */
export function createMessages(context: Pick<IExecuteFunctions, 'addExecutionHints'>): Messages {
	const hints = new Set<string>();
	const names = new Map<string, string>();
	const notes = new Map<unknown, string>();
	return {
		hint(message) {
			if (hints.has(message)) return;
			hints.add(message);
			context.addExecutionHints({ message, location: 'outputPane' });
		},
		learnName(id, name) {
			// A bare number may mean anything in a text.
			if (name !== id && /\D/.test(id)) names.set(id, name);
		},
		withNames(text) {
			// Includes the quotes that the service put around the ID, if any.
			return text.replace(/(["'`]?)([\w-]+)\1/g, (quoted, _quote, word: string) => {
				const name = names.get(word);
				return name === undefined ? quoted : `'${name}'`;
			});
		},
		note(error, text) {
			notes.set(error, text);
		},
		noteOn: (error) => notes.get(error),
	};
}
