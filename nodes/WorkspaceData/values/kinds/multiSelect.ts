/** Several of the choices of a field: a set, in any order. */
import { parseJsonText } from '../../model/response/parseJson';
import { isObject } from '../../model/response/jsonObject';
import { choicesByLine, isChoice, quoteChoice, splitChoices } from '../choices';
import { compareForms, keyOfForm, type Comparable } from '../comparable';
import { canonicalJson, textOf } from '../serialization';
import { allowedChoices, choice, enterChoice } from './singleSelect';
import { ANY_OF, EQUALITY, PARTS, unusable, type Kind, type ValueField } from './kind';

/** Max characters of the choices in a label: more than anybody reads, and not too many for the editor. */
const MAX_CHOICES_SHOWN = 2_000;

/** The choices in a value of several choices; undefined if it isn't a list of any kind. */
export function listedChoices(
	{ options }: Pick<ValueField, 'options'>,
	value: unknown,
): readonly unknown[] | undefined {
	if (typeof value === 'number' || typeof value === 'boolean') return [value];
	if (typeof value !== 'string') return Array.isArray(value) ? value : undefined;
	const json = parseJsonText(value);
	if (Array.isArray(json)) return json;
	const knows = (text: string) => isChoice(options, text);
	const lines = knows(value) ? undefined : choicesByLine(value, options);
	const parts = lines ?? splitChoices(value, knows);
	// Not the parts of something like JSON.
	return /^\s*[{[]/.test(value) && !parts.every(knows) ? [value] : parts;
}

/** The choices of a stored value. A service may store a single one without a list. */
const membersOf = (stored: unknown, field: ValueField): readonly unknown[] =>
	listedChoices(field, stored) ?? [stored];

/** Removes order and duplicates, because a set has neither. */
function setOf(
	stored: unknown,
	field: ValueField,
	read: (member: unknown) => Comparable | undefined,
): Comparable | undefined {
	const forms = membersOf(stored, field).map(read);
	const known = forms.filter((form) => form !== undefined);
	if (known.length < forms.length) return undefined;
	const different = new Map(known.map((form) => [keyOfForm(form), form]));
	return [...different.values()].sort((a, b) => compareForms(a, b));
}

/** The choices, written as a user enters several. They come first, because n8n cuts the label. */
function choicesHint({ options }: ValueField): string {
	const all = options.map(({ label }) => quoteChoice(label)).join(', ');
	if (all === '') return ' (comma-separated)';
	const shown = all.length > MAX_CHOICES_SHOWN ? `${all.slice(0, MAX_CHOICES_SHOWN)}…` : all;
	return `: ${shown}`;
}

export const choices: Kind = {
	types: ['multienum'],
	newTypes: [
		{
			type: 'multi_select',
			names: ['multiselect', 'multipleselect', 'multichoice', 'multiplechoice', 'choices'],
			else: ['json', 'long_text'],
			choices: 'several',
		},
	],
	read: (stored, field, zone) => setOf(stored, field, (one) => choice.read(one, field, zone)),
	// A removed choice, in a list because no choice's form is one.
	identify: (stored, field) =>
		setOf(stored, field, (one) => choice.identify?.(one, field) ?? [canonicalJson(one)]),
	texts: (stored, field) =>
		membersOf(stored, field).flatMap((one) => choice.texts?.(one, field) ?? [textOf(one)]),
	set: { kind: choice, of: membersOf },
	enter(entered, field, rules) {
		const list = isObject(entered) ? [entered] : listedChoices(field, entered);
		// The text `[]` is an empty list. Other text without a choice isn't a list.
		if (list?.length === 0 && typeof entered === 'string' && !entered.includes('[')) {
			throw unusable(field, entered, `${allowedChoices(field)} An empty list clears the field.`);
		}
		// Duplicates are removed, because services refuse them.
		return list ? [...new Set(list.map((one) => enterChoice(one, field, rules)))] : entered;
	},
	accepts: allowedChoices,
	choicesIn: (entered, field) => listedChoices(field, entered) ?? [],
	conditions: [...EQUALITY, ...ANY_OF, ...PARTS],
	input: {
		// Text, because n8n's input for lists is a JSON editor.
		type: 'string',
		canMatch: false,
		hint: choicesHint,
		filterValues: choice.input.options,
	},
};
