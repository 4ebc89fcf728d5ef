/** Several of the choices of a field: a set, in any order. */
import { isChoice, storedChoice } from '../choices';
import { canonicalJson, looksLikeJson, parseJsonText } from '../json';
import type { Zone } from '../time';
import { allowedChoices, choice, enterChoice } from './singleSelect';
import { ANY_OF, EQUALITY, PARTS, unusable, type Kind, type ValueField } from '../kind';

/** Max characters of the choices in a label: more than anybody reads, and not too many for the editor. */
const MAX_CHOICES_SHOWN = 2_000;

/** The choices in an entry: a list, or text that is a label, else its parts at commas, semicolons or line breaks. */
function listedChoices(
	{ options }: Pick<ValueField, 'options'>,
	entered: unknown,
): readonly unknown[] {
	if (typeof entered !== 'string') return Array.isArray(entered) ? entered : [entered];
	const json = parseJsonText(entered);
	if (Array.isArray(json)) return json;
	// Something like JSON has no parts.
	if (isChoice(options, entered) || looksLikeJson(entered)) return [entered];
	return entered
		.split(/[;\r\n]+/)
		.flatMap((part) => (isChoice(options, part) ? part : part.split(',')))
		.map((part) => part.trim())
		.filter((part) => part !== '');
}

/** The choices of a stored value. */
const storedList = (stored: unknown): readonly unknown[] => [stored].flat();

const identify = (stored: unknown, field: ValueField, zone: Zone): string =>
	// A choice that was removed from the list is another one.
	String(choice.read(stored, field, zone) ?? `?${canonicalJson(stored)}`);

/** Removes order and duplicates, because a set has neither. */
const readSet: Kind['read'] = (stored, field, zone) =>
	JSON.stringify([...new Set(storedList(stored).map((one) => identify(one, field, zone)))].sort());

/** The choices, written as a user enters several. They come first, because n8n cuts the label. */
function choicesHint({ options }: ValueField): string {
	const labels = options.map(({ label }) => label);
	if (labels.length === 0) return ' (comma-separated)';
	const all = labels.some((label) => /[,;]/.test(label))
		? JSON.stringify(labels)
		: labels.join(', ');
	return `: ${all.length > MAX_CHOICES_SHOWN ? `${all.slice(0, MAX_CHOICES_SHOWN)}…` : all}`;
}

export const choices: Kind = {
	types: ['multiselect', 'multipleselect', 'multichoice', 'multiplechoice', 'multienum', 'choices'],
	member: choice,
	read: readSet,
	/** By the positions of the choices in the list, each as a character, so that `[a]` comes before `[a, b]`. */
	position(stored, field, zone) {
		const { options } = field;
		const places = storedList(stored).map((one) => {
			const option = storedChoice(options, one);
			return option ? options.indexOf(option) + 1 : options.length + 1;
		});
		const order = [...new Set(places)].sort((a, b) => a - b);
		return `${String.fromCharCode(...order, 0)}${readSet(stored, field, zone)}`;
	},
	enter(entered, field, rules) {
		const list = listedChoices(field, entered);
		// The text `[]` is an empty list. Other text without a choice isn't a list.
		if (list.length === 0 && typeof entered === 'string' && !entered.includes('[')) {
			throw unusable(
				field,
				entered,
				`${allowedChoices(entered, field)} An empty list clears the field.`,
			);
		}
		const sent = list.map((one) => enterChoice(one, field, rules));
		// Duplicates are removed, because services refuse them.
		return sent.includes(undefined) ? undefined : [...new Set(sent)];
	},
	accepts: allowedChoices,
	choicesIn: (entered, field) => listedChoices(field, entered),
	conditions: [...EQUALITY, ...ANY_OF, ...PARTS],
	input: {
		// Text, because n8n's input for lists is a JSON editor.
		type: 'string',
		canMatch: false,
		hint: choicesHint,
		filterValues: choice.input.options,
	},
};
