/**
 * Finds the choices of a field by what a record holds or what a person enters. Also splits text with
 * several choices.
 */
import type { FieldOption } from '../model/response/choiceList';
import { InputError } from './inputError';
import { quote } from './messageText';
import { foldCase } from './nameSpelling';
import type { ValueField } from './kinds/kind';

interface Lookup {
	/** Positions by identifiers of each JSON type. */
	identified: Map<string | number, number>;
	/** Positions by labels, and by the text of identifiers. */
	labelled: Map<string, Set<number>>;
	texts: Map<string, Set<number>>;
	/** Positions by labels and text identifiers, without case and outer spaces. */
	folded: Map<string, Set<number>>;
}

/** Cached, because a listing is used for thousands of values. */
const lookups = new WeakMap<readonly FieldOption[], Lookup>();

function add(map: Map<string, Set<number>>, key: string, place: number): void {
	const places = map.get(key);
	if (places) places.add(place);
	else map.set(key, new Set([place]));
}

function buildLookup(options: readonly FieldOption[]): Lookup {
	const lookup: Lookup = {
		identified: new Map(),
		labelled: new Map(),
		texts: new Map(),
		folded: new Map(),
	};
	const { identified, labelled, texts, folded } = lookup;
	// Identifiers that records hold come first, because other identifiers may look like them.
	const most = Math.max(0, ...options.map(({ identifiers }) => identifiers.length));
	for (let rank = 0; rank < most; rank += 1) {
		for (const [place, { identifiers }] of options.entries()) {
			const identifier = identifiers[rank];
			if (identifier !== undefined && !identified.has(identifier))
				identified.set(identifier, place);
		}
	}
	for (const [listed, { labels, identifiers }] of options.entries()) {
		// Two entries with the same identifier are one choice.
		const [first] = identifiers;
		const place = first === undefined ? listed : (identified.get(first) ?? listed);
		for (const label of labels) add(labelled, label, place);
		for (const identifier of identifiers) add(texts, String(identifier), place);
		const names = identifiers.filter((one) => typeof one === 'string');
		for (const spelling of [...labels, ...names]) add(folded, foldCase(spelling), place);
	}
	return lookup;
}

function lookupOf(options: readonly FieldOption[]): Lookup {
	const lookup = lookups.get(options) ?? buildLookup(options);
	lookups.set(options, lookup);
	return lookup;
}

function only(places: ReadonlySet<number> = new Set()): number | undefined {
	const [place] = places;
	return places.size === 1 ? place : undefined;
}

/**
 * Finds the position of a stored value's choice: by one of its identifiers, else by text that isn't another
 * choice's label or identifier.
 *
 * @returns undefined if the value isn't one of the choices
 */
export function storedChoice(options: readonly FieldOption[], stored: unknown): number | undefined {
	if (typeof stored !== 'string' && typeof stored !== 'number') return undefined;
	const { identified, labelled, texts } = lookupOf(options);
	const place = identified.get(stored);
	if (place !== undefined) return place;
	const text = String(stored);
	// Text is a label, rather than the text of another choice's number.
	const named = typeof stored === 'string' ? labelled.get(text) : undefined;
	return only(named ?? texts.get(text));
}

/**
 * Finds the choice for an entered value. A number is a numeric identifier, else a label with these digits.
 * Text is a label or a text identifier.
 *
 * @param exact true if another case, outer spaces and the text of a number don't match
 * @throws InputError if it fits several choices
 */
export function enteredChoice(
	{ name, options }: Pick<ValueField, 'name' | 'options'>,
	entered: string | number,
	exact = false,
): { option: FieldOption; isExact: boolean } | undefined {
	const { identified, labelled, texts, folded } = lookupOf(options);
	const at = (place: number): FieldOption => options[place] as FieldOption;
	const numbered = typeof entered === 'number' ? identified.get(entered) : undefined;
	if (numbered !== undefined) return { option: at(numbered), isExact: true };
	const text = String(entered);
	const places = new Set(labelled.get(text));
	for (const place of (typeof entered === 'string' && texts.get(text)) || []) {
		if (at(place).identifiers.includes(text)) places.add(place);
	}
	if (places.size === 0 && exact) return undefined;
	const isNamed = places.size > 0;
	const found = isNamed ? places : (folded.get(foldCase(text)) ?? new Set<number>());
	const candidates = [...found].map(at);
	const [option] = candidates;
	if (candidates.length <= 1) return option && { option, isExact: isNamed && text === entered };
	if (!isNamed) return undefined;
	throw new InputError(
		`'${text}' matches ${candidates.length} choices of field '${name}'`,
		`It matches ${candidates.map(showChoice).join(' and ')}. Use text or a number that only one of them has.`,
	);
}

/** Returns true if text matches at least one choice. */
export const isChoice = (options: readonly FieldOption[], text: string): boolean =>
	lookupOf(options).folded.has(foldCase(text));

/** A choice in a message. Distinguishes two choices with similar labels. */
function showChoice({ label, identifiers }: FieldOption): string {
	const [identifier] = identifiers;
	const shown = typeof identifier === 'number' ? String(identifier) : quote(identifier ?? '');
	return identifier === undefined || identifier === label
		? quote(label)
		: `${quote(label)} (stored as ${shown})`;
}

/**
 * Splits text at the commas between choices. A known choice with commas stays whole. Double quotes keep any
 * text together; two of them stand for one.
 *
 * @param knows returns true if text is a choice of the field
 * @returns the parts without outer spaces; empty ones are left out
 */
export function splitChoices(text: string, knows: (choice: string) => boolean): string[] {
	const parts = text.match(/(?:\s*"(?:[^"]|"")*"\s*(?=,|$))|[^,]+/g) ?? [];
	const chosen: string[] = [];
	for (let start = 0; start < parts.length; ) {
		const end = longestChoice(parts, start, knows);
		const part = parts.slice(start, end).join(',').trim();
		const quoted = /^"((?:[^"]|"")*)"$/.exec(part);
		chosen.push(quoted && !knows(part) ? (quoted[1] ?? '').replaceAll('""', '"') : part);
		start = end;
	}
	return chosen.map((part) => part.trim()).filter((part) => part !== '');
}

/** Max parts that one choice may consist of. */
const MAX_PARTS = 10;

/** Returns the end of the longest known choice that starts at a part; else the end of that part. */
function longestChoice(
	parts: readonly string[],
	start: number,
	knows: (choice: string) => boolean,
): number {
	for (let end = Math.min(parts.length, start + MAX_PARTS); end > start + 1; end -= 1) {
		if (knows(parts.slice(start, end).join(',').trim())) return end;
	}
	return start + 1;
}

/** The choices in text with one in each line, or with semicolons; undefined unless all parts are choices. */
export function choicesByLine(text: string, options: readonly FieldOption[]): string[] | undefined {
	const parts = text
		.split(/[;\r\n]+/)
		.map((part) => part.trim())
		.filter((part) => part !== '');
	return parts.length > 1 && parts.every((part) => isChoice(options, part)) ? parts : undefined;
}

/** Finds the choice whose number this text is. Text itself never means a number. */
export const numberedChoice = (
	options: readonly FieldOption[],
	text: string,
): FieldOption | undefined =>
	options.find(({ identifiers }) => identifiers.some((id) => id !== text && String(id) === text));

/** A choice in such text: in quotes if it has commas or quotes itself. */
export const quoteChoice = (choice: string): string =>
	/[",]/.test(choice) ? `"${choice.replaceAll('"', '""')}"` : choice;
