/** New choices of a field, and the change that adds them. */
import type { Field } from '../model/response/field';
import { choiceListOf, readOptions } from '../model/response/choiceList';
import { isObject, type JsonObject } from '../model/response/jsonObject';
import { InputError } from './inputError';
import { foldCase } from './nameSpelling';
import { choicesByLine, enteredChoice, isChoice, storedChoice } from './choices';
import { isCanonicalNumber } from './decimal';

/** Returns true for text that nobody means as a choice: several lines, JSON, or the text of a missing value. */
const isNoChoice = (text: string): boolean => /[\r\n]|^[{[]|^(?:null|undefined|NaN)$/.test(text);

/**
 * The choices in these values that the field doesn't have, in order, each once. Another case or outer
 * spaces don't make a new choice.
 */
export function newChoices(field: Field, values: readonly unknown[]): string[] {
	const added = new Map<string, string>();
	for (const value of values) {
		for (const choice of field.kind.choicesIn?.(value, field) ?? []) {
			if (typeof choice !== 'string' && typeof choice !== 'number') continue;
			const text = String(choice).trim();
			const key = foldCase(text);
			// Text that differs only in case from two choices is refused later.
			if (text === '' || added.has(key) || isChoice(field.options, text)) continue;
			if (isNoChoice(text) || choicesByLine(text, field.options)) continue;
			const isIdentifier =
				typeof choice === 'number' && storedChoice(field.options, choice) !== undefined;
			if (!isIdentifier) added.set(key, text);
		}
	}
	return [...added.values()];
}

/** Keys under which a choice holds its visible text. */
const TEXT_KEYS = ['name', 'label', 'title', 'text'] as const;

/** Creates a choice in the shape of the field's other choices. The service assigns its ID. */
function likeOthers(text: string, others: readonly unknown[]): unknown {
	const likeType = (known: unknown) =>
		typeof known === 'number' && isCanonicalNumber(text) ? Number(text) : text;
	const other = others.find(isObject);
	if (!other) return likeType(others[0]);
	const isValue = typeof other.value === 'string' || typeof other.value === 'number';
	const key = TEXT_KEYS.find((name) => typeof other[name] === 'string');
	if (isValue) return { value: likeType(other.value), ...(key && { [key]: text }) };
	return { [key ?? 'name']: text };
}

/** @throws InputError if the shape of the choices isn't recognized: replacing the list would lose them */
function changeOf(
	{ name, raw }: Pick<Field, 'name' | 'raw'>,
	change: (list: readonly unknown[]) => unknown[],
): JsonObject {
	const found = choiceListOf(raw);
	if (found && readOptions(found.list).length === found.list.length) {
		return found.replacedBy(change(found.list));
	}
	throw new InputError(
		`The choices of field '${name}' are in a form that this node doesn't know`,
		"Nothing was changed, because the choices that the field has could be lost. Change them in the service, or in Field > Update with 'Options (JSON)'.",
	);
}

/**
 * The change that adds choices to a field. The existing choices stay unchanged with their IDs; the new ones
 * get the same shape.
 *
 * @throws InputError if the shape of the choices isn't recognized
 * @see service interface, part 2: the shape of options is not shown
 */
export const addingChoices = (
	field: Pick<Field, 'name' | 'raw'>,
	texts: readonly string[],
): JsonObject =>
	changeOf(field, (list) => [...list, ...texts.map((text) => likeOthers(text, list))]);

/**
 * The change that limits a field to exactly these choices. Existing ones stay unchanged.
 *
 * @throws InputError if the shape of the choices isn't recognized, or if text matches two of them
 */
export const settingChoices = (
	field: Pick<Field, 'name' | 'raw'>,
	texts: readonly string[],
): JsonObject =>
	changeOf(field, (list) => {
		const options = readOptions(list);
		return texts.map((text) => {
			const named = enteredChoice({ name: field.name, options }, text, true);
			return named ? list[options.indexOf(named.option)] : likeOthers(text, list);
		});
	});
