/** The choices of a field, found by what a record holds or by what a person enters; several of them in one text. */
import type { FieldOption } from '../answer/option';
import { quote } from '../names';
import { foldCase } from '../text';

interface Lookup {
	/** Places by identifiers of each JSON type. */
	identified: Map<string | number, number>;
	/** Places by labels, and by the text of identifiers. */
	labelled: Map<string, Set<number>>;
	texts: Map<string, Set<number>>;
	/** Places by labels and identifiers that are text, without case and outer spaces. */
	folded: Map<string, Set<number>>;
}

/** A listing is read once and asked for thousands of values. */
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
	// The identifiers that records hold come first: one of another kind may look like them.
	const most = Math.max(0, ...options.map(({ identifiers }) => identifiers.length));
	for (let rank = 0; rank < most; rank += 1) {
		for (const [place, { identifiers }] of options.entries()) {
			const identifier = identifiers[rank];
			if (identifier !== undefined && !identified.has(identifier))
				identified.set(identifier, place);
		}
	}
	for (const [listed, { labels, identifiers }] of options.entries()) {
		// Two entries for one identifier are one choice.
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

function only(...found: ReadonlyArray<ReadonlySet<number> | undefined>): number | undefined {
	const places = new Set(found.flatMap((one) => [...(one ?? [])]));
	const [place] = places;
	return places.size === 1 ? place : undefined;
}

/**
 * The place of the choice that a stored value is: by an identifier of it, else by a text that is no other
 * choice's label or identifier.
 *
 * @returns undefined if it is none of the choices
 */
export function storedChoice(options: readonly FieldOption[], stored: unknown): number | undefined {
	if (typeof stored !== 'string' && typeof stored !== 'number') return undefined;
	const { identified, labelled, texts } = lookupOf(options);
	const place = identified.get(stored);
	if (place !== undefined) return place;
	const text = String(stored);
	return typeof stored === 'string'
		? only(labelled.get(text), texts.get(text))
		: only(texts.get(text));
}

/** What an entry names: a choice, several, or none. */
type Named =
	| { option: FieldOption; isExact: boolean }
	| { candidates: readonly FieldOption[] }
	| undefined;

/**
 * The choice that an entered value names: a number is an identifier that is a number, else the label with these digits; a
 * text is a label or an identifier that is a text; of any type where the text itself would be sent.
 *
 * @param exact whether another case, outer spaces and the text of a number name no choice
 */
export function enteredChoice(
	options: readonly FieldOption[],
	entered: string | number,
	exact = false,
): Named {
	const { identified, labelled, texts, folded } = lookupOf(options);
	const at = (place: number): FieldOption => options[place] as FieldOption;
	const numbered = typeof entered === 'number' ? identified.get(entered) : undefined;
	if (numbered !== undefined) return { option: at(numbered), isExact: true };
	const text = String(entered);
	const places = new Set(labelled.get(text));
	// If the listing doesn't say what records hold, the label itself is sent: it must not look like another choice.
	const isSent = [...places].some((place) => at(place).sent === undefined);
	for (const place of (typeof entered === 'string' && texts.get(text)) || []) {
		if (isSent || at(place).identifiers.includes(text)) places.add(place);
	}
	if (places.size === 0 && exact) return undefined;
	const isNamed = places.size > 0;
	const found = isNamed ? places : (folded.get(foldCase(text)) ?? new Set<number>());
	const candidates = [...found].map(at);
	const [option] = candidates;
	if (candidates.length > 1) return isNamed ? { candidates } : undefined;
	return option && { option, isExact: isNamed && text === entered };
}

/** Whether a text names at least one choice. */
export const isChoice = (options: readonly FieldOption[], text: string): boolean =>
	lookupOf(options).folded.has(foldCase(text));

/** A choice in a message, so that two with like labels are distinguished. */
export function showChoice({ label, identifiers }: FieldOption): string {
	const [identifier] = identifiers;
	const shown = typeof identifier === 'number' ? String(identifier) : quote(identifier ?? '');
	return identifier === undefined || identifier === label
		? quote(label)
		: `${quote(label)} (stored as ${shown})`;
}

/**
 * Splits a text at the commas between choices. A choice with commas is taken whole where the card
 * knows it; double quotes hold any text together, and two of them stand for one.
 *
 * @param knows whether a text is a choice of the field
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

/** Parts that one choice may be made of. */
const MAX_PARTS = 10;

/** Where the longest known choice ends that starts at a part; else after that part. */
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

/** A choice as it stands in such a text: in quotes where it has commas or quotes itself. */
export const quoteChoice = (choice: string): string =>
	/[",]/.test(choice) ? `"${choice.replaceAll('"', '""')}"` : choice;
