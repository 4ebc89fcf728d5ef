/** The ways a request can fail, in words: what happened, and one sentence of advice. */
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { InputError } from '../values/inputError';
import { isObject } from '../values/jsonObject';
import { sentences, showValue } from '../values/messageText';
import { redact } from './redact';
import type { Problem } from './schemas/problem';

/** The facts of a failed request. */
export interface RequestFacts extends Problem {
	/** The HTTP status of the response. */
	status?: number | undefined;
	/** The system's error code, for example `ECONNREFUSED`. */
	code?: string | undefined;
	/** True for a change that was sent and may have been made, or may still be. */
	mayHaveHappened?: boolean;
	/** True if trying again later can help. */
	isTransient?: boolean;
	/** What to do. */
	advice?: string | undefined;
}

/** A request that failed. Its message is the title. */
export class RequestError extends Error {
	/** The service's detail, and what to do. */
	readonly description: string | undefined;
	readonly status: number | undefined;
	readonly code: string | undefined;
	readonly title: string;
	readonly detail: string | undefined;
	/** Last path segment of the problem's `type`, for example `record-not-found`. */
	readonly kind: string | undefined;
	mayHaveHappened: boolean;
	readonly isTransient: boolean;

	constructor(title: string, facts: RequestFacts = {}) {
		super(title);
		this.name = 'RequestError';
		this.title = title;
		this.description = sentences(facts.detail, facts.advice) || undefined;
		this.status = facts.status;
		this.code = facts.code;
		this.detail = facts.detail;
		this.kind = facts.kind;
		this.mayHaveHappened = facts.mayHaveHappened ?? false;
		this.isTransient = facts.isTransient ?? false;
	}
}

/** The execution was canceled, or nothing more is to be sent. */
export class Cancelled extends Error {
	/** True for a change that was under way. */
	mayHaveHappened: boolean;

	constructor(mayHaveHappened = false) {
		super('The execution was canceled');
		this.name = 'Cancelled';
		this.mayHaveHappened = mayHaveHappened;
	}
}

/** A thing of the service, as it calls it in paths and problems. */
export type ThingName = 'card' | 'field' | 'record' | 'subscription';

/** What the advice on a failed request depends on. */
export interface RequestOrigin {
	/** The name and port of the server. */
	host: string;
	/** The words for the credential. */
	account: 'API key' | 'service account' | 'token request';
	method: string;
	/** The thing that a POST creates. */
	thing?: ThingName | undefined;
}

type AdviceFacts = RequestFacts & RequestOrigin;

/** Errors of a token request that are about the client's entries. @see RFC 6749, section 5.2 */
export const REFUSES_CLIENT = /^(?:invalid_client|unauthorized_client|invalid_grant)$/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO/;
const SAYS_UNIQUE = /\b(?:unique|duplicate|already (?:exists|taken|in use|used))\b/i;

const isToken = ({ account }: RequestOrigin): boolean => account === 'token request';
const addressOf = (origin: RequestOrigin): string =>
	isToken(origin) ? "'Auth URL'" : "'Base URL'";

