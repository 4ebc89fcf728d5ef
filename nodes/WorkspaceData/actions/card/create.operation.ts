import {
	additionalProperties,
	cardFieldsProperty,
	cardNameProperty,
	customPropertiesProperty,
	ifCardExistsProperty,
} from '../../properties/fieldDefinition';
import { readChoice, readJsonObject, requireText } from '../readParameters';
import { noIdHint } from '../../transport/writeResponse';
import { sendCreation } from '../../transport/writeRequests';
import { defineOperation } from '../operation';
import { readFieldList } from '../field/definition';
import { createFields } from '../newFields/createFields';
import { readCard, type Card } from '../../model/response/card';
import { InputError } from '../../values/inputError';
import { cardsOfName, findCardByName } from '../../records/locator';
import type { JsonObject } from '../../model/response/jsonObject';
import { UnexpectedResponse } from '../../transport/failure/failureKinds';
import { listCards, type ReadOptions } from '../../transport/cardAndFieldListings';
import type { Run } from '../run/run';
import { quote } from '../../values/messageText';
import { cleanName, foldCase, slugsOf } from '../../values/nameSpelling';
import { unclearCreations } from '../run/acrossRuns';

export const createCard = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create card',
	description: 'Create a card (table) with its fields',
	writes: true,
	properties: [
		cardNameProperty,
		cardFieldsProperty,
		additionalProperties([
			customPropertiesProperty,
			{
				displayName: 'Description',
				name: 'description',
				type: 'string',
				default: '',
				placeholder: 'e.g. People who bought from us',
				description: 'A description of the card, for example its purpose',
			},
			ifCardExistsProperty,
		]),
	],
	async execute({ run, get }) {
		const { description, customProperties, ifExists } = get('additionalFields');
		const policy = readChoice(ifCardExistsProperty, ifExists) ?? 'create';
		const name = requireText(get('name'), 'Name');
		const words = { entry: 'field', key: 'name', name: 'Name' };
		const fields = readFieldList(get('fields'), cardFieldsProperty.displayName, words, cleanName);
		const sent = {
			...readJsonObject(customProperties, 'Custom Properties'),
			name,
			...(description !== undefined && { description }),
		};
		const { card, isNew } =
			policy === 'create'
				? { card: await addCard(run, sent), isNew: true }
				: await cardOfName(run, name, policy === 'reuse' ? { reuse: true } : REFUSED, sent);
		const item = card?.raw ?? sent;
		if (isNew) run.done.add('created', card?.id ?? '', item);
		if (!card && fields.length > 0) {
			throw new UnexpectedResponse(
				`Card ${quote(name)} was created, but the service returned no ID for it`,
				"Its fields weren't created. Look for the card in the service, and add them with Field > Create.",
				true,
			);
		}
		if (!card) run.messages.hint(noIdHint('card'));
		if (card && isNew) {
			// In the order of the parameter.
			const planned = fields.map((field) => ({
				...field,
				name: cleanName(field.name),
				why: 'chosen',
			}));
			await createFields(run, card, planned, {}).catch((error: unknown) => {
				run.messages.note(error, `Card ${quote(card.name)} (${card.id}) exists now.`);
				throw error;
			});
		}
		return [item];
	},
});

const REFUSED: ExistingCard = {
	advice:
		"Nothing was changed. Enter another name, or select 'Reuse the Card' in 'If Card Exists'.",
};

/** Creates a card. @returns undefined if the response has no ID */
const addCard = async (
	{ session }: Run,
	body: JsonObject,
	request: ReadOptions = {},
): Promise<Card | undefined> =>
	await sendCreation(session, 'card', readCard, { ...request, path: ['cards'], body });

/** What to do with a card that exists: reuse it, or refuse it with this advice. */
export type ExistingCard = { reuse: true } | { advice: string };

/**
 * Finds the card with a name.
 *
 * @returns undefined if there is none
 * @throws InputError if it exists but must not, or if several cards have the name
 */
export function existingCard(
	cards: readonly Card[],
	name: string,
	policy: ExistingCard,
): Card | undefined {
	const named = cardsOfName(cards, name.trim());
	// The service may store names in another spelling.
	const [found, ...others] =
		named.length > 0 ? named : cards.filter((card) => slugsOf(name).includes(card.name));
	if (!found) return undefined;
	if ('reuse' in policy) return others.length > 0 ? findCardByName(cards, name.trim()) : found;
	throw new InputError(`A card called ${quote(found.name)} exists already`, policy.advice);
}

/**
 * Finds the card with a name, or creates it. Executions of this process take turns, so that two of them don't
 * create it twice.
 *
 * @param body the values of a new card
 * @returns the card, and true if it is new
 * @throws InputError as `existingCard`
 */
export async function cardOfName(
	run: Run,
	name: string,
	policy: ExistingCard,
	body: JsonObject,
	request: ReadOptions = {},
): Promise<{ card: Card; isNew: boolean }> {
	return await run.turns.exclusively(`card ${foldCase(name)}`, async () => {
		const before = await listCards(run.session, request);
		const card = existingCard(before, name, policy);
		if (card) return { card, isNew: false };
		const known = new Set(before.map(({ id }) => id));
		const findNew = async () => {
			const now = await listCards(run.session, request);
			return now.find((one) => one.name.trim() === name.trim() && !known.has(one.id));
		};
		const made = await unclearCreations.creating(
			run.turns.address(`new card ${foldCase(name)}`),
			`Card ${quote(name)}`,
			async () => await addCard(run, body, request),
			findNew,
		);
		if (made) return { card: made, isNew: true };
		throw new UnexpectedResponse(
			`Card ${quote(name)} was created, but isn't listed`,
			'Look for the card before you run this item again.',
			true,
		);
	});
}
