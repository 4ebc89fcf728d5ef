/** Sends the requests that create, change and delete cards, fields and records. */
import type { JsonObject } from '../model/response/jsonObject';
import type { ApiRequest } from './request';
import type { Session } from './session';
import { assertDone, readCreated, type ThingName } from './writeResponse';

/**
 * Creates a thing.
 *
 * @param read reads it from an object of the service
 * @returns the thing if the response shows it, or else its ID; undefined if the response has no ID
 * @throws UnexpectedResponse if something else responded, such as a proxy's page
 */
export async function sendCreation<Thing>(
	session: Session,
	thing: ThingName,
	read: (body: unknown) => Thing | undefined,
	request: Omit<ApiRequest, 'method'> & { body: JsonObject },
): Promise<Thing | undefined> {
	const response = await session.request({ ...request, method: 'POST', creates: thing });
	return readCreated(response, thing, read, request.body);
}

/**
 * Changes a thing.
 *
 * @returns the body of the response
 * @throws UnexpectedResponse as `sendCreation`
 */
export async function sendChange(
	session: Session,
	thing: ThingName,
	request: Omit<ApiRequest, 'method'>,
): Promise<unknown> {
	const { body } = await session.request({ ...request, method: 'PATCH' });
	assertDone(body, thing, 'changed');
	return body;
}

/** Deletes a thing. @throws UnexpectedResponse as `sendCreation` */
export async function sendDeletion(
	session: Session,
	thing: ThingName,
	request: Omit<ApiRequest, 'method'>,
): Promise<void> {
	const { body } = await session.request({ ...request, method: 'DELETE', deletes: thing });
	assertDone(body, thing, 'deleted');
}
