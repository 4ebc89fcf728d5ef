/** Turns a failed request into an error that says what happened and what to do. */
import { readProblem, readRefusal, type Problem } from '../../model/response/problem';
import { isKeptBack } from '../../model/response/statusMeanings';
import { isWebPage } from '../../model/response/jsonObject';
import { sentences } from '../../values/messageText';
import type { Authentication } from '../auth/credential';
import {
	ApiFailure,
	isGone,
	isTimeOut,
	isTransientStatus,
	NetworkFailure,
	Unreachable,
	UnusableResponse,
} from './failureKinds';
import { isRateLimited } from '../http/rateLimitHeaders';
import type { ApiResponse, ApiRequest } from '../request';
import { MAX_RESPONSE_BYTES } from '../http/response';

/** What messages about a failed request say about its origin. */
export interface RequestOrigin {
	authentication: Authentication;
	/** The name and port of the service. */
	host: string;
	/** True for an execution of the action node, which has options and items; else it is a trigger or the editor. */
	isRun: boolean;
	/** Removes the credential's secrets from a text. */
	redact(text: string): string;
}

const RUN_ITEM_AGAIN = 'run the workflow again with this item';
const CHECK_ITEM = `check before you ${RUN_ITEM_AGAIN}.`;

/** The advice if something may have been created. */
export const CHECK_FIRST = `It may exist now: ${CHECK_ITEM} The request was sent once.`;

/** The same advice for a subscription, which isn't created by an item. */
const LOOK_FOR_SUBSCRIPTION =
	'look for it in the settings of the service, and delete it there before you try again.';

/** The statuses that reject a request because of its content. */
const ABOUT_THE_REQUEST: readonly number[] = [400, 413, 415, 422];

/** Redirects to what a request has created. @see RFC 9110, sections 15.4.3 and 15.4.4 */
const DONE_ELSEWHERE: readonly number[] = [302, 303];

/**
 * Returns true if a change may have been made after an attempt with this outcome.
 *
 * @param before true if an earlier attempt may have made it
 */
export function sentAfter(
	outcome: ApiResponse | NetworkFailure,
	{ method }: Pick<ApiRequest, 'method'>,
	before = false,
): boolean {
	if (method === 'GET') return false;
	if (outcome instanceof NetworkFailure) return before || outcome.sent;
	const { status, headers, body } = outcome;
	// The service would have refused an earlier attempt, too. Other refusals may be caused by that attempt.
	if (ABOUT_THE_REQUEST.includes(status) && !isWebPage(body)) return false;
	// A refusal by the service itself is certain.
	const mayBeDone = isTransientStatus(status) || DONE_ELSEWHERE.includes(status);
	const isRefusal = isRateLimited(status, headers, false) || !mayBeDone;
	return before || !isRefusal;
}

type Request = Pick<ApiRequest, 'creates' | 'method'>;

/**
 * Creates the error for an unsuccessful response: the service's own message, and advice.
 *
 * @param how.sent true if a change may have been made, for the advice
 * @param how.until when the service is open again, in ms since the epoch, if it is closed for too long to wait
 */
export function apiFailure(
	response: ApiResponse,
	request: Request,
	origin: RequestOrigin,
	{ sent = sentAfter(response, request), until }: { sent?: boolean; until?: number } = {},
): ApiFailure {
	const { status, headers, body } = response;
	const problem = readProblem(status, body, origin.redact);
	const isLimited = isRateLimited(status, headers, true);
	const failure = advised(problem, request, origin, { sent, isLimited });
	if (until !== undefined) failure.message += ` (closed until ${timeText(until)})`;
	return failure;
}

