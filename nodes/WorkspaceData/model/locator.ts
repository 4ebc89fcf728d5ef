import type { Card } from './card';
import { InputError } from './inputError';

/** A resource locator as n8n gives it: the mode that the user chose, and the value. */
export interface Locator {
	mode: string;
	value: unknown;
	cachedResultName?: string;
}

/** A value for a field that shows an id to the user: the text of a locator. */
function locatorText(value: unknown, parameter: string): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	if (text !== '') return text;
	throw new InputError(`'${parameter}' is empty`, `Choose or enter a value for '${parameter}'.`);
}

/**
 * Reads a resource locator. An expression may give the bare id instead of mode and value.
 *
 * @param parameter the name that the user sees in messages
 * @throws InputError when nothing is chosen
 */
export function readLocator(
	value: unknown,
	parameter: string,
): { mode: string; text: string; shown: string } {
	const locator: Partial<Locator> =
		typeof value === 'object' && value !== null ? value : { mode: 'id', value };
	const text = locatorText(locator.value, parameter);
	return { mode: locator.mode ?? 'id', text, shown: locator.cachedResultName || text };
}

/**
 * The card of this name: the exact name, or one that differs only in case.
 *
 * @throws InputError when there is none, or more than one
 */
export function findCardByName(cards: readonly Card[], name: string): Card {
	const exact = cards.filter((card) => card.name === name);
	const folded = cards.filter((card) => card.name.trim().toLowerCase() === name.toLowerCase());
	const found = exact.length > 0 ? exact : folded;
	const [card] = found;
	if (card && found.length === 1) return card;
	if (card) {
		throw new InputError(
			`The workspace has ${found.length} cards called '${name}'`,
			`Choose the card by its id: ${found.map(({ id }) => id).join(', ')}.`,
		);
	}
	const names = cards.slice(0, 10).map((other) => `'${other.name}'`);
	throw new InputError(
		`The workspace has no card called '${name}'`,
		names.length > 0 ? `Its cards are ${names.join(', ')}.` : 'It has no cards yet.',
	);
}
