/** The ways a request can fail, in words: what happened, and one sentence of advice. */
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { InputError } from '../values/inputError';
import { clip, sentences } from '../values/messageText';
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
	/** True if the response has no words of its own. */
	isWordless?: boolean;
}

/** A request that failed. Its message is the title. */
export class RequestError extends Error {
	/** The service's detail, and what to do. */
	readonly description: string | undefined;
	declare readonly status: number | undefined;
	/** The system's error code, for example `ECONNREFUSED`. */
	declare readonly code: string | undefined;
	declare readonly title: string;
	declare readonly detail: string | undefined;
	/** Last path segment of the problem's `type`, for example `record-not-found`. */
	declare readonly kind: string | undefined;
	mayHaveHappened = false;
	readonly isTransient: boolean = false;

	constructor(title: string, { advice, ...facts }: RequestFacts = {}) {
		super(title);
		this.name = 'RequestError';
		this.description = sentences(facts.detail, advice) || undefined;
		Object.assign(this, facts, { title });
	}

	/** The same error for another execution, which may add to it. */
	copy(): RequestError {
		return Object.assign(new RequestError(this.title), this);
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
	account: 'API key' | 'service account';
	/** The entry of the credential that says where it is. */
	address: 'Base URL' | 'Auth URL';
	method: string;
	/** The thing that a POST creates. */
	thing?: ThingName | undefined;
}

type AdviceFacts = RequestFacts & RequestOrigin & { status: number };

const TIMED_OUT = /^(?:ETIMEDOUT|ECONNABORTED)$/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO/;
const SAYS_UNIQUE = /\b(?:unique|duplicate|already (?:exists|taken|in use|used))\b/i;

/** Advice by the cause. The first line that fits counts. */
const ADVICE: ReadonlyArray<
	[(facts: AdviceFacts) => boolean, string | ((facts: AdviceFacts) => string)]
> = [
	[
		({ code = '' }) => CERTIFICATE.test(code),
		"If the certificate is self-signed, or from your company's own authority, start n8n with NODE_EXTRA_CA_CERTS set to its file.",
	],
	[
		({ code = '' }) => TIMED_OUT.test(code),
		({ host }) => `Raise 'Timeout (Seconds)', or make sure that this n8n can reach ${host}.`,
	],
	[
		({ code }) => code !== undefined,
		({ address, host }) =>
			`Check '${address}' in the credential, and make sure that this n8n can reach ${host}.`,
	],
	[
		({ status }) => status < 400,
		({ address }) =>
			`Redirects aren't followed, to keep the credential here. Enter the final address in '${address}' of the credential.`,
	],
	[isFault, 'Try again later. If this continues, ask the operator of the service.'],
	[
		({ status }) => status === 429,
		"Try again after the limit resets, or lower 'Max Parallel Requests' if the operation has it.",
	],
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
		({ kind = '' }) => /^(?:card|workspace)-/.test(kind),
		({ kind = '' }) =>
			kind.startsWith('card')
				? "It may have been deleted. Select the card again in 'Card'."
				: "Check 'Workspace ID' in the credential.",
	],
	[
		({ status, kind }) => status === 404 && kind === undefined,
		({ host }) => `Check 'Base URL' in the credential: another server may be answering at ${host}.`,
	],
	[
		({ status, title, detail }) => status === 409 && SAYS_UNIQUE.test(`${title} ${detail}`),
		"This value must be unique and is already in use. To update the record that has it, use 'Create or Update'.",
	],
	[
		({ isWordless = false }) => isWordless,
		"The service doesn't say which value it refused: check all values that are sent.",
	],
];

/** Returns true for the statuses of a service that is temporarily unavailable. */
export function isFault({ status = 0 }: { status?: number | undefined }): boolean {
	return status === 408 || status >= 500;
}

function adviceOn(facts: AdviceFacts): string | undefined {
	const advice = ADVICE.find(([fits]) => fits(facts))?.[1];
	return typeof advice === 'function' ? advice(facts) : advice;
}

