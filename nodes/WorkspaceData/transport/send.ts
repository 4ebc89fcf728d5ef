/** Sends requests through n8n's helper: waits for the rate limit, has a token, and tries again where that is safe. */
import type { IAllExecuteFunctions, IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';
import { within, type Clock } from './clock';
import { redact, type NodeCredential } from './credential';
import { asFailure, RequestError, unclear, type Created, type Origin } from './errors';
import { AT_ONCE, MAX_WAIT_MS, type Limiter, type Turn } from './limiter';
import { exchange, isSuccess, refusal, type ApiResponse } from './response';
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

/** One request, and how its response is read. */
export interface ApiRequest<Result> {
	method: IHttpRequestMethods & ('GET' | 'POST' | 'PATCH' | 'DELETE');
	url: string;
	query?: PageQuery;
	body?: object;
	/** The thing that a POST creates. */
	thing?: Created;
	/** Reads a response with a status of success. @throws RequestError */
	read(response: ApiResponse): Result;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const URGENT_WAIT_MS = 5_000;
const TRIES = 3;
/** The pause after the first fault, in ms; it doubles with each further one. */
const FIRST_PAUSE_MS = 300;

/**
 * Decides what follows a try that failed. A POST is sent again only if it was refused with 429, or never left.
 *
 * @param tries how often it failed for other reasons than the rate limit, with this time
 */
export function nextStep(
	error: RequestError,
	method: ApiRequest<unknown>['method'],
	{ isUrgent = false }: RequestOptions,
	tries: number,
): 'fail' | 'again' | 'wait' {
	if (!error.isTransient) return 'fail';
	if (error.status === 429) return 'wait';
	const isSafe = method !== 'POST' || !error.mayHaveHappened;
	return isSafe && !isUrgent && tries < TRIES ? 'again' : 'fail';
}

/** Sends the requests of one execution. */
export class Sender {
	/** The execution's cancel signal. */
	readonly signal: AbortSignal | undefined;
	readonly access: NodeCredential;
	private readonly context: IAllExecuteFunctions;
	private readonly clock: Clock;
	private readonly limiter: Limiter;
	private readonly token: AccountToken | undefined;

	constructor(context: IAllExecuteFunctions, access: NodeCredential, clock: Clock) {
		const { limiter, token } = sharedBy(access.credential, clock);
		this.access = access;
		this.context = context;
		this.clock = clock;
		this.limiter = limiter;
		if (access.type === 'workspaceDataServiceAccountApi') this.token = token;
		if ('getExecutionCancelSignal' in context) this.signal = context.getExecutionCancelSignal();
	}

	/** Removes the credential's secrets from a text, as they are and URL-encoded. */
	redact(text: string): string {
		return redact(text, this.access.credential, this.token?.recent);
	}

	/**
	 * Sends a request, and again where that is safe.
	 *
	 * @throws RequestError if the service refuses, doesn't respond, or gives no access token
	 * @throws Cancelled if the execution is canceled
	 */
	async send<Result>(request: ApiRequest<Result>, options: RequestOptions = {}): Promise<Result> {
		const patienceMs = options.isUrgent ? URGENT_WAIT_MS : MAX_WAIT_MS;
		const signals = [this.signal, options.signal];
		const { maxParallel: width = AT_ONCE } = options;
		const turn = { owner: this, width, patienceMs, signals, isAgain: false };
		let [faults, pauseMs, isUnclear] = [0, 0, false];
		for (;;) {
			const outcome = await this.attempt(request, options, turn, pauseMs).catch(asFailure);
			if (!(outcome instanceof RequestError)) return outcome;
			isUnclear ||= outcome.mayHaveHappened;
			const step = nextStep(outcome, request.method, options, faults + 1);
			if (step === 'fail') throw isUnclear ? unclear(outcome, request.thing) : outcome;
			turn.isAgain = true;
			pauseMs = step === 'wait' ? 0 : FIRST_PAUSE_MS * 2 ** faults * (0.5 + this.clock.random());
			if (step === 'again') faults += 1;
		}
	}

	/** Sends a request when it is its turn, and reads the response. */
	private async attempt<Result>(
		request: ApiRequest<Result>,
		options: RequestOptions,
		turn: Turn,
		pauseMs: number,
	): Promise<Result> {
		const { limiter, clock } = this;
		if (pauseMs > 0) await within(async () => await clock.sleep(pauseMs), turn);
		await limiter.enter(turn);
		const responding = this.respond(request, options);
		responding.then(
			() => limiter.leave(turn),
			// What waits isn't sent before the caller has seen the failure.
			async () => await clock.sleep(0).then(() => limiter.leave(turn)),
		);
		return request.read(await responding);
	}

	/** Sends it once, or twice with another access token if the service refuses the first one. */
	private async respond(
		request: ApiRequest<unknown>,
		options: RequestOptions,
		isSecond = false,
	): Promise<ApiResponse> {
		const { token, limiter, context, clock } = this;
		const { timeoutMs: ms = DEFAULT_TIMEOUT_MS } = options;
		const signals = [this.signal];
		const origin: Origin = {
			host: new URL(request.url).host,
			account: token ? 'service account' : 'API key',
			address: 'Base URL',
			method: request.method,
			clean: (text) => this.redact(text),
		};
		const send = async (http: IHttpRequestOptions) => await context.helpers.httpRequest(http);
		const getToken = async () => await token?.get(this.access.credential, send);
		const accessToken = await within(getToken, { signals: [this.signal, options.signal] });
		const authenticated = async (http: IHttpRequestOptions) =>
			await this.authenticated(http, accessToken);
		const bounds = { ms, clock, signals };
		const response = await exchange(authenticated, httpOptions(request), origin, bounds);
		limiter.learn(response);
		if (isSuccess(response)) return response;
		const isRefused = response.status === 401 && accessToken && token?.refuse(accessToken);
		if (isRefused && !isSecond) return await this.respond(request, options, true);
		throw refusal(response);
	}

	/**
	 * Sends it through n8n's helper, which asks for no token of its own while `sessionToken` isn't empty. What `authorize`
	 * needs stands in n8n's copy of the credential: n8n puts another signal into the options.
	 */
	private async authenticated(http: IHttpRequestOptions, accessToken?: string): Promise<unknown> {
		const { context } = this;
		const { credential, type } = this.access;
		const { abortSignal } = http;
		const data = { ...credential, abortSignal, accessToken, sessionToken: accessToken } as object;
		const credentialsDecrypted = { id: '', name: '', type, data: data as typeof credential };
		const { httpRequestWithAuthentication } = context.helpers;
		const more = { credentialsDecrypted };
		return (await httpRequestWithAuthentication.call(context, type, http, more)) as unknown;
	}
}

const JSON_BODY = { 'Content-Type': 'application/json' };

const httpOptions = ({ method, url, query, body }: ApiRequest<unknown>): IHttpRequestOptions => ({
	method,
	url,
	json: true,
	...(query && { qs: { ...query } }),
	// Text: n8n drops `{}`, and the HTTP client would lose keys like `__proto__`.
	...(body && { body: JSON.stringify(body), headers: JSON_BODY }),
});
