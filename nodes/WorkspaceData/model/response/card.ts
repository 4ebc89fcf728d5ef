/** Cards, as the service sends them. */
import { readEntries } from './page';
import { idOf, nameOf } from './idAndName';
import { type JsonObject, readObject } from './jsonObject';

/**
 * A card (table). `raw` is the service's unchanged object, with properties beyond the interface.
 *
 * @see service interface, part 2
 */
export interface Card {
	id: string;
	name: string;
	raw: JsonObject;
}

function toCard(raw: JsonObject): Card | undefined {
	const id = idOf(raw, 'card_id');
	return id === undefined ? undefined : { id, name: nameOf(raw) ?? id, raw };
}

/** The cards of a listing; undefined if the response holds no listing. */
export function readCards(body: unknown): Card[] | undefined {
	return readEntries(body, 'cards', toCard);
}

/** The card in a response; undefined if there is none, for example in an empty body after a change. */
export function readCard(body: unknown): Card | undefined {
	return readObject(body, 'card', toCard);
}
