/** Finds the choices of a field by what a record holds or what a person enters, and adds new ones. */
import { choiceListOf, isTextOrNumber, type FieldOption } from './choiceList';
import { InputError } from './inputError';
import { isObject, type JsonObject } from './json';
import { quote } from './messageText';
import { foldCase } from './nameSpelling';
import type { ValueField } from './kind';
import { onceForEach } from './onceForEach';

type Found = ReadonlyMap<string | number, ReadonlySet<FieldOption>>;

/** The choices by what may stand for them. */
interface Lookup {
	byStored: Found;
	byId: Found;
	byLabel: Found;
	/** By labels and text identifiers, without case and outer spaces. */
	byFolded: Found;
}

function groupBy(
	options: readonly FieldOption[],
	keysOf: (option: FieldOption) => ReadonlyArray<string | number | undefined>,
): Found {
	const found = new Map<string | number, Set<FieldOption>>();
	for (const option of options) {
		for (const key of keysOf(option)) {
			if (key !== undefined) found.set(key, (found.get(key) ?? new Set()).add(option));
		}
	}
	return found;
}

const lookupOf = onceForEach((options: readonly FieldOption[]): Lookup => {
	const names = ({ label, stored, id }: FieldOption) =>
		[label, stored, id].filter((one) => typeof one === 'string').map(foldCase);
	return {
		byStored: groupBy(options, ({ stored }) => [stored]),
		byId: groupBy(options, ({ id }) => [id]),
		byLabel: groupBy(options, ({ label }) => [label]),
		byFolded: groupBy(options, names),
	};
});

const first = (found: ReadonlySet<FieldOption> | undefined): FieldOption | undefined =>
	found && [...found][0];

/** Finds the choice of a stored value: by the value that records hold, else by its ID, else by its label. */
export function storedChoice(
	options: readonly FieldOption[],
	stored: unknown,
): FieldOption | undefined {
	if (!isTextOrNumber(stored)) return undefined;
	const { byStored, byId, byLabel } = lookupOf(options);
	return first(byStored.get(stored) ?? byId.get(stored) ?? byLabel.get(stored));
}

/**
 * Finds the choice for an entered value. Text is a label or an identifier; a number is an identifier, else the
 * label of these digits.
 *
 * @param isExact true if text in another case or with outer spaces doesn't match
 * @throws SeveralChoices if it fits several choices
 */
export function enteredChoice(
	{ name, options }: Pick<ValueField, 'name' | 'options'>,
	entered: string | number,
	isExact = false,
): FieldOption | undefined {
	const { byStored, byId, byLabel, byFolded } = lookupOf(options);
	const identified = [...(byStored.get(entered) ?? []), ...(byId.get(entered) ?? [])];
	const isNumber = typeof entered === 'number' && identified.length > 0;
	const found = new Set([...identified, ...((!isNumber && byLabel.get(String(entered))) || [])]);
	const [option, ...others] = found;
	if (others.length > 0) {
		throw new SeveralChoices(
			`${quote(String(entered))} matches ${found.size} choices of field '${name}'`,
			`It matches ${[...found].map(showChoice).join(' and ')}. Use text or a number that only one of them has.`,
		);
	}
	if (option || isExact) return option;
	const folded = byFolded.get(foldCase(String(entered)));
	return folded?.size === 1 ? first(folded) : undefined;
}

/** A value fits several choices. */
export class SeveralChoices extends InputError {}

/** Returns true if text matches at least one choice. */
export const isChoice = (options: readonly FieldOption[], text: string): boolean =>
	lookupOf(options).byFolded.has(foldCase(text));

/** A choice in a message. Distinguishes two choices with similar labels. */
function showChoice({ label, stored, id }: FieldOption): string {
	const shown = (one: string | number) => (typeof one === 'number' ? String(one) : quote(one));
	if (stored !== label) return `${quote(label)} (stored as ${shown(stored)})`;
	return id === undefined ? quote(label) : `${quote(label)} (ID ${shown(id)})`;
}

/** Returns true for text that nobody means as a choice: several lines, JSON, or the text of a missing value. */
const isNoChoice = (text: string): boolean => /[\r\n]|^[{[]|^(?:null|undefined|NaN)?$/.test(text);

/**
 * The choices in these values that the field doesn't have, in order, each once. Another case or outer
 * spaces don't make a new choice.
 */
export function newChoices(field: ValueField, values: readonly unknown[]): string[] {
	const added = new Map<string, string>();
	for (const value of values) {
		for (const choice of field.kind.choicesIn?.(value, field) ?? []) {
			if (!isTextOrNumber(choice)) continue;
			const text = String(choice).trim();
			const key = foldCase(text);
			const isNumber = typeof choice === 'number' && storedChoice(field.options, choice);
			// Text that differs only in case from two choices is refused later.
			const isKnown = isNumber || added.has(key) || isChoice(field.options, text);
			if (!isKnown && !isNoChoice(text)) added.set(key, text);
		}
	}
	return [...added.values()];
}

/**
 * The change that adds choices to a field. Existing choices stay unchanged. New ones have the same form: text, or
 * an object with the same member for the label.
 *
 * @param raw the service's object of the field
 */
export function addingChoices({ raw }: { raw: JsonObject }, texts: readonly string[]): JsonObject {
	const { options } = raw;
	const list = choiceListOf(raw);
	const other = list.find(isObject);
	const key = other && !('name' in other) && 'label' in other ? 'label' : 'name';
	const choices = [...list, ...texts.map((text) => (other ? { [key]: text } : text))];
	return { options: isObject(options) ? { ...options, choices } : choices };
}
