/** Reads the answer to a create, of which the interface shows neither status nor body. */
import { idInLocation } from '../../model/address';
import { isBrokenJson } from '../../model/answer/json';
import type { JsonObject } from '../../model/answer/shapes';
import { CHECK_FIRST } from '../../transport/failure/explain';
import { assertOwnAnswer, UnexpectedAnswer } from '../../transport/failure/failures';
import type { ApiAnswer } from '../../transport/request';
import type { Run } from '../run/run';

type ThingName = 'card' | 'field' | 'record';

/** The status that says that something was created, whatever the body. */
const CREATED = 201;

/** A kind of thing that can be created, and how to read it. */
interface Created<Thing> {
	/** Its name; with an `s`, the path segment of its collection. */
	thing: ThingName;
	/** Gives the thing that an object of the service describes. */
	read: (body: unknown) => Thing | undefined;
	/** The body that was sent, for answers that tell only the ID. */
	sent: JsonObject;
}

/**
 * The created thing, as the answer shows it or, where only the header `Location` tells its ID, as it was sent.
 *
 * @returns undefined where the answer tells no ID
 * @throws UnexpectedAnswer when something else answered, such as the page of a proxy, and for JSON that cannot
 * be read: under status 200 it may be a refusal
 * @see service interface, part 4, "Gaps"
 */
export function readCreated<Thing>(
	{ status, body, headers }: ApiAnswer,
	{ thing, read, sent }: Created<Thing>,
): Thing | undefined {
	const shown = read(body);
	if (shown) return shown;
	assertOwnAnswer(body, thing);
	const id = idInLocation(headers.location, `${thing}s`);
	if (id !== undefined) return read({ ...sent, id });
	if (status === CREATED || !isBrokenJson(body)) return undefined;
	throw new UnexpectedAnswer(
		`The ${thing} may have been created: the answer is not valid JSON`,
		CHECK_FIRST,
	);
}

/** Tells the user that something was created whose ID is not in the output. */
export function hintNoId(run: Pick<Run, 'messages'>, thing: ThingName): void {
	run.messages.hint(
		`The service created a ${thing}, but its answer shows no ID, so the output has none. Do not create the ${thing} again: look for it in the service.`,
	);
}
