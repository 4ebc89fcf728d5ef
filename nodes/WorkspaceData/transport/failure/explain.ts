/** Turns a failed request into an error that says what happened and what to do. */
import { readProblem, readRefusal, type Problem } from '../../model/response/problem';
import { isKeptBack } from '../../model/response/statusTitles';
import { isWebPage } from '../../model/response/shapes';
import type { Authentication } from '../auth/credential';
import {
	ApiFailure,
	either,
	isGone,
	isTransientStatus,
	NetworkFailure,
	Unreachable,
	UnusableResponse,
	type WasSent,
} from './failures';
import { isRateLimited } from '../http/rateLimitHeaders';
import { isRepeatable } from '../http/retryPolicy';
import type { ApiResponse, ApiRequest } from '../request';
import { MAX_RESPONSE_BYTES } from '../http/response';

/** What messages about a failed request say about its origin. */
export interface RequestOrigin {
	authentication: Authentication;
	/** The name and port of the service. */
	host: string;
	/** Removes the credential's secrets from a text. */
	redact(text: string): string;
}

/** The advice if something may have been created. */
export const CHECK_FIRST =
	'It may exist now: check before you run this item again. The request was sent once.';

/** The same advice for a subscription, which isn't created by an item. */
const LOOK_FOR_SUBSCRIPTION =
	'look for it in the settings of the service, and delete it there before you try again.';

/** The statuses that reject a request because of its content. */
const ABOUT_THE_REQUEST: readonly number[] = [400, 413, 415, 422];

/** A gateway timed out, but the service may still be working on the request. */
const GATEWAY_TIMEOUT = 504;
/** Redirects to what a request has created. @see RFC 9110, sections 15.4.3 and 15.4.4 */
const DONE_ELSEWHERE: readonly number[] = [302, 303];

/** Returns the state of a request after an attempt with this outcome. @param before its earlier state */
export function sentAfter(
	outcome: ApiResponse | NetworkFailure,
	{ method }: Pick<ApiRequest, 'method'>,
	before: WasSent = 'no',
): WasSent {
	if (method === 'GET') return 'no';
	if (outcome instanceof NetworkFailure) return either(before, outcome.sent);
	const { status, headers, body } = outcome;
	// The service would have refused an earlier attempt, too. Other refusals may be caused by that attempt.
	if (ABOUT_THE_REQUEST.includes(status) && !isWebPage(body)) return 'no';
	// A refusal by the service itself is certain.
	const mayBeDone = isTransientStatus(status) || DONE_ELSEWHERE.includes(status);
	const isRefusal = isRateLimited(status, headers, isRepeatable(method)) || !mayBeDone;
	return isRefusal ? before : either(before, status === GATEWAY_TIMEOUT ? 'maybe' : 'yes');
}

/**
 * Creates the error for an unsuccessful response: the service's own message, and advice.
 *
 * @param sent `no`, `maybe` or `yes`, for the advice
 */
export function apiFailure(
	response: ApiResponse,
	request: Pick<ApiRequest, 'creates' | 'method'>,
	origin: RequestOrigin,
	sent = sentAfter(response, request),
): ApiFailure {
	const { status, headers, body } = response;
	const problem = readProblem(status, body, origin.redact);
	const isLimited = isRateLimited(status, headers, true);
	return advised(problem, request, origin, { sent, isLimited });
}

/** Adds the advice on a problem, which begins with what may have become of the request. */
function advised(
	problem: Problem,
	request: Pick<ApiRequest, 'creates' | 'method'>,
	{ authentication }: Pick<RequestOrigin, 'authentication'>,
	{ sent, isLimited }: { sent: WasSent; isLimited: boolean },
): ApiFailure {
	const refusal: Refusal = {
		...problem,
		...request,
		isLimited,
		isUnclear: sent !== 'no',
		words: `${problem.title} ${problem.detail ?? ''}`,
		isApiKey: authentication === 'apiKey',
		isPage: problem.foreign === true && problem.status >= 500,
	};
	const say = ADVICE.find(([fits]) => fits(refusal))?.[1];
	const advice = typeof say === 'function' ? say(refusal) : say;
	const first = refusal.isUnclear && unclearAdvice(request.creates);
	const all = [first, advice].filter(Boolean).join(' ');
	return new ApiFailure(problem, all || undefined, isLimited, sent);
}

/**
 * Returns the error in a successful response that says that nothing was done, or undefined.
 *
 * @param before the state of the request after earlier attempts
 */
export function refusalOf(
	{ status, body, headers }: ApiResponse,
	request: Pick<ApiRequest, 'creates' | 'method'>,
	origin: RequestOrigin,
	before?: WasSent,
): ApiFailure | undefined {
	const problem = readRefusal(status, body, origin.redact, headers['content-type']);
	if (!problem) return undefined;
	const sent = sentAfter({ status: problem.status, headers: {}, body: '' }, request, before);
	return advised(problem, request, origin, { sent, isLimited: false });
}

/** Creates the error for a request without a usable response. @param sent the state of the request */
export function unreachable(
	fault: NetworkFailure,
	request: Pick<ApiRequest, 'creates' | 'method'>,
	{ host, redact }: Pick<RequestOrigin, 'host' | 'redact'>,
	sent = sentAfter(fault, request),
): Unreachable {
	const { httpCode, transient, tooLarge } = fault;
	const [message, description] = networkAdvice(fault, request.creates, host, sent);
	const facts = { description: redact(description), httpCode, transient, sent, tooLarge };
	return new Unreachable(`${message} ${redact(fault.message)}`, facts);
}

