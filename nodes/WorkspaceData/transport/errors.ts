/** The ways a request can fail, in words: what happened, and one sentence of advice. */
import type { JsonObject } from '../values/json';
import { clip, sentences } from '../values/messageText';

/** A request that failed. */
export class RequestError extends Error {
	/** The service's detail, and what to do. */
	readonly description: string | undefined;
	/** The HTTP status of the response. */
	readonly status: number | undefined;
	/** The system's error code, for example `ECONNREFUSED`. */
	readonly code: string | undefined;
	/** The service's explanation. */
	readonly detail: string | undefined;
	/** Last path segment of the problem's `type`, for example `record-not-found`. */
	readonly kind: string | undefined;
	/** What to do. */
	readonly advice: string | undefined;
	/** True for a change that was sent and may have been made, or may still be. */
	readonly mayHaveHappened: boolean = false;
	/** True if the next try may succeed. */
	readonly isTransient: boolean = false;

	constructor(message: string, facts: RequestFacts = {}) {
		super(message);
		Object.assign(this, facts, { name: 'RequestError' });
		this.description = sentences(facts.detail, facts.advice) || undefined;
	}
}

/** What is known of a failed request. */
export type RequestFacts = Partial<Omit<RequestError, keyof Error>>;

/** The execution was canceled, or nothing more is to be sent. */
export class Cancelled extends RequestError {
	constructor(mayHaveHappened = false) {
		super('The execution was canceled', { mayHaveHappened });
		this.name = 'Cancelled';
	}
}

/** A thing of the service, as it calls it in paths and problems. */
export type ThingName = 'card' | 'field' | 'record';

/** What a POST creates. */
export type Created = ThingName | 'subscription';

/** What a request is, as far as messages depend on it. */
export interface Origin {
	/** The name and port of the server. */
	host: string;
	/** The words for the credential. */
	account: 'API key' | 'service account';
	/** The entry of the credential that says where the server is. */
	address: 'Base URL' | 'Auth URL';
	method: string;
	/** Removes secrets from a text. */
	clean(text: string): string;
}

const TIMED_OUT = /^(?:ETIMEDOUT|ECONNABORTED)$/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO/;
const SAYS_UNIQUE = /\b(?:unique|duplicate|already (?:exists|taken|in use|used))\b/i;

/**
 * Advice by the cause. The first line that fits counts.
 *
 * @param said the service's own words; empty if it has none
 */
export function adviceOn(
	said: string,
	{ code, status = 0, kind = '', detail = '' }: RequestFacts,
	{ host, account, address, method }: Origin,
): string | undefined {
	if (code && CERTIFICATE.test(code))
		return "If the certificate is self-signed, or from your company's own authority, start n8n with NODE_EXTRA_CA_CERTS set to its file.";
	if (code && TIMED_OUT.test(code))
		return `Raise 'Timeout (Seconds)', or make sure that this n8n can reach ${host}.`;
	if (code)
		return `Check '${address}' in the credential, and make sure that this n8n can reach ${host}.`;
	if (status < 400)
		return `Redirects aren't followed, to keep the credential here. Enter the final address in '${address}' of the credential.`;
	if (isFault(status))
		return 'Try again later. If this continues, ask the operator of the service.';
	if (status === 429)
		return "Try again after the limit resets, or lower 'Max Parallel Requests' if the operation has it.";
	if (status === 401 && account === 'API key') return "Check 'API Key' in the credential.";
	if (status === 401)
		return 'The service rejected a new access token. The service account may have been revoked, or the API may trust another realm.';
	if (status === 403)
		return `This ${account} can't ${method === 'GET' ? 'read' : 'change'} this. Use a credential with access, or ask the owner of the workspace.`;
	if (kind.startsWith('card-')) return "It may have been deleted. Select the card again in 'Card'.";
	if (kind.startsWith('workspace-')) return "Check 'Workspace ID' in the credential.";
	if (status === 404 && kind === '')
		return `Check 'Base URL' in the credential: another server may be answering at ${host}.`;
	if (status === 409 && SAYS_UNIQUE.test(`${said} ${detail}`))
		return "This value must be unique and is already in use. To update the record that has it, use 'Create or Update'.";
	return said === ''
		? "The service doesn't say which value it refused: check all values that are sent."
		: undefined;
}

