/** Names in a message: not too long, not too many. */

/** Longest part of a name that a message shows, in characters. */
const SHOWN_LENGTH = 80;

/** A name in a message. */
export const clip = (name: string): string =>
	name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name;

/** A name in a message, in quotes. */
export const quote = (name: string): string => `'${clip(name)}'`;

/** The first of several names, and how many there are besides. */
export function listed(names: readonly string[], most: number): string {
	const more = names.length > most ? ` and ${names.length - most} more` : '';
	return `${names.slice(0, most).join(', ')}${more}`;
}
