/** What the calls of the editor share: the service, and the selected card and field. */
import type { ILoadOptionsFunctions, IAllExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod/v3';
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
import { entryText, readCredential } from '../transport/credential';

/** How the editor's calls read: one short try, because a person is waiting. */
export const EDITOR_READ = { isUrgent: true, timeoutMs: 10_000 } as const;

/** The kind of credential that is selected in the editor. */
export const editorAuthentication = (context: ILoadOptionsFunctions): unknown =>
	context.getCurrentNodeParameter('authentication') ?? 'apiKey';

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
	return await openApi(context, editorAuthentication(context));
}

const chosenCard = (context: ILoadOptionsFunctions) =>
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

/** The current content of the mapper: the key and the field ID of each entry. */
const savedSchema = z.object({
	schema: z.array(z.object({ id: z.string(), fieldId: z.string().optional() })),
});

/** The fields that the node's mapper keeps. Empty for an operation without a mapper. */
export const savedMapping = (context: ILoadOptionsFunctions) =>
	savedSchema.safeParse(context.getCurrentNodeParameter('columns')).data?.schema ?? [];

/**
 * Finds the keys under which saved mappings know fields that have been renamed since. The editor drops keys
 * that it doesn't find again, so such a field keeps its old key.
 *
 * @returns the old key by field ID
 */
export function savedKeys(context: ILoadOptionsFunctions, index: FieldIndex): Map<string, string> {
	const live = new Set(index.fields.map((field) => index.savedKeyOf(field)));
	const keys = new Map<string, string>();
	for (const { id, fieldId = '' } of savedMapping(context)) {
		const field = live.has(id) ? undefined : index.byId(fieldId);
		if (field) keys.set(field.id, id);
	}
	return keys;
}

/**
 * The label of a field in the editor: its name. If the name would be ambiguous, the type comes before the
 * ID, because n8n cuts long labels.
 *
 * @param key its name, or its ID if the name would be ambiguous
 */
export const fieldLabel = ({ id, name, type }: Field, key: string): string =>
	key === name ? name : `${name} (${[typeName(type), id].filter(Boolean).join(', ')})`;

/** Like `fieldLabel`, with the type, because a list shows nothing else. */
export function typedLabel(field: Field, key: string): string {
	const label = fieldLabel(field, key);
	return label === field.name && field.type ? `${label} (${typeName(field.type)})` : label;
}

/** Explains why there are no fields to select. */
export function whyNoFields(context: ILoadOptionsFunctions): string {
	if (!chosenCard(context)) return selectCardNotice.displayName;
	if (isExpression(context)) {
		return "The editor can't list fields while an expression selects the card.";
	}
	return 'The card has no fields yet. Add one with Field > Create, then close and open this node.';
}

/** The fields of the selected card, or a sentence that explains why there are none to select. */
export async function fieldsOrReason(context: ILoadOptionsFunctions): Promise<FieldIndex | string> {
	try {
		const index = await chosenCardFields(context);
		return index.fields.length > 0 ? index : whyNoFields(context);
	} catch (error) {
		return `No fields: ${toNodeError(context.getNode(), error).message}`;
	}
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

/** The placeholder for a card's ID in the credential's 'Web URL'. */
const CARD_PLACE = '{card}';

/**
 * The addresses of cards in a browser, from the credential. The node never sends a request to them.
 *
 * @returns undefined if the credential has no Web URL, or if it isn't a web address
 */
export async function readCardPages(
	context: IAllExecuteFunctions,
	authentication: unknown,
): Promise<((cardId: string) => string) | undefined> {
	const { credential } = await readCredential(context, authentication);
	const pattern = entryText(credential.webUrl);
	const isUsable = /^https?:\/\//i.test(pattern) && URL.canParse(pattern);
	if (!isUsable || !pattern.includes(CARD_PLACE)) return undefined;
	return (cardId) => pattern.replaceAll(CARD_PLACE, () => encodeURIComponent(cardId));
}
