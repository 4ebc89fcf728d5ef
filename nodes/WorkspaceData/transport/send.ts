/** Sends requests through n8n's helper: waits for the rate limit, has a token, and tries again where that is safe. */
import type { IAllExecuteFunctions, IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';
import { within, type Clock } from './clock';
import type { NodeCredential } from './credential';
import {
	Cancelled,
	networkError,
	unclear,
	type Created,
	type Origin,
	type RequestError,
} from './errors';
import { AT_ONCE, closedUntil, MAX_WAIT_MS, type Limiter } from './limiter';
import { redact } from './redact';
import { exchange, isSuccess, PLAIN_RESPONSE, refusal, type ApiResponse } from './response';
import { sharedBy } from './shared';
import type { AccountToken } from './token';

/** How a request is sent. */
export interface RequestOptions {
	/** The time limit of one try, in ms. */
	timeoutMs?: number;
	/** The maximum of parallel requests of the execution, 1 to 64; undefined is automatic. */
	maxParallel?: number;
	/** True if a person or a hook waits: one try, and at most 5 s for the rate limit. */
	isUrgent?: boolean;
	/** Ends the wait of a request that wasn't sent, in addition to the execution's own signal. */
	signal?: AbortSignal;
}

/** Which page of a list is read. */
export interface PageQuery {
	limit?: number | undefined;
	cursor?: string | undefined;
}

/** One request. */
export interface ApiRequest {
	method: IHttpRequestMethods & ('GET' | 'POST' | 'PATCH' | 'DELETE');
	url: string;
	query?: PageQuery;
	body?: object;
	/** The thing that a POST creates. */
	thing?: Created;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const URGENT_WAIT_MS = 5_000;
const MAX_AT_ONCE = 64;
const TRIES = 3;
/** The pause after the first fault, in ms; it doubles with each further one. */
const FIRST_PAUSE_MS = 300;

type Failure = RequestError | Cancelled;

/**
 * Decides what follows a try that failed. A POST is sent again only if it was refused with 429, or never left.
 *
 * @param tries how often it failed for other reasons than the rate limit, with this time
 */
export function nextStep(
	error: Failure,
	method: ApiRequest['method'],
	{ isUrgent = false }: RequestOptions,
	tries: number,
): 'fail' | 'again' | 'wait' {
	if (error instanceof Cancelled) return 'fail';
	if (error.status === 429) return 'wait';
	const isSafe = method !== 'POST' || !error.mayHaveHappened;
	return error.isTransient && isSafe && !isUrgent && tries < TRIES ? 'again' : 'fail';
}

/** What the requests of an execution have in common. */
export interface Access extends NodeCredential {
	context: IAllExecuteFunctions;
	clock: Clock;
}

/** Sends the requests of one execution. */
export class Sender {
	/** The execution's cancel signal. */
	readonly signal: AbortSignal | undefined;
	protected readonly access: Access;
	private readonly limiter: Limiter;
	private readonly token: AccountToken | undefined;

	constructor(access: Access) {
		const { context, type, credential, clock } = access;
		const { limiter, token } = sharedBy(credential, clock);
		this.access = access;
		this.limiter = limiter;
		if (type === 'workspaceDataServiceAccountApi') this.token = token;
		if ('getExecutionCancelSignal' in context) this.signal = context.getExecutionCancelSignal();
	}

	/** How many requests may be under way. */
	width({ maxParallel = AT_ONCE }: RequestOptions): number {
		return Math.min(maxParallel, MAX_AT_ONCE);
	}

	/** Removes the credential's secrets from a text, as they are and URL-encoded. */
	redact(text: string): string {
		const { apiKey, clientSecret } = this.access.credential;
		return redact(text, [apiKey, clientSecret, ...(this.token?.recent ?? [])]);
	}

	/**
	 * Sends a request.
	 *
	 * @returns a response with a status of success
	 * @throws RequestError if the service refuses, doesn't respond, or gives no access token
	 * @throws Cancelled if the execution is canceled
	 */
	async send(request: ApiRequest, options: RequestOptions = {}): Promise<ApiResponse> {
		const { limiter } = this;
		const { clock } = this.access;
		const signals = [this.signal, options.signal];
		const patienceMs = options.isUrgent ? URGENT_WAIT_MS : MAX_WAIT_MS;
		const turn = { owner: this, width: this.width(options), patienceMs, signals };
		let [faults, waitedMs, isUnclear] = [0, 0, false];
		for (;;) {
			await limiter.enter(turn, faults > 0 || waitedMs > 0);
			const outcome = await this.attempt(request, options);
			if (!(outcome instanceof Error)) {
				limiter.leave(turn);
				return outcome;
			}
			isUnclear ||= outcome.mayHaveHappened;
			const step = nextStep(outcome, request.method, options, faults + 1);
			if (step === 'fail') {
				// What waits isn't sent before the caller has seen the failure.
				void clock.sleep(0).then(() => limiter.leave(turn));
				throw isUnclear ? unclear(outcome, request.thing) : outcome;
			}
			limiter.leave(turn);
			if (step === 'wait') {
				waitedMs += limiter.closedUntil - clock.now();
				if (waitedMs > patienceMs) throw closedUntil(limiter.closedUntil);
				continue;
			}
			const pause = FIRST_PAUSE_MS * 2 ** faults * (0.5 + clock.random());
			faults += 1;
			await within(async () => await clock.sleep(pause), { signals });
		}
	}

	/** Sends it once, or twice with another access token if the service refuses the first one. */
	private async attempt(
		request: ApiRequest,
		options: RequestOptions,
		isSecond = false,
	): Promise<ApiResponse | Failure> {
		const { token, limiter } = this;
		const { context, credential, clock } = this.access;
		const { timeoutMs: ms = DEFAULT_TIMEOUT_MS } = options;
		const signals = [this.signal];
		const origin = this.originOf(request);
		let isSent = false;
		try {
			const getToken = async () =>
				await token?.get(credential, async (http) => await context.helpers.httpRequest(http));
			const accessToken = await within(getToken, { signals });
			isSent = true;
			const sending = async (abortSignal: AbortSignal) =>
				await this.http(request, ms, { abortSignal, accessToken });
			const response = await exchange(sending, origin, { ms, clock, signals });
			limiter.learn(response);
			if (isSuccess(response)) return response;
			const isRefused = response.status === 401 && accessToken && token?.refuse(accessToken);
			return isRefused && !isSecond
				? await this.attempt(request, options, true)
				: refusal(response);
		} catch (error) {
			return error instanceof Cancelled
				? new Cancelled(isSent && request.method !== 'GET')
				: networkError(error, origin);
		}
	}

	/**
	 * Sends it through n8n's helper, which asks for no token of its own while `sessionToken` isn't empty.
	 *
	 * @param more what `authenticate` needs, in n8n's copy of the credential
	 */
	private async http(
		{ method, url, query, body }: ApiRequest,
		timeout: number,
		more: { abortSignal: AbortSignal; accessToken: string | undefined },
	): Promise<unknown> {
		const options: IHttpRequestOptions = {
			...PLAIN_RESPONSE,
			method,
			url,
			timeout,
			json: true,
			...(query && { qs: { ...query } }),
			// Text: n8n drops `{}`, and the HTTP client would lose keys like `__proto__`.
			...(body && {
				body: JSON.stringify(body),
				headers: { 'Content-Type': 'application/json' },
			}),
		};
		const { context, credential, type } = this.access;
		const data = { ...credential, ...more, sessionToken: more.accessToken } as object;
		const credentialsDecrypted = { id: '', name: '', type, data: data as typeof credential };
		const { httpRequestWithAuthentication } = context.helpers;
		return (await httpRequestWithAuthentication.call(context, type, options, {
			credentialsDecrypted,
		})) as unknown;
	}

	private originOf({ method, url }: ApiRequest): Origin {
		return {
			host: new URL(url).host,
			account: this.token ? 'service account' : 'API key',
			address: 'Base URL',
			method,
			clean: (text) => this.redact(text),
		};
	}
}
