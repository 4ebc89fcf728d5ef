/** What a run tells besides its output: hints, names instead of IDs, notes on errors, and what it has written. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { mayHaveHappened } from '../transport/errors';
import { count, sentences } from '../values/messageText';
import type { JsonObject } from '../values/json';

export class Hints {
	private readonly context: Pick<IExecuteFunctions, 'addExecutionHints'>;
	private readonly shown = new Set<string>();
	private readonly names = new Map<string, string>();

	constructor(context: Pick<IExecuteFunctions, 'addExecutionHints'>) {
		this.context = context;
	}

	/** Shows a hint next to the output. Each text is shown once. */
	add(message: string): void {
		if (this.shown.has(message)) return;
		this.shown.add(message);
		this.context.addExecutionHints({ message, location: 'outputPane' });
	}

	/** Remembers the name of a field or card, to replace its ID in the service's messages. */
	learnName(id: string, name: string): void {
		// A bare number may mean anything in a text.
		if (name !== id && /\D/.test(id)) this.names.set(id, name);
	}

	/** Replaces known IDs in a text of the service with their names, in 'quotes'. */
	withNames(text: string): string {
		// Includes the quotes that the service put around the ID, if any.
		const named = text.replace(/(["'`]?)([\w-]+)\1/g, (quoted, _quote, word: string) => {
			const name = this.names.get(word);
			return name === undefined ? quoted : `'${name}'`;
		});
		// A pointer isn't shown where the name is said as well.
		return named.replace(/\/data\/('[^']*')(: )?(.*)/g, (_, name: string, colon = '', rest = '') =>
			rest.includes(name) ? rest : name + colon + rest,
		);
	}
}

/** Adds a sentence to the description of an error, once: items may share an error. */
export function addNote(error: unknown, text: string): void {
	if (!(error instanceof Error)) return;
	const { description } = error as { description?: string };
	if (!description?.includes(text))
		Object.assign(error, { description: sentences(description, text) });
}

/** The number of changes that may have been carried out. An error that several items have isn't that of their own. */
export function unclearCount(errors: readonly unknown[]): number {
	const unclear = errors.filter(mayHaveHappened);
	const distinct = new Set(unclear).size;
	return distinct === 1 && unclear.length > 1 ? 0 : distinct;
}

/** Says how far some work came before it ended. @param noun what was worked on, in the singular */
export function progressNote(
	done: number,
	all: number,
	noun: string,
	participle: string,
	errors: readonly unknown[],
): string {
	const unclear = unclearCount(errors);
	const was = done === 1 || all === 1 ? 'was' : 'were';
	return sentences(
		`${done} of ${count(all, noun)} ${was} ${participle}.`,
		unclear > 0 && `For ${unclear} more, the request was under way: it may have been carried out.`,
	);
}

/** The approximate maximum of characters that an error's details hold. */
const MAX_CHARACTERS = 1_000_000;

export type WrittenAs = 'created' | 'updated' | 'deleted';

export class Done {
	/** What was added to cards, in words: the error that ends the run says so. */
	readonly additions: string[] = [];
	private readonly items: JsonObject[] = [];
	private readonly ids: Record<WrittenAs, string[]> = { created: [], updated: [], deleted: [] };
	private size = 0;

	/** Notes a written record, card or field. @param item its output item */
	add(as: WrittenAs, id: string, item: JsonObject): void {
		this.ids[as].push(id);
		if (this.size > MAX_CHARACTERS) return;
		this.size += JSON.stringify(item).length;
		if (this.size <= MAX_CHARACTERS) this.items.push(item);
	}

	/** The number of writes. */
	get count(): number {
		return Object.values(this.ids).reduce((sum, ids) => sum + ids.length, 0);
	}

	/** The first output items, as many as an error's details hold. */
	get details(): { done: JsonObject[]; doneCount: number; truncated: boolean } {
		const { count } = this;
		return { done: this.items, doneCount: count, truncated: this.items.length < count };
	}

	/** Lists the IDs by what became of them, a line each. */
	get lines(): string[] {
		return Object.entries(this.ids)
			.filter(([, ids]) => ids.length > 0)
			.map(([as, ids]) => `${ids.length} ${as}: ${ids.join(', ')}`);
	}
}
