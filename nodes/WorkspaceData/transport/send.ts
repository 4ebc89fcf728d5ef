/** Sends requests through n8n's helper: waits for the rate limit, has a token, and tries again where that is safe. */
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';
import type { Clock } from './clock';
import { CREDENTIAL_TYPES, type Authentication } from './credential';
import {
	Cancelled,
	isFault,
	networkError,
	RequestError,
	type RequestOrigin,
	type ThingName,
} from './errors';
import { AT_ONCE, closedUntil, MAX_WAIT_MS, type Limiter, type Turn } from './limiter';
import { redact } from './redact';
import { isSuccess, PLAIN_RESPONSE, refusal, toResponse, type ApiResponse } from './response';
import { limiterOf, tokenOf } from './shared';
import type { AccountToken } from './token';
import { within } from './within';

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

/** One request. */
export interface ApiRequest {
	method: IHttpRequestMethods & ('GET' | 'POST' | 'PATCH' | 'DELETE');
	url: string;
	query?: Record<string, string | number>;
	body?: object;
	/** The thing that a POST creates. */
	thing?: ThingName;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const URGENT_WAIT_MS = 5_000;
const MAX_AT_ONCE = 64;
const TRIES = 3;
/** The pause after the first fault, in ms; it doubles with each further one. */
const FIRST_PAUSE_MS = 300;

type Outcome = ApiResponse | RequestError | Cancelled;

/**
 * Decides what follows a try. A POST is sent again only if it was refused with 429, or never left.
 *
 * @param tries how often it failed for other reasons than the rate limit, with this time
 */
export function nextStep(
	outcome: Outcome,
	{ method }: Pick<ApiRequest, 'method'>,
	{ isUrgent = false }: RequestOptions,
	tries: number,
): 'done' | 'fail' | 'again' | 'wait' {
	if (outcome instanceof Cancelled) return 'fail';
	const isLast = isUrgent || tries >= TRIES;
	if (outcome instanceof RequestError) {
		const isSafe = method !== 'POST' || !outcome.mayHaveHappened;
		return outcome.isTransient && isSafe && !isLast ? 'again' : 'fail';
	}
	if (isSuccess(outcome)) return 'done';
	if (outcome.status === 429) return 'wait';
	return isFault(outcome) && method !== 'POST' && !isLast ? 'again' : 'fail';
}

/** What requests are sent with. */
export interface Access {
	context: IAllExecuteFunctions;
	credential: ICredentialDataDecryptedObject;
	authentication: Authentication;
	clock: Clock;
}

/** Sends the requests of one execution. */
export class Sender {
	/** The execution's cancel signal. */
	readonly signal: AbortSignal | undefined;
	private readonly access: Access;
	private readonly limiter: Limiter;
	private readonly token: AccountToken | undefined;

	constructor(access: Access) {
		const { context, credential, authentication, clock } = access;
		this.access = access;
		if (authentication === 'serviceAccount') this.token = tokenOf(credential);
		this.limiter = limiterOf(credential, clock);
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
		const turn = this.turnOf(options);
		let faults = 0;
		let waitedMs = 0;
		let isUnclear = false;
		for (;;) {
			await limiter.enter(turn, faults > 0 || waitedMs > 0);
			const outcome = await this.try(request, options);
			const response = outcome instanceof Error ? undefined : outcome;
			const step = nextStep(outcome, request, options, faults + 1);
			if (step === 'fail') {
				// What waits isn't sent before the caller has seen the failure.
				void clock.sleep(0).then(() => limiter.leave(turn, response));
				return this.conclude(outcome, request, isUnclear);
			}
			const ms = limiter.leave(turn, response);
			if (response && step === 'done') return response;
			waitedMs += ms;
			if (waitedMs > turn.patienceMs) throw closedUntil(clock.now() + ms);
			if (step === 'wait') continue;
			isUnclear ||= this.isUnclear(outcome, request);
			faults += 1;
			const pause = FIRST_PAUSE_MS * 2 ** (faults - 1) * (0.5 + clock.random());
			await within(Infinity, clock, async () => await clock.sleep(pause), turn.signals);
		}
	}