/** Creates the error for a failed request, with the advice. */
export function requestError(
	title: string,
	facts: RequestFacts,
	origin: RequestOrigin,
): RequestError {
	const { status = 0, mayHaveHappened } = facts;
	const advice = facts.advice ?? adviceOn({ ...facts, ...origin, title, status });
	if (!mayHaveHappened) return new RequestError(title, { ...facts, advice });
	const { thing } = origin;
	const happened = thing
		? `The ${thing} may have been created`
		: 'The change may have been carried out';
	const check =
		thing === 'subscription'
			? 'Look for it in the settings of the service, and delete it there before you try again.'
			: `${thing ? 'It may exist now: check' : 'Look at the data'} before you run the workflow again with this item.`;
	return new RequestError(status === 0 ? `${happened}: ${title}` : title, {
		...facts,
		advice: sentences(status !== 0 && happened, check, advice),
	});
}

/** Codes that only occur before a connection exists, so the request can't have arrived. */
const NEVER_LEFT =
	/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|EHOSTUNREACH|ENETUNREACH|EPROTO|ERR_SSL_|ERR_TLS_)/;

type Thrown = Record<string, unknown>;

/** Reads what n8n's request helper throws if there is no response: n8n's words, and the system's code. */
export function networkError(
	error: unknown,
	origin: RequestOrigin,
	clean: (text: string) => string,
): RequestError {
	if (error instanceof RequestError) return error;
	const { message, description = '', code: own, httpCode: code = own } = Object(error) as Thrown;
	const title = clean(String(message));
	if (typeof code !== 'string') {
		// Refused by n8n before it was sent: allowed domains, SSRF protection, …
		return new RequestError(title, { advice: clean(String(description ?? '')) });
	}
	const isCertificate = CERTIFICATE.test(code);
	const hasLeft = !NEVER_LEFT.test(code) && !isCertificate;
	return requestError(
		TIMED_OUT.test(code) ? 'No response came in time' : title,
		{ code, isTransient: !isCertificate, mayHaveHappened: hasLeft && origin.method !== 'GET' },
		origin,
	);
}

/** How a response is read. */
export interface Reading {
	/** True for the response to a change, which may have been carried out. */
	isChange: boolean;
	/** Removes secrets from a text. */
	clean(text: string): string;
}

/** The error for a response that isn't what the interface says. @param place the place in it, such as `records[3].id` */
export function misfit(place: string, came: unknown, { isChange, clean }: Reading): RequestError {
	const json = typeof came === 'string' ? JSON.stringify(clean(came)) : JSON.stringify(came);
	return new RequestError(
		`The service's response doesn't follow the interface: '${place}' is ${json === undefined ? 'missing' : clip(clean(json))}`,
		{
			mayHaveHappened: isChange,
			advice: sentences(
				isChange ? 'The change may have been carried out.' : 'Nothing was done with it.',
				"Check 'Base URL' in the credential: a proxy or a sign-in page may be in between. Otherwise tell the operator of the service.",
			),
		},
	);
}

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
	if (!(error instanceof RequestError || error instanceof InputError)) {
		// n8n stores the stack, which points to the line that threw it.
		const cause = error instanceof Error ? error : new Error(String(error));
		cause.message = clean(cause.message);
		cause.stack = clean(cause.stack ?? '');
		const made = new NodeOperationError(node, cause, { itemIndex });
		made.message = cause.message;
		return Object.assign(made, { stack: cause.stack });
	}
	const { message, description } = error;
	const { status, code, title, kind, detail } = error as Partial<RequestError>;
	const httpCode = status?.toString() ?? code;
	// A small object, because n8n stores it in the execution's data.
	const made = httpCode
		? new NodeApiError(node, { message }, { itemIndex, httpCode })
		: new NodeOperationError(node, message, { itemIndex });
	if (status) Object.assign(made.context, { data: { status, title, kind, detail }, kind });
	// n8n's constructors rewrite any message that contains the name of a system error, even by chance.
	made.message = message;
	made.description = description ? withNames(description) : undefined;
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
