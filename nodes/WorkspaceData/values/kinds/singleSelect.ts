/** One of the choices of a field. Records hold an identifier of it; people know its label. */
import { readOptions, type FieldOption } from '../../model/response/choiceList';
import { isObject, type JsonObject } from '../../model/response/jsonObject';
import type { Comparable } from '../comparable';
import { canonicalJson, textOf } from '../serialization';
import { enteredChoice, isChoice, numberedChoice, storedChoice } from '../choices';
import { askForNearest } from '../similarNames';
import { listed, quote } from '../messageText';
import {
	ANY_OF,
	EQUALITY,
	oneValueOf,
	PARTS,
	unusable,
	type EntryRules,
	type Kind,
	type Offer,
	type ValueField,
} from './kind';

const MAX_OPTIONS_SHOWN = 20;

const CHOICE_ADVICE = "Or select 'Add to the Field' in 'If Choice Is Missing'.";

/** The choices of a field in a message, limited to a readable number. */
export function allowedChoices({ options }: Pick<ValueField, 'options'>): string {
	const labels = options.map(({ label }) => `'${label}'`);
	return labels.length > 0
		? `Allowed values are ${listed(labels, MAX_OPTIONS_SHOWN)}.`
		: 'Enter at least one value.';
}

/** The entries of a list. A value that isn't a list is the only entry. */
const entriesOf = (entered: unknown): readonly unknown[] =>
	Array.isArray(entered) ? entered : [entered];

/** The value to send for the entered choice. @throws InputError if no choice or more than one matches */
export function enterChoice(entered: unknown, field: ValueField, rules: EntryRules): unknown {
	const { options } = field;
	if (options.length === 0) return entered;
	const [only, ...others] = entriesOf(entered);
	if (others.length > 0 || only === null || Array.isArray(only)) {
		throw unusable(field, entered, `Enter one choice. ${allowedChoices(field)}`);
	}
	const spelling = typeof only === 'boolean' ? String(only) : only;
	if (isObject(spelling)) return sentForObject(spelling, field);
	if (typeof spelling !== 'string' && typeof spelling !== 'number') return entered;
	const named = enteredChoice(field, spelling, rules.isExact);
	if (!named) {
		const numbered = typeof spelling === 'string' && numberedChoice(options, spelling);
		const number =
			numbered && `The number ${spelling} is ${quote(numbered.label)}, its text isn't.`;
		const near = askForNearest(
			textOf(spelling),
			options.map(({ label }) => label),
		);
		const advice = [number, near, allowedChoices(field), rules.missingChoices === 'error' && CHOICE_ADVICE]
			.filter(Boolean)
			.join(' ');
		throw unusable(field, entered, advice);
	}
	const { label, sent } = named.option;
	// The entered spelling stays if the listing doesn't say what records hold.
	return sent ?? (named.isExact ? spelling : label);
}

/** The value to send for an object that has the ID or the label of a choice. @throws InputError for another one */
function sentForObject(entered: JsonObject, field: ValueField): unknown {
	const [given] = readOptions([entered]);
	const spellings = given ? [...given.identifiers, ...given.labels] : [];
	const places = spellings
		.map((spelling) => storedChoice(field.options, spelling))
		.filter((place) => place !== undefined);
	const option = new Set(places).size === 1 ? field.options[places[0] ?? -1] : undefined;
	if (!option) throw unusable(field, entered, `${oneValueOf(entered)} ${allowedChoices(field)}`);
	return option.sent ?? option.label;
}

function readChoice(stored: unknown, { options }: ValueField): Comparable | undefined {
	if (options.length === 0) return typeof stored === 'object' ? undefined : textOf(stored);
	if (!isObject(stored)) return storedChoice(options, stored);
	// A service may store the choice itself, with identifier and label. Both must match the same choice.
	const spellings = readOptions([stored]).flatMap(({ identifiers, labels }) => [
		...identifiers,
		...labels,
	]);
	const places = new Set(spellings.map((spelling) => storedChoice(options, spelling)));
	return places.size === 1 ? [...places][0] : undefined;
}

/** Identifies a choice by its identifier, because its position changes when others are added or removed. */
function identifyChoice(stored: unknown, field: ValueField): Comparable | undefined {
	const form = readChoice(stored, field);
	if (typeof form !== 'number') return form;
	const { identifiers, label } = field.options[form] as FieldOption;
	return canonicalJson(identifiers[0] ?? label);
}

const offers = ({ options }: ValueField): Offer[] =>
	options.map(({ label }) => ({ name: label, value: label }));

export const choice: Kind = {
	newTypes: [
		{
			type: 'single_select',
			names: ['singleselect', 'select', 'singlechoice', 'dropdown', 'enum', 'choice'],
			choices: 'one',
		},
	],
	read: readChoice,
	identify: identifyChoice,
	texts(stored, field) {
		const place = readChoice(stored, field);
		const option = typeof place === 'number' ? field.options[place] : undefined;
		// People don't see its identifier.
		return option?.labels ?? [textOf(stored)];
	},
	enter: enterChoice,
	accepts: allowedChoices,
	mayBeUnlisted(entered, { options }) {
		if (typeof entered !== 'string' && typeof entered !== 'number') return false;
		// An entry that is similar to a choice, or ambiguous, doesn't count as a removed choice.
		const isNear = isChoice(options, String(entered));
		return options.length > 0 && !isNear && storedChoice(options, entered) === undefined;
	},
	choicesIn: (entered) => (entriesOf(entered).length === 1 ? entriesOf(entered) : []),
	conditions: [...EQUALITY, ...ANY_OF, ...PARTS],
	input: { type: 'options', options: offers, canMatch: true },
};