	private turnOf(options: RequestOptions): Turn {
		return {
			owner: this,
			width: this.width(options),
			patienceMs: options.isUrgent ? URGENT_WAIT_MS : MAX_WAIT_MS,
			signals: [this.signal, options.signal].filter((signal) => signal !== undefined),
		};
	}

	/** Sends it once, or twice with another access token if the service refuses the first one. */
	private async try(
		request: ApiRequest,
		options: RequestOptions,
		isSecond = false,
	): Promise<Outcome> {
		const { token, signal } = this;
		const { context, credential, clock } = this.access;
		const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
		const signals = signal ? [signal] : [];
		const isChange = request.method !== 'GET';
		const clean = (text: string) => this.redact(text);
		let isSent = false;
		try {
			const getToken = async () =>
				await token?.get(credential, async (http) => await context.helpers.httpRequest(http));
			const accessToken = await within(Infinity, clock, getToken, signals);
			isSent = true;
			const sending = async (end: AbortSignal) =>
				await this.http({ ...plain(request), timeout: timeoutMs }, end, accessToken);
			const full = await within(timeoutMs, clock, sending, signals);
			const response = toResponse(full, clean, isChange);
			const isRefused = response.status === 401 && accessToken && token?.refuse(accessToken);
			return isRefused && !isSecond ? await this.try(request, options, true) : response;
		} catch (error) {
			if (signal?.aborted) return new Cancelled(isSent && isChange);
			return networkError(error, this.originOf(request), clean);
		}
	}

	/** Sends it through n8n's helper, which asks for no token of its own while `sessionToken` isn't empty. */
	private async http(options: IHttpRequestOptions, end: AbortSignal, accessToken?: string) {
		const { context, credential, authentication } = this.access;
		const token = accessToken && { accessToken, sessionToken: accessToken };
		// `authenticate` gives the signal to the request.
		const data = { ...credential, abortSignal: end, ...token } as object;
		const type = CREDENTIAL_TYPES[authentication];
		const credentialsDecrypted = { id: '', name: '', type, data: data as typeof credential };
		const { httpRequestWithAuthentication } = context.helpers;
		return (await httpRequestWithAuthentication.call(context, type, options, {
			credentialsDecrypted,
		})) as unknown;
	}

	/** Returns true if a try that isn't the last may have made a change. */
	private isUnclear(outcome: Outcome, { method }: ApiRequest): boolean {
		if (outcome instanceof Error) return outcome.mayHaveHappened;
		return method !== 'GET' && isFault(outcome);
	}

	/** @param wasUnclear true if an earlier try may have made the change */
	private conclude(outcome: Outcome, request: ApiRequest, wasUnclear: boolean): ApiResponse {
		if (outcome instanceof Error) {
			outcome.mayHaveHappened ||= wasUnclear;
			throw outcome;
		}
		const { status } = outcome;
		if (request.method === 'DELETE' && status === 404 && wasUnclear) {
			return { ...outcome, status: 204, text: '' };
		}
		const isUnclear = wasUnclear || this.isUnclear(outcome, request);
		throw refusal(outcome, this.originOf(request), isUnclear);
	}

	private originOf({ method, thing, url }: ApiRequest): RequestOrigin {
		const account = this.token === undefined ? 'API key' : 'service account';
		return { host: new URL(url).host, account, address: 'Base URL', method, thing };
	}
}

/** The options for n8n's helper. The body is text: n8n drops `{}`, and the HTTP client would lose keys like `__proto__`. */
const plain = ({ method, url, query, body }: ApiRequest): IHttpRequestOptions => ({
	...PLAIN_RESPONSE,
	method,
	url,
	json: true,
	...(query && { qs: query }),
	...(body && {
		body: JSON.stringify(body),
		headers: { 'Content-Type': 'application/json' },
	}),
});