/** A time in UTC, in minutes. The latest that JavaScript knows if it is later. */
const timeText = (ms: number): string =>
	`${new Date(Math.min(ms + 60_000, 8.64e15)).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Adds the advice on a problem, which begins with what may have become of the request. */
function advised(
	problem: Problem,
	request: Request,
	{ authentication, isRun }: Pick<RequestOrigin, 'authentication' | 'isRun'>,
	{ sent, isLimited }: { sent: boolean; isLimited: boolean },
): ApiFailure {
	const refusal: Refusal = {
		...problem,
		...request,
		isRun,
		isLimited,
		isUnclear: sent,
		words: `${problem.title} ${problem.detail ?? ''}`,
		account: authentication === 'apiKey' ? 'API key' : 'service account',
	};
	const say = ADVICE.find(([fits]) => fits(refusal))?.[1];
	const advice = typeof say === 'function' ? say(refusal) : say;
	const first = refusal.isUnclear && unclearAdvice(refusal);
	return new ApiFailure(problem, sentences(first, advice) || undefined, isLimited, sent);
}

/**
 * Returns the error in a successful response that says that nothing was done, or undefined.
 *
 * @param before true if an earlier attempt may have made the change
 */
export function refusalOf(
	{ status, body, headers }: ApiResponse,
	request: Request,
	origin: RequestOrigin,
	before?: boolean,
): ApiFailure | undefined {
	const problem = readRefusal(status, body, origin.redact, headers['content-type']);
	if (!problem) return undefined;
	const sent = sentAfter({ status: problem.status, headers: {}, body: '' }, request, before);
	return advised(problem, request, origin, { sent, isLimited: false });
}

/** Creates the error for a request without a usable response. @param sent true if a change may have been made */
export function unreachable(
	fault: NetworkFailure,
	request: Request,
	origin: Pick<RequestOrigin, 'host' | 'isRun' | 'redact'>,
	sent = sentAfter(fault, request),
): Unreachable {
	const { httpCode, transient, tooLarge } = fault;
	const [message, description] = networkAdvice(fault, request.creates, origin, sent);
	const facts = { description: origin.redact(description), httpCode, transient, sent, tooLarge };
	return new Unreachable(`${message} ${origin.redact(fault.message)}`, facts);
}

/** How the message about a request without a usable response begins, and the advice. */
function networkAdvice(
	fault: NetworkFailure,
	creates: string | undefined,
	{ host, isRun }: Pick<RequestOrigin, 'host' | 'isRun'>,
	sent: boolean,
): [string, string] {
	const raise =
		isRun && isTimeOut(fault) && "If the service is slow, raise the option 'Timeout (Seconds)'.";
	if (creates !== undefined && fault.sent) {
		if (creates !== 'subscription')
			return [`The ${creates} may have been created:`, sentences(CHECK_FIRST, raise)];
		return [
			'The subscription may have been created:',
			`It may exist now: ${LOOK_FOR_SUBSCRIPTION}`,
		];
	}
	const elsewhere = `Check 'Base URL' in the credential: another server, or a proxy, may be answering at ${host}.`;
	if (sent) {
		return [
			'The change may have been carried out:',
			sentences(lookAtData(isRun), raise, elsewhere),
		];
	}
	if (fault instanceof UnusableResponse) {
		const smaller = `At most ${MAX_RESPONSE_BYTES / 1e6} MB of a response are read. Lower 'Limit' if the operation has it.`;
		return ['The service responded, but', sentences(fault.tooLarge && smaller, elsewhere)];
	}
	const reach = `Check 'Base URL' in the credential (${host}), and make sure that this n8n can reach it.`;
	return ["The service couldn't be reached:", fault.description ?? sentences(raise, reach)];
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
interface Refusal extends Problem, Request, Pick<RequestOrigin, 'isRun'> {
	/** The service's message. */
	words: string;
	/** True if the rate limit is the reason, whatever the status. */
	isLimited: boolean;
	/** True if it may have been carried out. */
	isUnclear: boolean;
	/** The kind of credential. */
	account: 'API key' | 'service account';
}

/** What to do if a change may have been carried out. */
const lookAtData = (isRun: boolean): string =>
	`Look at the data, ${isRun ? `or ${RUN_ITEM_AGAIN}` : 'then try again'}.`;

/** What may have become of a request. */
function unclearAdvice({ creates, isRun }: Pick<Refusal, 'creates' | 'isRun'>): string {
	if (creates === undefined) return `The change may have been carried out. ${lookAtData(isRun)}`;
	const check = creates === 'subscription' ? LOOK_FOR_SUBSCRIPTION : CHECK_ITEM;
	return `The ${creates} may have been created: ${check}`;
}

const LOWER_PARALLEL = "lower the option 'Max Parallel Requests' if the operation has it";

/** Advice if the service states no reason. */
const WITHOUT_REASON: Record<number, string> = {
	400: "The service doesn't say what it couldn't read: check all values that are sent.",
	405: "Check 'Base URL' in the credential, or ask the operator of the service.",
	409: 'Something else may have the same value, or may be changing it: look at the data, then try again.',
	413: 'Send fewer or shorter values.',
	415: "Check 'Base URL' in the credential: another server may be answering at that address.",
	422: "The service doesn't say which value it refused: check all values that are sent.",
	500: 'Try again later. If it stays so, tell the operator of the service.',
};

/** Advice in addition to the service's own message. The first line that matches is used. */
const ADVICE: ReadonlyArray<
	[(refusal: Refusal) => boolean, string | ((refusal: Refusal) => string | undefined)]
> = [
	[
		({ status }) => status === 304,
		'A cache between n8n and the service may have responded. Try again, or ask the operator of the service.',
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
		({ account }) =>
			account === 'API key'
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
		({ isRun }) => `Try again after the limit resets${isRun ? `, or ${LOWER_PARALLEL}` : ''}.`,
	],
	[
		({ status }) => status === 403,
		({ account, method }) =>
			`This ${account} can't ${method === 'GET' ? 'read' : 'change'} this. Use a credential with access, or ask the owner of the workspace.`,
	],
	[
		({ status, words }) => status === 409 && SAYS_UNIQUE.test(words),
		({ creates }) =>
			sentences(
				'This value must be unique and is already in use.',
				creates === 'record' && "To update the record that has it, use 'Create or Update'.",
				creates === 'record' &&
					'If the service ignores case or spaces, match on the value as it is stored.',
			),
	],
	[
		({ creates, isRun, status }) => creates !== undefined && isRun && status === 503,
		`If the service handles only a few requests at once, ${LOWER_PARALLEL}.`,
	],
	[
		({ foreign, status }) => foreign === true && status >= 500,
		({ isUnclear }) => (isUnclear ? pageAdvice() : pageAdvice('Try again later.')),
	],
	[
		({ status }) => status === 503,
		'The service is overloaded or under maintenance. Try again later.',
	],
	[({ detail, foreign }) => !detail && !foreign, ({ status }) => WITHOUT_REASON[status]],
];
