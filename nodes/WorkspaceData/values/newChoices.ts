/** New choices of a field, and the change that adds them. */
import { choiceListOf, isTextOrNumber } from './choiceList';
import { isChoice, storedChoice } from './choices';
import { isObject, type JsonObject } from './json';
import { foldCase } from './nameSpelling';
import type { ValueField } from './kind';

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
 * The change that adds choices to a field. The existing ones stay unchanged; the new ones are texts like them, or
 * objects with the same member for the label.
 *
 * @param raw the service's object of the field
 */
export function addingChoices({ raw }: { raw: JsonObject }, texts: readonly string[]): JsonObject {
	const { list, replacedBy } = choiceListOf(raw);
	const other = list.find(isObject);
	const key = other && !('name' in other) && 'label' in other ? 'label' : 'name';
	return replacedBy([...list, ...texts.map((text) => (other ? { [key]: text } : text))]);
}
