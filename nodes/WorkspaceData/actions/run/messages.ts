/** The messages of a run: hints, names instead of IDs, and notes on errors. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { count, sentences } from '../../values/messageText';
import { mayHaveHappened } from '../../transport/failure/failureKinds';

/**
 * Says how far some work came before it ended.
 *
 * @param noun what there are `total` of, in the singular
 * @param what what was done with them, for example `updated`
 * @param errors the errors of the failed changes; changes that may have been carried out are counted
 */
export function progressOf(
	done: number,
	total: number,
	noun: string,
	what: string,
	errors: readonly unknown[],
): string {
	const unclear = errors.filter(mayHaveHappened).length;
	const more = ` For ${unclear} more, the request was under way: it may have been carried out.`;
	const was = done === 1 || total === 1 ? 'was' : 'were';
	return `${done} of ${count(total, noun)} ${was} ${what}.${unclear > 0 ? more : ''}`;
}

/** The messages of a run. */
export class Messages {
	/** What was added to cards. The error that ends the run says so, because n8n then drops the hints. */
	readonly additions: string[] = [];
	private readonly context: Pick<IExecuteFunctions, 'addExecutionHints'>;
	private readonly shown = new Set<string>();
	private readonly names = new Map<string, string>();
	private readonly notes = new Map<unknown, string>();

	constructor(context: Pick<IExecuteFunctions, 'addExecutionHints'>) {
		this.context = context;
	}

	/** Shows a hint next to the output. Each text is shown only once. The rules in model/ get it by itself. */
	readonly hint = (message: string): void => {
		if (this.shown.has(message)) return;
		this.shown.add(message);
		this.context.addExecutionHints({ message, location: 'outputPane' });
	};

	/** Remembers the name of a field or card, to replace its ID in the service's messages. */
	learnName(id: string, name: string): void {
		// A bare number may mean anything in a text.
		if (name !== id && /\D/.test(id)) this.names.set(id, name);
	}

	/** Replaces known IDs in a text with their names, in 'quotes'. */
	withNames(text: string): string {
		// Includes the quotes that the service put around the ID, if any.
		return text.replace(/(["'`]?)([\w-]+)\1/g, (quoted, _quote, word: string) => {
			const name = this.names.get(word);
			return name === undefined ? quoted : `'${name}'`;
		});
	}

	/** Adds to the note on an error, once: items may share an error. */
	note(error: unknown, text: string): void {
		const earlier = this.notes.get(error) ?? '';
		if (!earlier.includes(text)) this.notes.set(error, sentences(earlier, text));
	}

	noteOn(error: unknown): string | undefined {
		return this.notes.get(error);
	}
}
