/** What the answer to a create, change or deletion says. The interface shows neither its status nor its body. */
import { idInLocation } from '../model/serviceUrl';
import { isBrokenJson } from '../model/answer/json';
import { isObject, type JsonObject, isWebPage } from '../model/answer/shapes';
import { CHECK_FIRST } from './failure/explain';
import { UnexpectedAnswer } from './failure/failures';
import type { ApiAnswer } from './request';

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
		`The ${thing} may have been created: the response isn't valid JSON`,
		CHECK_FIRST,
		true,
	);
}

/** A hint for the user: something was created whose ID is not in the output. */
export const noIdHint = (thing: ThingName): string =>
	`The service created a ${thing}, but its response shows no ID, so the output has none. Don't create the ${thing} again: look for it in the service.`;

/**
 * Refuses web pages as the answer to a change: a page of a proxy or a sign-in form may have status 200.
 * The service's own answer may have any shape, or be empty.
 *
 * @param what `card`, `field` or `record`, for the message
 * @param change the change that was asked for
 * @throws UnexpectedAnswer
 */
function assertOwnAnswer(
	body: unknown,
	what: string,
	change: 'written' | 'changed' | 'deleted' = 'written',
): void {
	if (!isWebPage(body)) return;
	throw new UnexpectedAnswer(
		change === 'deleted'
			? 'The service returned a web page instead of data'
			: `The response isn't a ${what}`,
		`Another server may be answering at this address: check 'Base URL' in the credential, and whether the ${what} was ${change}.`,
		true,
	);
}

/**
 * Refuses what cannot be the answer to a change of something that exists: web pages, JSON that cannot be
 * read, `false` and `deleted: false`. Under status 200, that may be a refusal.
 *
 * @param what `card`, `field` or `record`, for the message
 * @throws UnexpectedAnswer
 */
export function assertDone(body: unknown, what: string, change: 'changed' | 'deleted'): void {
	assertOwnAnswer(body, what, change);
	const isDenied = change === 'deleted' && isObject(body) && body.deleted === false;
	if (isDenied || body === false || body === 'false') {
		throw new UnexpectedAnswer(
			`The service reports that the ${what} wasn't ${change}`,
			`Look at the ${what} in the service.`,
		);
	}
	if (!isBrokenJson(body)) return;
	throw new UnexpectedAnswer(
		`The ${what} may not have been ${change}: the response isn't valid JSON`,
		`Look at the ${what} in the service, or run this item again: that does no harm.`,
		true,
	);
}