/** Advice by the cause. The first line that fits counts. */
const ADVICE: ReadonlyArray<[(facts: AdviceFacts) => boolean, (facts: AdviceFacts) => string]> = [
	[
		({ code = '' }) => CERTIFICATE.test(code),
		() =>
			"If the certificate is self-signed, or from your company's own authority, start n8n with NODE_EXTRA_CA_CERTS set to its file. Otherwise ask the operator of the service.",
	],
	[
		({ code }) => code === 'ETIMEDOUT',
		({ host }) =>
			`If the service is slow, raise 'Timeout (Seconds)' if the operation has it. Otherwise make sure that this n8n can reach ${host}.`,
	],
	[
		({ code }) => code !== undefined,
		(facts) =>
			`Check ${addressOf(facts)} in the credential (${facts.host}), and make sure that this n8n can reach it.`,
	],
	[
		({ status = 0 }) => status < 400,
		(facts) =>
			`Redirects aren't followed, because they would send the credential to another address. Enter the final address in ${addressOf(facts)} of the credential.`,
	],
	[
		({ status = 0 }) => status === 408 || status >= 500,
		() => 'Try again later. If this continues, ask the operator of the service.',
	],
	[
		({ status }) => status === 413 || status === 429,
		({ status }) =>
			status === 413
				? 'Send fewer or shorter values.'
				: "Try again after the limit resets, or lower 'Max Parallel Requests' if the operation has it.",
	],
	[
		(facts) => isToken(facts) && facts.status === 404,
		() => "Check 'Auth URL' and 'Realm' in the credential.",
	],
	[
		(facts) => isToken(facts) && (facts.status === 401 || REFUSES_CLIENT.test(facts.kind ?? '')),
		() =>
			"Check 'Client ID' and 'Client Secret' in the credential; the account may have been revoked.",
	],
	[isToken, () => "Check 'Realm' in the credential, and what the realm allows this client."],
	[
		({ status }) => status === 401,
		({ account }) =>
			account === 'API key'
				? "Check 'API Key' in the credential."
				: 'The service rejected a new access token. The service account may have been revoked, or the API may trust another realm.',
	],
	[
		({ status }) => status === 403,
		({ account, method }) =>
			`This ${account} can't ${method === 'GET' ? 'read' : 'change'} this. Use a credential with access, or ask the owner of the workspace.`,
	],
	[
		({ status, kind = '' }) => status === 404 && /^(?:card|workspace)/.test(kind),
		({ kind = '' }) =>
			kind.startsWith('card')
				? "It may have been deleted. Select the card again in 'Card'."
				: "Check 'Workspace ID' in the credential.",
	],
	[
		({ status, kind }) => (status === 404 || status === 405) && kind === undefined,
		({ host }) => `Check 'Base URL' in the credential: another server may be answering at ${host}.`,
	],
	[
		({ status, title, detail }) => status === 409 && SAYS_UNIQUE.test(`${title} ${detail}`),
		({ thing }) =>
			sentences(
				'This value must be unique and is already in use.',
				thing === 'record' && "To update the record that has it, use 'Create or Update'.",
			),
	],
	[
		({ detail, kind }) => detail === undefined && kind === undefined,
		() => "The service doesn't say which value it refused: check all values that are sent.",
	],
];

const adviceOn = (facts: AdviceFacts): string | undefined =>
	ADVICE.find(([fits]) => fits(facts))?.[1](facts);

/** How the message about a change begins that may have been made, and what to do first. */
function unclear({ thing }: RequestOrigin): [string, string] {
	if (thing === undefined) {
		return [
			'The change may have been carried out',
			'Look at the data, or run the workflow again with this item.',
		];
	}
	const check =
		thing === 'subscription'
			? 'Look for it in the settings of the service, and delete it there before you try again.'
			: 'It may exist now: check before you run the workflow again with this item.';
	return [`The ${thing} may have been created`, check];
}

/** Creates the error for a failed request, with the advice. */
export function requestError(
	title: string,
	facts: RequestFacts,
	origin: RequestOrigin,
): RequestError {
	const advice = facts.advice ?? adviceOn({ ...facts, ...origin, title });
	if (!facts.mayHaveHappened) return new RequestError(title, { ...facts, advice });
	const [happened, check] = unclear(origin);
	const told = facts.status === undefined ? `${happened}: ${title}` : title;
	const first = facts.status === undefined ? check : `${happened}. ${check}`;
	return new RequestError(told, { ...facts, advice: sentences(first, advice) });
}

/** Codes that only occur before a connection exists, so the request can't have arrived. */
const NEVER_LEFT =
	/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|EHOSTUNREACH|ENETUNREACH|EPROTO|ERR_SSL_|ERR_TLS_)/;
const TIMED_OUT = /^(?:ETIMEDOUT|ECONNABORTED)$/;

/** Reads what n8n's request helper throws if there is no response: its words, and the system's code. */
export function networkError(
	error: unknown,
	origin: RequestOrigin,
	clean: (text: string) => string,
): RequestError {
	if (error instanceof RequestError) return error;
	const {
		message,
		description,
		httpCode,
		code: ownCode,
	} = Object(error) as NodeApiError & { code?: unknown };
	const found = httpCode ?? ownCode;
	const title = clean(String(message));
	if (error instanceof InputError || typeof found !== 'string') {
		// Refused before it was sent: allowed domains, SSRF protection, …
		return new RequestError(title, { advice: description ? clean(description) : undefined });
	}
	const isTimeOut = TIMED_OUT.test(found);
	const code = isTimeOut ? 'ETIMEDOUT' : found;
	const isCertificate = CERTIFICATE.test(code);
	const hasLeft = !NEVER_LEFT.test(code) && !isCertificate;
	return requestError(
		isTimeOut ? 'No response came in time' : title,
		{ code, isTransient: !isCertificate, mayHaveHappened: hasLeft && origin.method !== 'GET' },
		origin,
	);
}