/** How the message about a request without a usable response begins, and the advice. */
function networkAdvice(
	fault: NetworkFailure,
	creates: string | undefined,
	host: string,
	sent: WasSent,
): [string, string] {
	if (creates !== undefined && fault.sent !== 'no') {
		const look =
			creates === 'subscription' ? `It may exist now: ${LOOK_FOR_SUBSCRIPTION}` : CHECK_FIRST;
		return [`The ${creates} may have been created:`, look];
	}
	if (fault instanceof UnusableResponse) {
		const elsewhere = `Check 'Base URL' in the credential: another server, or a proxy, may be answering at ${host}.`;
		const smaller = `At most ${MAX_RESPONSE_BYTES / 1e6} MB of a response are read. Lower 'Limit' if the operation has it. `;
		return ['The service responded, but', `${fault.tooLarge ? smaller : ''}${elsewhere}`];
	}
	if (sent !== 'no') {
		const again = `Look at the data, or run this item again: the same change is then sent once more. If the service is slow, raise the option 'Timeout (Seconds)' if the operation has it; if it never responds, check 'Base URL' in the credential (${host}).`;
		return ['The change may have been carried out:', again];
	}
	const reach = `Check 'Base URL' in the credential (${host}), and make sure that this n8n can reach it.`;
	return ["The service couldn't be reached:", fault.description ?? reach];
}

/** How services say that a value must be unique. */
const SAYS_UNIQUE = /\b(?:unique|duplicate|already (?:exists|taken|in use|used))\b/i;

const PAGE_CAME =
	"A proxy or the service's host responded with a web page, often while the service is restarted or overloaded.";
const IF_IT_STAYS =
	"If it stays so, check 'Base URL' in the credential, or ask the operator of the service.";

/** Advice for a web page instead of a response. @param first the first advice, as a sentence */
export const pageAdvice = (...first: string[]): string =>
	[PAGE_CAME, ...first, IF_IT_STAYS].join(' ');

/** Why a web page may replace the response. */
export const IN_BETWEEN = 'A proxy, a firewall or a sign-in page may be in between.';

/** The facts that decide the advice on a refusal. */
interface Refusal extends Problem, Pick<ApiRequest, 'creates' | 'method'> {
	/** The service's message. */
	words: string;
	/** True if the rate limit is the reason, whatever the status. */
	isLimited: boolean;
	/** True if it may have been carried out. */
	isUnclear: boolean;
	isApiKey: boolean;
	/** True if a web page replaced the response, and the address isn't the reason. */
	isPage: boolean;
}

/** What may have become of a request. @param creates the thing that it creates, if any */
function unclearAdvice(creates: string | undefined): string {
	if (creates === undefined)
		return 'The change may have been carried out: look at the data, or run this item again.';
	const check =
		creates === 'subscription' ? LOOK_FOR_SUBSCRIPTION : 'check before you run this item again.';
	return `The ${creates} may have been created: ${check}`;
}

/** What to do later. @param creates the thing that the request creates, if any */
const againLater = (creates: string | undefined): string =>
	creates === 'subscription' ? 'Publish the workflow again later.' : 'Run the node again later.';

const LOWER_PARALLEL = "lower the option 'Max Parallel Requests' if the operation has it.";
const NEXT_KEY =
	'If it says so there, the service may keep the value in another spelling, for example in lower case: enter it as the record has it.';

/** Advice in addition to the service's own message. The first line that matches is used. */
const ADVICE: ReadonlyArray<
	[(refusal: Refusal) => boolean, string | ((refusal: Refusal) => string)]
> = [
	[
		({ status }) => status === 304,
		'A cache between n8n and the service may have responded. Run the node again, or ask the operator of the service.',
	],
	[
		({ status }) => status >= 300 && status < 400,
		"Redirects aren't followed, because they would send the credential to another address. Enter the final address in 'Base URL' of the credential.",
	],
	[
		isKeptBack,
		`${IN_BETWEEN} Check 'Base URL' in the credential, or ask whoever runs the network.`,
	],
	[
		({ status }) => status === 401,
		({ isApiKey }) =>
			isApiKey
				? "Check 'API Key' in the credential."
				: 'The service rejected a new access token. The service account may have been revoked, or the API may trust another realm.',
	],
	[
		({ status, foreign }) => status === 404 && foreign === true,
		"A web page responded, not the service. Check 'Base URL' in the credential.",
	],
	[
		({ kind = '', status }) => /card/.test(kind) && isGone({ status, kind }, ['card']),
		"It may have been deleted, or a name may stand where its ID belongs. Select the card again in 'Card'.",
	],
	[
		({ isLimited }) => isLimited,
		({ creates }) =>
			creates === 'subscription'
				? 'Publish the workflow again after the limit resets.'
				: `Run the node again after the limit resets, or ${LOWER_PARALLEL}`,
	],
	[
		({ status }) => status === 403,
		({ isApiKey }) =>
			`${isApiKey ? 'This API key' : 'The role of this service account'} doesn't allow it. In the credential, select an account that may edit, or ask the owner of the workspace for that role.`,
	],
	[
		({ status, words }) => status === 409 && SAYS_UNIQUE.test(words),
		({ creates }) =>
			creates === 'record'
				? `Another record has this value. Enter another one, or use the operation 'Create or Update' to update that record. ${NEXT_KEY}`
				: 'Something else has this value already. Enter another one, or change what has it.',
	],
	[
		({ creates, status }) => creates !== undefined && creates !== 'subscription' && status === 503,
		`If the service handles only a few requests at once, ${LOWER_PARALLEL}`,
	],
	[
		({ isPage }) => isPage,
		({ isUnclear, creates }) => (isUnclear ? pageAdvice() : pageAdvice(againLater(creates))),
	],
	[
		({ status }) => status === 503,
		({ creates }) => `The service is overloaded or under maintenance. ${againLater(creates)}`,
	],
];
