/** Reads the answer to a create, of which the interface shows neither status nor body. */
import { idInLocation } from '../model/address';
import type { JsonObject } from '../model/shapes';
import { assertOwnAnswer } from '../transport/failures';
import type { ApiAnswer } from '../transport/request';

/** A kind of thing that can be created, and how to read it. */
interface Created<Thing> {
	/** Its name; with an `s`, the path segment of its collection. */
	thing: 'card' | 'field' | 'record';
	/** Gives the thing that an object of the service describes. */
	read: (body: unknown) => Thing | undefined;
	/** What was sent, for answers that tell only the ID. */
	sent: JsonObject;
}

/**
 * The created thing, as the answer shows it or, where only the header `Location` tells its ID, as it was sent.
 *
 * @returns undefined where the answer tells no ID
 * @throws UnexpectedAnswer when something else answered, such as the page of a proxy
 * @see service interface, part 4, "Gaps"
 */
export function readCreated<Thing>(
	{ body, headers }: ApiAnswer,
	{ thing, read, sent }: Created<Thing>,
): Thing | undefined {
	const shown = read(body);
	if (shown) return shown;
	assertOwnAnswer(body, thing);
	const id = idInLocation(headers.location, `${thing}s`);
	return id === undefined ? undefined : read({ ...sent, id });
}
