/** Reads resource locators: From List, By ID or By Name. */
import { pathSegment } from '../transport/credential';
import type { Card } from '../transport/api';
import { isObject } from '../values/json';
import { InputError } from '../values/inputError';
import { listedInQuotes, quote } from '../values/messageText';
import { foldCase } from '../values/nameSpelling';

/** A resource locator from n8n: the mode that the user selected, and the value. */
export interface Locator {
	mode: string;
	value: unknown;
	cachedResultName?: string;
}

/** The content of a resource locator. */
export interface LocatorReading {
	mode: string;
	/** Never empty, without outer spaces. */
	text: string;
	/** The unchanged value of the parameter. */
	entered: string;
	/** The text that the user knows it by. */
	shown: string;
}

/**
 * Reads a resource locator, or the bare ID that an expression returns.
 *
 * @returns undefined if nothing is selected
 */
export function peekLocator(value: unknown): LocatorReading | undefined {
	const locator: Partial<Locator> =
		typeof value === 'object' && value !== null ? value : { mode: 'id', value };
	const chosen = locator.value;
	const entered = typeof chosen === 'string' || typeof chosen === 'number' ? String(chosen) : '';
	const text = entered.trim();
	if (text === '') return undefined;
	return { mode: locator.mode ?? 'id', text, entered, shown: locator.cachedResultName || text };
}

/** The value of a locator. A value without a locator, such as from an expression, is returned unchanged. */
export const locatorValue = (value: unknown): unknown =>
	isObject(value) && '__rl' in value ? value.value : value;

/**
 * Reads a resource locator that must not be empty.
 *
 * @param parameter the parameter's name in messages
 * @throws InputError if nothing is selected, or if an identifier can't be part of a path
 */
export function readLocator(value: unknown, parameter: string): LocatorReading {
	const locator = peekLocator(value);
	const given = locatorValue(value);
	if (typeof given === 'number' && !Number.isSafeInteger(given)) {
		throw new InputError(
			`'${parameter}' can't be the number ${given}`,
			'A number this large may have lost digits, so it could mean another ID. Give the ID as text.',
		);
	}
	if (locator) {
		if (!['list', 'id', 'name'].includes(locator.mode)) {
			const what = `'${parameter}' can't be selected by '${locator.mode}'`;
			throw new InputError(what, 'Select From List, By ID or By Name.');
		}
		// An ID that no path can hold is refused here, so that it costs no request.
		if (locator.mode !== 'name') pathSegment(locator.text, parameter);
		return locator;
	}
	throw new InputError(`'${parameter}' is empty`, `Select or enter a value for '${parameter}'.`);
}

/**
 * Finds the card of a locator: by its ID, or by its name among the workspace's cards.
 *
 * @param listed returns these cards; only called if the locator has a name
 * @param isExact true if the name must match exactly, for changes that can't be undone
 * @throws InputError if no card or more than one has the name
 */
export async function locateCard(
	{ mode, text, entered, shown }: LocatorReading,
	listed: () => Promise<readonly Card[]>,
	isExact = false,
): Promise<Pick<Card, 'id' | 'name'>> {
	if (mode !== 'name') return { id: text, name: shown };
	const cards = await listed();
	const wanted = isExact ? entered : text;
	const card = cardCalled(cards, wanted, isExact);
	if (card) return card;
	const names = cards.map(({ name }) => name);
	throw new InputError(
		`The workspace has no card called ${quote(wanted)}`,
		names.length > 0
			? `The cards are ${listedInQuotes(names)}.`
			: 'The workspace has no cards yet.',
	);
}

/**
 * The card with exactly this name; else the one whose name differs only in case.
 *
 * @param isExact true if the name must match exactly
 * @throws InputError if more than one has it
 */
export function cardCalled(
	cards: readonly Card[],
	name: string,
	isExact = false,
): Card | undefined {
	const exact = cards.filter((card) => card.name === name);
	const inAnyCase = () => cards.filter((card) => foldCase(card.name) === foldCase(name));
	const found = isExact || exact.length > 0 ? exact : inAnyCase();
	if (found.length <= 1) return found[0];
	throw new InputError(
		`The workspace has ${found.length} cards called '${name}'`,
		`Select the card by its ID: ${found.map(({ id }) => id).join(', ')}.`,
	);
}