/** Returns true for the statuses of a service that is temporarily unavailable. */
export const isFault = (status: number): boolean => status === 408 || status >= 500;

/** The same failure of a change that may have been made. @param thing what it creates */
export function unclear(error: RequestError, thing: Created | undefined): RequestError {
	if (error instanceof Cancelled) return new Cancelled(true);
	const happened = thing
		? `The ${thing} may have been created`
		: 'The change may have been carried out';
	const look =
		thing === 'subscription'
			? 'Look for it in the settings of the service, and delete it there before you try again.'
			: `${thing ? 'It may exist now: check' : 'Look at the data'} before you run the workflow again with this item.`;
	const byKey = thing === 'record' && "'Create or Update' and 'Sync' can simply run again.";
	const { status, message, advice } = error;
	return new RequestError(status ? message : `${happened}: ${message}`, {
		...error,
		mayHaveHappened: true,
		advice: sentences(status !== undefined && happened, look, byKey, advice),
	});
}

/** Codes that only occur before a connection exists, so the request can't have arrived. */
const NEVER_LEFT =
	/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|EHOSTUNREACH|ENETUNREACH|EPROTO|ERR_SSL_|ERR_TLS_)/;

/** Reads what ended a request without a response: n8n's words and the system's code, or Cancelled. */
export function networkError(error: unknown, origin: Origin): RequestError {
	if (error instanceof Cancelled) return new Cancelled(origin.method !== 'GET');
	const thrown = Object(error) as JsonObject;
	const { message, description, code: own, httpCode: code = own } = thrown;
	const title = origin.clean(String(message));
	if (typeof code !== 'string') {
		// Refused by n8n before it was sent: allowed domains, SSRF protection, …
		return new RequestError(title, { advice: origin.clean(String(description ?? '')) });
	}
	const isCertificate = CERTIFICATE.test(code);
	const hasLeft = !isCertificate && !NEVER_LEFT.test(code);
	return new RequestError(TIMED_OUT.test(code) ? 'No response came in time' : title, {
		code,
		isTransient: !isCertificate,
		mayHaveHappened: hasLeft && origin.method !== 'GET',
		advice: adviceOn(title, { code }, origin),
	});
}

/** The error for a response that isn't what the interface says. @param place the place in it, such as `records[3].id` */
export function misfit(place: string, came: unknown, { method, clean }: Origin): RequestError {
	const json = JSON.stringify(typeof came === 'string' ? clean(came) : came);
	const what = json === undefined ? 'missing' : clip(clean(json));
	const message = `The service's response doesn't follow the interface: '${place}' is ${what}`;
	const advice =
		"Check 'Base URL' in the credential: a proxy or a sign-in page may be in between. Otherwise tell the operator of the service.";
	return new RequestError(message, { mayHaveHappened: method !== 'GET', advice });
}

/** Catches the failures of requests. @throws anything else */
export function asFailure(error: unknown): RequestError {
	if (error instanceof RequestError) return error;
	throw error;
}

/** Returns true if the service itself says that a thing doesn't exist. A gateway's 404 doesn't count. */
export const isNotFound = (error: unknown, thing: ThingName): boolean =>
	error instanceof RequestError &&
	error.status === 404 &&
	(error.kind === 'not-found' || error.kind === `${thing}-not-found`);

/** Returns true if the change of a failed request may have been made, or may still be. */
export const mayHaveHappened = (error: unknown): boolean =>
	error instanceof RequestError && error.mayHaveHappened;
