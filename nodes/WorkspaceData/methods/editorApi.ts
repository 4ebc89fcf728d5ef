/** What the calls of the editor share: the service, and the selected card and field. */
import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { selectCardNotice } from '../properties/columns';
import { FieldIndex } from '../records/fieldIndex';
import { locateCard, peekLocator } from '../records/locator';
import { OWN_VALUES } from '../records/ownValues';
import { cards, fieldsOf, openApi, type Api, type Field } from '../transport/api';
import { isNotFound } from '../transport/errors';
import { toNodeError } from '../transport/nodeError';
import { InputError } from '../values/inputError';
import type { ValueField } from '../values/kind';
import { quote } from '../values/messageText';

/** How the editor's calls read: one short try, because a person is waiting. */
export const EDITOR_READ = { isUrgent: true, timeoutMs: 10_000 } as const;

/** Makes a function that n8n calls for the editor. Errors reach the user in n8n's own form. */
export const editorCall = <Args extends unknown[], Result>(
	read: (context: ILoadOptionsFunctions, ...args: Args) => Promise<Result>,
) =>
	async function (this: ILoadOptionsFunctions, ...args: Args): Promise<Result> {
		return await read(this, ...args).catch((error: unknown) => {
			throw toNodeError(this.getNode(), error);
		});
	};

/** Opens the service for a call of the editor. */
export async function openEditorApi(context: ILoadOptionsFunctions): Promise<Api> {
	return await openApi(context, context.getCurrentNodeParameter('authentication') ?? 'apiKey');
}

/** The locator of the card; undefined if nothing is entered. */
export const chosenCard = (context: ILoadOptionsFunctions) =>
	peekLocator(context.getCurrentNodeParameter('cardId'));

/** Returns true if an expression selects the card: the editor doesn't know which one. */
export const isExpression = (context: ILoadOptionsFunctions): boolean =>
	chosenCard(context)?.text.startsWith('=') ?? false;

/** Returns true if the editor knows which card is selected. */
export const hasCard = (context: ILoadOptionsFunctions): boolean =>
	chosenCard(context) !== undefined && !isExpression(context);

/**
 * Finds the card that is selected in the editor.
 *
 * @returns its ID; undefined if nothing is selected, or if an expression can't be evaluated here
 * @throws InputError if no card or more than one has the name
 */
export async function chosenCardId(
	context: ILoadOptionsFunctions,
	api: Api,
): Promise<string | undefined> {
	const locator = chosenCard(context);
	if (!locator || !hasCard(context)) return undefined;
	const { id } = await locateCard(locator, async () => await api.list(cards, EDITOR_READ));
	return id;
}

/**
 * The fields of the selected card. Empty if no card is selected.
 *
 * @throws InputError if the name doesn't match exactly one card, or if no card has the ID
 */
export async function chosenCardFields(context: ILoadOptionsFunctions): Promise<FieldIndex> {
	// Before the credential: a person who has selected no card is asked for the card.
	if (!hasCard(context)) return new FieldIndex([], '');
	const api = await openEditorApi(context);
	const cardId = (await chosenCardId(context, api)) ?? '';
	const reading = api.list(fieldsOf(cardId), EDITOR_READ).catch((error: unknown) => {
		if (!isNotFound(error, 'card')) throw error;
		throw new InputError(
			`The workspace has no card with the ID ${quote(cardId)}`,
			"Select the card again in 'Card'.",
		);
	});
	return new FieldIndex(await reading, cardId);
}

/**
 * The label of a field in the editor: its name. If the name would be ambiguous, the type comes before the
 * ID, because n8n cuts long labels.
 *
 * @param key its name, or its ID if the name would be ambiguous
 */
export const fieldLabel = ({ id, name, type }: Field, key: string): string =>
	key === name ? name : `${name} (${[typeName(type), id].filter(Boolean).join(', ')})`;

/** Explains why there are no fields to select. */
export function whyNoFields(context: ILoadOptionsFunctions): string {
	if (!chosenCard(context)) return selectCardNotice.displayName;
	if (isExpression(context)) {
		return "The editor can't list fields while an expression selects the card.";
	}
	return 'The card has no fields yet. Add one with Field > Create, then close and open this node.';
}

/**
 * Reads the parameter `field` of the condition that the editor asks for.
 *
 * @returns a field of the card or a record's own property; undefined if nothing is selected yet, if an
 * expression selects it, or if the card has no such field
 */
export async function comparedField(
	context: ILoadOptionsFunctions,
): Promise<ValueField | undefined> {
	const key = context.getCurrentNodeParameter('&field');
	if (typeof key !== 'string' || key === '' || key.startsWith('=')) return undefined;
	const own = OWN_VALUES.get(key);
	if (own) return own.field;
	const index = await chosenCardFields(context);
	const [field, another] = index.candidates(key);
	return another ? undefined : field;
}

/** The name of a field type in the editor: the service's word as a title, `Single Select` for `single_select`. */
export const typeName = (type: string): string =>
	type
		.replace(/[_\s-]+/g, ' ')
		.trim()
		.replace(/\b\w/g, (letter) => letter.toUpperCase());
