/** Turns an operation's parameters about a field into the body that the service gets. */
import { readField, type Field } from '../../model/answer/field';
import type { FieldOption } from '../../model/answer/option';
import { InputError } from '../../model/inputError';
import type { JsonObject } from '../../model/answer/shapes';
import { plainText } from '../../model/text';
import { listedChoices } from '../../model/value/kinds/choices';
import { cardPath, type ReadOptions } from '../../transport/listings';
import { choicesProperty, fieldOptionsProperty } from '../../ui/fieldDefinition';
import { readCreated } from '../output/created';
import { readJson } from '../inputs/json';
import type { Run } from '../run/run';

/** The two ways to enter the choices of a field. */
interface EnteredOptions {
	options?: unknown;
	choices?: unknown;
}

/** The texts of the parameter Choices: each once, without blank ones. */
function readChoices(entered: unknown, options: readonly FieldOption[]): string[] {
	const list = listedChoices({ options }, entered) ?? [];
	const texts = list.flat().map((choice) => plainText(choice ?? '').trim());
	return [...new Set(texts)].filter((text) => text !== '');
}

/**
 * The options of a field, as they were entered.
 *
 * @param shape gives the choices the shape that the field has them in
 * @param known the choices that the field has: they may have commas
 * @throws InputError for invalid JSON, or when both ways are used
 */
export function readFieldOptions(
	{ options, choices }: EnteredOptions,
	shape: (choices: string[]) => JsonObject = (texts) => ({ options: texts }),
	known: readonly FieldOption[] = [],
): JsonObject {
	const json = readJson(options, fieldOptionsProperty.displayName);
	const texts = readChoices(choices, known);
	if (texts.length === 0) return json === undefined ? {} : { options: json };
	// The untouched JSON input holds an empty list.
	if (json === undefined || (Array.isArray(json) && json.length === 0)) return shape(texts);
	throw new InputError(
		`'${choicesProperty.displayName}' and '${fieldOptionsProperty.displayName}' are both filled in`,
		`Remove one of them: '${choicesProperty.displayName}' is enough for a list of texts.`,
	);
}

/**
 * Adds a field to a card.
 *
 * @returns the field where the answer shows it, or its ID
 * @throws UnexpectedAnswer when something else answered, such as the page of a proxy
 */
export async function addField(
	{ api }: Pick<Run, 'api'>,
	cardId: string,
	body: JsonObject,
	request: ReadOptions = {},
): Promise<Field | undefined> {
	const answer = await api.request({
		...request,
		method: 'POST',
		path: [...cardPath(cardId), 'fields'],
		body,
		creates: 'field',
		// Fields keep the order of the items.
		maxParallel: 1,
	});
	return readCreated(answer, { thing: 'field', read: readField, sent: body });
}
