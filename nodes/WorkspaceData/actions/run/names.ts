/** The names that a person knows things by, for messages in which the service uses ids. */
export interface Names {
	/** Remembers a name. */
	learn(id: string, name: string): void;
	/** Puts the known names where a text has ids, in 'quotes'. */
	putInto(text: string): string;
}

/** Opens a list of names without entries. */
export function createNames(): Names {
	const known = new Map<string, string>();
	return {
		learn(id, name) {
			// A bare number may be anything in a text.
			if (name !== id && /\D/.test(id)) known.set(id, name);
		},
		putInto(text) {
			// With the quotes that the service put around the id, or none.
			return text.replace(/(["'`]?)([\w-]+)\1/g, (quoted, _quote, word: string) => {
				const name = known.get(word);
				return name === undefined ? quoted : `'${name}'`;
			});
		},
	};
}
