/** One of the choices of a field. Records hold a value for it; people know its label. */
import { isTextOrNumber, type FieldOption } from '../choiceList';
import { enteredChoice, storedChoice } from '../choices';
import { isObject, canonicalJson, textOf, type JsonObject } from '../json';
import { listedInQuotes } from '../messageText';
import {
	ANY_OF,
	EQUALITY,
	PARTS,
	unusable,
	type EntryRules,
	type Kind,
	type ValueField,
} from '../kind';

const CHOICE_ADVICE = "Or select 'Add to the Field' in 'If Choice Is Missing'.";

/** Says which choices a field has. */
export function allowedChoices(
	_entered: unknown,
	{ options }: ValueField,
	{ formats, addsChoices }: Partial<EntryRules> = {},
): string {
	if (options.length === 0) return 'Enter at least one value.';
	const labels = listedInQuotes(options.map(({ label }) => label));
	return [`Allowed values are ${labels}.`, formats && !addsChoices && CHOICE_ADVICE]
		.filter(Boolean)
		.join(' ');
}

/** The value to send for one entered choice. @returns undefined if no choice matches @throws InputError if several match */
export function enterChoice(entered: unknown, field: ValueField, rules: EntryRules): unknown {
	if (field.options.length === 0) return entered;
	const spelling = typeof entered === 'boolean' ? String(entered) : entered;
	if (isObject(spelling)) return choiceOfObject(spelling, field)?.stored;
	return isTextOrNumber(spelling)
		? enteredChoice(field, spelling, rules.isExact)?.stored
		: undefined;
}

/** The choice whose value, ID or label an object has; undefined if it has those of several. */
function choiceOfObject(entered: JsonObject, { options }: ValueField): FieldOption | undefined {
	const found = [entered.value, entered.id, entered.name, entered.label]
		.map((one) => storedChoice(options, one))
		.filter((option) => option !== undefined);
	return new Set(found).size === 1 ? found[0] : undefined;
}

export const choice: Kind = {
	types: ['singleselect', 'select', 'singlechoice', 'dropdown', 'enum', 'choice'],
	read(stored, { options }) {
		if (options.length === 0) return typeof stored === 'object' ? undefined : textOf(stored);
		const option = storedChoice(options, stored);
		return option && canonicalJson(option.stored);
	},
	/** Choices come in the order of the list, which changes when others are added. */
	position(stored, { options }) {
		const option = storedChoice(options, stored);
		return option && options.indexOf(option);
	},
	shownText: (stored, { options }) => storedChoice(options, stored)?.label ?? textOf(stored),
	enter(entered, field, rules) {
		if (!Array.isArray(entered)) return enterChoice(entered, field, rules);
		const [only, ...others] = entered;
		// An unticked form, or a list of another service without an entry.
		if (entered.length === 0) return null;
		if (others.length === 0 && !Array.isArray(only)) return enterChoice(only, field, rules);
		throw unusable(field, entered, `Enter one choice. ${allowedChoices(entered, field, rules)}`);
	},
	accepts: allowedChoices,
	choicesIn: (entered) => (Array.isArray(entered) && entered.length > 1 ? [] : [entered].flat()),
	conditions: [...EQUALITY, ...ANY_OF, ...PARTS],
	input: {
		type: 'options',
		options: ({ options }) => options.map(({ label }) => ({ name: label, value: label })),
		canMatch: true,
	},
};
