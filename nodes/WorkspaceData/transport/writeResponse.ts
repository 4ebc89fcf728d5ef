/** Reads the response to a create, change or deletion. The interface specifies neither its status nor its body. */
import { idInLocation } from './serviceUrl';
import { isBrokenJson } from '../model/response/parseJson';
import { isObject, type JsonObject, isWebPage } from '../model/response/jsonObject';
import { CHECK_FIRST } from './failure/advice';
import { UnexpectedResponse } from './failure/failureKinds';
import type { ApiResponse } from './request';

export type ThingName = 'card' | 'field' | 'record';

/** The status that means that something was created, whatever the body. */
const CREATED = 201;

/**
 * Returns the created thing as the response shows it. If only the `Location` header has its ID, returns it as it
 * was sent.
 *
 * @param thing its name. With an `s`, it is the path segment of its collection.
 * @param read reads it from an object of the service
 * @param sent the body that was sent, for responses that contain only the ID
 * @returns undefined if the response has no ID
 * @throws UnexpectedResponse if something else responded, such as a proxy's page, and for invalid JSON, which may be a
 * refusal with status 200
 * @see service interface, part 4, "Gaps"
 */
export function readCreated<Thing>(
	{ status, body, headers }: ApiResponse,
	thing: ThingName,
	read: (body: unknown) => Thing | undefined,
	sent: JsonObject,
): Thing | undefined {
	const shown = read(body);
	if (shown) return shown;
	assertOwnResponse(body, thing);
	const id = idInLocation(headers.location, `${thing}s`);
	if (id !== undefined) return read({ ...sent, id });
	if (status === CREATED || !isBrokenJson(body)) return undefined;
	throw new UnexpectedResponse(
		`The ${thing} may have been created: the response isn't valid JSON`,
		CHECK_FIRST,
		true,
	);
}

/** A hint for the user: something was created, but its ID isn't in the output. */
export const noIdHint = (thing: ThingName): string =>
	`The service created a ${thing}, but its response shows no ID, so the output has none. Don't create the ${thing} again: look for it in the service.`;

/**
 * Refuses web pages as the response to a change: a proxy's page or a sign-in form may have status 200. The
 * service's own response may have any shape, or be empty.
 *
 * @param what `card`, `field` or `record`, for the message
 * @param change the requested change
 * @throws UnexpectedResponse
 */
function assertOwnResponse(body: unknown, what: string, change = 'written'): void {
	if (!isWebPage(body)) return;
	throw new UnexpectedResponse(
		change === 'deleted'
			? 'The service returned a web page instead of data'
			: `The response isn't a ${what}`,
		`Another server may be answering at this address: check 'Base URL' in the credential, and whether the ${what} was ${change}.`,
		true,
	);
}

/**
 * Refuses responses that can't confirm a change or deletion: web pages, invalid JSON, `false` and `deleted: false`.
 * With status 200, these may be refusals.
 *
 * @param what `card`, `field` or `record`, for the message
 * @throws UnexpectedResponse
 */
export function assertDone(body: unknown, what: string, change: 'changed' | 'deleted'): void {
	assertOwnResponse(body, what, change);
	const isDenied = change === 'deleted' && isObject(body) && body.deleted === false;
	if (isDenied || body === false || body === 'false') {
		throw new UnexpectedResponse(
			`The service reports that the ${what} wasn't ${change}`,
			`Look at the ${what} in the service.`,
		);
	}
	if (!isBrokenJson(body)) return;
	throw new UnexpectedResponse(
		`The ${what} may not have been ${change}: the response isn't valid JSON`,
		`Look at the ${what} in the service, or run the workflow again with this item: it's safe to run again.`,
		true,
	);
}
