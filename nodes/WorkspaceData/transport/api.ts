import { createHash } from 'node:crypto';
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { z } from 'zod';
import { parseBaseUrl, pathSegment, tokenAddress } from '../model/address';
import { BoundedMap } from '../model/boundedMap';
import { parseJsonText } from '../model/json';
import { readProblem } from '../model/problem';
import { redact } from '../model/redact';
import { AccessTokenError, accessTokens } from './accessToken';
import { Cancelled, systemClock, wait, type Clock } from './clock';
import { CREDENTIAL_TYPES, readCredential, type Authentication } from './credential';
import { ApiFailure, Unreachable } from './failures';
import { createLimiter } from './limiter';
import { readNetworkFailure, NetworkFailure } from './networkFailure';
import {
	createRateGate,
	isRateLimited,
	refusalWait,
	type Headers,
	type RateGate,
} from './rateLimit';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_PARALLEL = 10;
/** Tries of a request that may be sent again after a fault. */
const TRIES = 3;
const FIRST_PAUSE_MS = 300;
/** The longest that one request waits for the rate limit altogether, in ms. */
const MAX_REFUSED_MS = 5 * 60_000;

/** A path parameter: the value, and how the user knows it. */
export type PathPart = string | { value: unknown; parameter: string };

/** One request to the service, relative to the workspace. */
export interface ApiRequest {
	method: IHttpRequestMethods & ('GET' | 'POST' | 'PATCH' | 'DELETE');
	/** Segments below the root; parameters are percent-encoded. */
	path: PathPart[];
	/** What the path is relative to: `/workspaces/{wid}` (default), the API root, or the origin. */
	root?: 'workspace' | 'api' | 'origin';
	query?: Record<string, string | number>;
	body?: object;
	/** Milliseconds until a try is given up. */
	timeoutMs?: number;
	/** Most requests of this execution at once. */
	maxParallel?: number;
	/** Whether to stop at the first fault: for the editor and for lifecycle calls, which cannot wait. */
	impatient?: boolean;
	/** What a lost answer may have left behind, for example `record`. */
	creates?: string;
}

/** An answer of success. */
export interface ApiAnswer {
	status: number;
	body: unknown;
	headers: Headers;
}

/** The service, as one credential sees it, for the length of one execution. */
export interface WorkspaceApi {
	baseUrl: string;
	workspaceId: string;
	/**
	 * Sends a request; waits for the rate limit, renews the token and tries again where that is safe.
	 *
	 * @throws InputError for a path parameter that cannot be used
	 * @throws ApiFailure when the service refuses
	 * @throws Unreachable when no answer comes
	 * @throws AccessTokenError when no access token can be had
	 * @throws Cancelled when the execution is cancelled
	 */
	request(request: ApiRequest): Promise<ApiAnswer>;
	/** Sends nothing more: what waits for its turn ends with Cancelled. */
	stop(): void;
	/** Takes this credential's secrets out of a text. */
	redact(text: string): string;
}

const answerSchema = z.object({
	statusCode: z.number(),
	headers: z.record(z.unknown()).catch({}),
	body: z.unknown(),
});

/** One gate for each key in this process: executions share what the key may send. */
const rateGates = new BoundedMap<string, RateGate>(100);

const fingerprint = (credential: ICredentialDataDecryptedObject): string =>
	createHash('sha256').update(JSON.stringify(credential)).digest('base64');

/**
 * Opens the service with the node's credential.
 *
 * @param authentication which of the two credential types the node uses
 * @throws InputError when the credential is missing or cannot be used; nothing has been sent
 */