/** The error for a response that isn't what the interface says. @param place the place in it, such as `records[3].id` */
export const misfit = (place: string, came: unknown, mayHaveHappened = false): RequestError =>
	new RequestError(
		`The service's response doesn't follow the interface: '${place}' is ${came === undefined ? 'missing' : showValue(came)}`,
		{
			mayHaveHappened,
			advice: sentences(
				mayHaveHappened ? 'The change may have been carried out.' : 'Nothing was done with it.',
				"Check 'Base URL' in the credential: a proxy or a sign-in page may be in between. Otherwise tell the operator of the service.",
			),
		},
	);

/** Returns true if the service itself says that a thing doesn't exist. A gateway's 404 doesn't count. */
export const isNotFound = (error: unknown, thing: ThingName): boolean =>
	error instanceof RequestError &&
	error.status === 404 &&
	(error.kind === 'not-found' || error.kind === `${thing}-not-found`);

/** Returns true if the change of a failed request may have been made, or may still be. */
export const mayHaveHappened = (error: unknown): boolean =>
	(error instanceof RequestError || error instanceof Cancelled) && error.mayHaveHappened;

/** Where an error happened, and how to word its message for the user. */
export interface ErrorPlace {
	itemIndex?: number;
	/** Replaces field IDs in the service's message with field names. */
	withNames?: (text: string) => string;
	/** Removes the credential's secrets from a text. */
	redact?: (text: string) => string;
}

/** Turns anything thrown into an n8n error with the item index. Idempotent. */
export function toNodeError(
	node: INode,
	error: unknown,
	{
		itemIndex,
		withNames = (text) => text,
		redact: clean = (text) => redact(text, []),
	}: ErrorPlace = {},
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		if (itemIndex !== undefined) error.context.itemIndex ??= itemIndex;
		return error;
	}
	const isKnown = error instanceof RequestError || error instanceof InputError;
	const { message, description } = isKnown
		? error
		: { message: String(Object(error).message ?? error) };
	// n8n's constructors rewrite any message that contains the name of a system error, even by chance.
	const made = isKnown
		? nodeErrorOf(node, error, itemIndex)
		: unexpected(node, error, clean, itemIndex);
	made.message = isKnown ? message : clean(message);
	made.description = description ? withNames(description) : undefined;
	return made;
}

/** Uses a small object, because n8n stores it in the execution's data. */
function nodeErrorOf(
	node: INode,
	error: RequestError | InputError,
	itemIndex: number | undefined,
): NodeApiError | NodeOperationError {
	const httpCode =
		error instanceof RequestError ? (error.status?.toString() ?? error.code) : undefined;
	if (!(error instanceof RequestError) || httpCode === undefined) {
		return new NodeOperationError(node, error.message, { itemIndex });
	}
	const made = new NodeApiError(node, { message: error.message }, { itemIndex, httpCode });
	const { status, title, kind, detail } = error;
	if (status !== undefined)
		Object.assign(made.context, { data: { status, title, kind, detail }, kind });
	return made;
}

/** An unexpected error. n8n stores its stack, which must point to the line that threw it. */
function unexpected(
	node: INode,
	error: unknown,
	clean: (text: string) => string,
	itemIndex: number | undefined,
): NodeOperationError {
	const {
		name = 'Error',
		message = error,
		stack = '',
	} = isObject(error) || error instanceof Error ? (error as Error) : {};
	const cause = Object.assign(new Error(clean(String(message))), { name, stack: clean(stack) });
	const made = new NodeOperationError(node, cause, { itemIndex });
	if (stack) made.stack = cause.stack;
	return made;
}

/** The facts of an error for the error output. */
export function errorDetails(error: NodeApiError | NodeOperationError): Record<string, string> {
	const { kind } = error.context;
	return {
		...(error.description && { description: error.description }),
		...(error instanceof NodeApiError && error.httpCode && { httpCode: error.httpCode }),
		...(typeof kind === 'string' && { kind }),
	};
}