export async function openApi(
	context: IAllExecuteFunctions,
	authentication: Authentication,
	clock: Clock = systemClock,
): Promise<WorkspaceApi> {
	const credentialType = CREDENTIAL_TYPES[authentication];
	const credential = await readCredential(context, credentialType);
	const baseUrl = parseBaseUrl(credential.baseUrl);
	const workspaceId = pathSegment(credential.workspaceId, 'Workspace ID');
	if (authentication === 'serviceAccount') tokenAddress(credential.authUrl, credential.realm);
	const gate = rateGates.getOrCreate(fingerprint(credential), () => createRateGate(clock));
	const inTurn = createLimiter();
	const signal =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	let stopped = false;
	/** A token fresh from the auth server was refused: asking for more would not help. */
	let freshTokenRefused = false;

	const currentToken = () =>
		authentication === 'serviceAccount' ? accessTokens.current(credential) : undefined;
	const clean = (text: string) =>
		redact(text, [credential.apiKey, credential.clientSecret, currentToken()]);

	const roots = {
		workspace: `${baseUrl}/workspaces/${workspaceId}`,
		api: baseUrl,
		origin: new URL(baseUrl).origin,
	};

	function address({ path, root = 'workspace' }: ApiRequest): string {
		const segments = path.map((part) =>
			typeof part === 'string' ? part : pathSegment(part.value, part.parameter),
		);
		return [roots[root], ...segments].join('/');
	}

	/** One try. Faults come back as values, for the caller to judge. */
	async function attempt(
		options: IHttpRequestOptions,
	): Promise<ApiAnswer | NetworkFailure | AccessTokenError> {
		const decrypted = { id: '', name: '', type: credentialType, data: { ...credential } };
		return await context.helpers.httpRequestWithAuthentication
			.call(context, credentialType, { ...options }, { credentialsDecrypted: decrypted })
			.then((response: unknown) => {
				const { statusCode, headers, body } = answerSchema.parse(response);
				return { status: statusCode, headers, body: parsed(body) };
			})
			.catch((error: unknown) => {
				if (signal?.aborted) throw new Cancelled();
				const cause = error instanceof Error ? error.cause : undefined;
				if (cause instanceof AccessTokenError) return cause;
				return readNetworkFailure(error);
			});
	}

	async function send(request: ApiRequest, options: IHttpRequestOptions): Promise<ApiAnswer> {
		const repeatable = request.method !== 'POST';
		let faults = 0;
		let refusals = 0;
		let refusedMs = 0;
		let renewed = false;
		let unclear = false;
		for (;;) {
			await gate.enter(signal);
			if (stopped) {
				gate.leave(undefined);
				throw new Cancelled();
			}
			const token = currentToken();
			const outcome = await attempt(options).catch((error: unknown) => {
				gate.leave(undefined);
				throw error;
			});
			gate.leave(outcome instanceof Error ? undefined : outcome.headers);

			if (outcome instanceof AccessTokenError) throw outcome;
			const mayTryAgain = !request.impatient && faults + 1 < TRIES;
			if (outcome instanceof NetworkFailure) {
				const safe = repeatable || !outcome.mayHaveArrived;
				if (!outcome.transient || !safe || !mayTryAgain) throw unreachable(outcome, request);
				unclear ||= outcome.mayHaveArrived;
			} else if (outcome.status >= 200 && outcome.status < 300) {
				return outcome;
			} else if (isRateLimited(outcome.status, outcome.headers)) {
				refusals += 1;
				const ms = refusalWait(outcome.headers, clock.now(), refusals);
				refusedMs += ms;
				if (request.impatient || refusedMs > MAX_REFUSED_MS) throw failure(outcome, request);
				gate.hold(clock.now() + ms);
				continue;
			} else if (
				outcome.status === 401 &&
				authentication === 'serviceAccount' &&
				!renewed &&
				!freshTokenRefused
			) {
				renewed = true;
				accessTokens.reject(credential, token ?? currentToken());
				continue;
			} else if (outcome.status === 404 && request.method === 'DELETE' && unclear) {
				return { ...outcome, status: 204, body: '' };
			} else if (isTransient(outcome.status) && repeatable && mayTryAgain) {
				unclear = true;
			} else {
				freshTokenRefused ||= outcome.status === 401 && renewed;
				throw failure(outcome, request);
			}
			faults += 1;
			await wait(FIRST_PAUSE_MS * 2 ** (faults - 1) * (0.5 + clock.random()), clock, signal);
		}
	}

	function failure(answer: ApiAnswer, request: ApiRequest): ApiFailure {
		const problem = readProblem(answer.status, answer.body);
		const detail = problem.detail && clean(problem.detail);
		return new ApiFailure(
			{ ...problem, title: clean(problem.title), ...(detail && { detail }) },
			advice(answer.status, request, authentication),
		);
	}

	function unreachable(fault: NetworkFailure, { creates }: ApiRequest): Unreachable {
		const lost = creates !== undefined && fault.mayHaveArrived;
		return new Unreachable(
			lost
				? `No answer came, so the ${creates} may exist now`
				: `The service could not be reached: ${clean(fault.reason)}`,
			lost
				? `Look for the ${creates} before you run this item again: ${clean(fault.reason)}. It was sent once.`
				: `Check 'Base URL' in the credential (${new URL(baseUrl).host}), and that this n8n can reach it.`,
			fault.code,
		);
	}

	return {
		baseUrl,
		workspaceId,
		redact: clean,
		stop() {
			stopped = true;
		},
		async request(request) {
			const options: IHttpRequestOptions = {
				method: request.method,
				url: address(request),
				...(request.query && { qs: request.query }),
				...(request.body && {
					// Text, not an object: n8n drops `{}`, and the HTTP client would lose keys like `__proto__`.
					body: JSON.stringify(request.body),
					headers: { 'Content-Type': 'application/json' },
				}),
				json: true,
				timeout: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
			};
			return await inTurn(request.maxParallel ?? DEFAULT_MAX_PARALLEL, async () => {
				if (stopped || signal?.aborted) throw new Cancelled();
				return await send(request, options);
			});
		},
	};
}

/** JSON that came as a text: under another content type, or encoded twice. */
const parsed = (body: unknown): unknown =>
	typeof body === 'string' ? (parseJsonText(body) ?? body) : body;

const isTransient = (status: number): boolean => status === 408 || status >= 500;

/** What the user can do about an answer that the service's own words do not say. */
function advice(
	status: number,
	{ creates }: ApiRequest,
	authentication: Authentication,
): string | undefined {
	if (status >= 300 && status < 400) {
		return "Redirects are not followed, as they would carry the credential elsewhere. Enter the final address in 'Base URL' of the credential.";
	}
	if (status === 401) {
		return authentication === 'apiKey'
			? "Check 'API Key' in the credential."
			: 'The service refused a fresh access token. The service account may have been revoked, or the API may trust another realm.';
	}
	if (status === 429) return 'Try again after the limit resets, or lower Max Parallel.';
	if (creates && (status === 502 || status === 504)) {
		return `The ${creates} may exist now: look for it before you run this item again.`;
	}
	return undefined;
}
