/** The service, as one credential sees it: sends requests, paced and repeated where that is safe. */
import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { parseBaseUrl, pathSegment, tokenAddress } from '../model/serviceUrl';
import { BoundedMap } from '../model/boundedMap';
import { redact } from '../model/redact';
import { accessTokens } from './auth/accessToken';
import {
	createStopwatch,
	createUnlessCancelled,
	systemClock,
	unlessCancelledBefore,
	wait,
	type Clock,
	type ServiceClock,
} from './http/clock';
import {
	CREDENTIAL_TYPES,
	readCredential,
	type Authentication,
	fingerprintOf,
} from './auth/credential';
import {
	AccessTokenError,
	Cancelled,
	isTransientStatus,
	NetworkFailure,
	saysGone,
	SilentService,
	type Fate,
} from './failure/failures';
import { createPause } from './http/limiter';
import { createPacing, kindOf, type Pacing } from './http/pacing';
import { isRateLimited } from './http/rateLimitHeaders';
import { type ApiAnswer, type ApiRequest, toHttpRequest } from './request';
import {
	apiFailure,
	fateAfter,
	NOTHING_HAPPENED,
	refusalOf,
	unreachable,
	type RequestOrigin,
} from './failure/explain';
import { IMPATIENT_WAIT_MS, isRepeatable, nextStep, UNTRIED } from './http/retryPolicy';
import { createAttempts, type Attempt } from './http/attempt';

/** The pause after the first fault, in ms; doubles with each further one. */
const FIRST_PAUSE_MS = 300;

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
	/** Sends nothing more: requests that wait end with Cancelled. */
	stop(): void;
	/** Aborted once nothing more is to be sent: the execution was cancelled, or `stop` was called. */
	readonly halted: AbortSignal;
	/** Lets go of the execution. A node may run a thousand times in one: what stays registered there stays in memory. */
	close(): void;
	/**
	 * Pauses the requests that wait, until the returned function is called. After a failed request they
	 * are paused until the caller has decided whether the run continues.
	 */
	pause(): () => void;
	/**
	 * How many requests like this one may be under way at once now; grows and shrinks with the service's answers.
	 */
	atOnce(request: Pick<ApiRequest, 'method' | 'maxParallel'>): number;
	/** The total time that requests of this execution have waited for the rate limit, in ms. */
	readonly waitedMs: number;
	/** The time at the service, as the answers to this key tell it. */
	serviceClock: ServiceClock;
	/** Takes this credential's secrets out of a text. */
	redact(text: string): string;
}

/** One pacing for each key in this process: executions share what the key may send. */
const pacings = new BoundedMap<string, Pacing>(1_000);

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
	const workspaceSegment = pathSegment(credential.workspaceId, 'Workspace ID');
	const isAccount = authentication === 'serviceAccount';
	if (isAccount) tokenAddress(credential.authUrl, credential.realm);
	const pacing = pacings.getOrCreate(fingerprintOf(credential), () => createPacing(clock));
	const { gate } = pacing;
	const limited = pacing.openLimiter();
	const paused = createPause(clock);
	const execution =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	// Signals of this run, for everything in it: n8n's lasts as long as the execution, with all that listens to it.
	const cancelling = new AbortController();
	const stopping = new AbortController();
	const signal = cancelling.signal;
	const halt = stopping.signal;
	function cancel(): void {
		cancelling.abort();
		stopping.abort();
	}
	execution?.addEventListener('abort', cancel);
	if (execution?.aborted) cancel();

	const unlessCancelled = createUnlessCancelled(signal);
	const attempt = createAttempts(context, credentialType, credential, {
		baseUrl,
		clock,
		signal,
		unlessCancelled,
	});

	/** The time that requests wait for the rate limit. */
	const waits = createStopwatch(clock);
	/** When the service last answered a request in another way than refusing it for the rate. */
	let served = -Infinity;
	/** The last answer to a request that waited without success: the rest of the execution need not wait again. */
	let exhausted: ApiAnswer | undefined;
	const waiting = {
		get aborted() {
			return halt.aborted || exhausted !== undefined;
		},
	};
	const asksToWait = ({ status, headers }: ApiAnswer, method: ApiRequest['method']) =>
		isRateLimited(status, headers, isRepeatable(method)) || isTransientStatus(status);

	const clean = (text: string) =>
		redact(text, [
			credential.apiKey,
			credential.clientSecret,
			...(isAccount ? accessTokens.recent(credential) : []),
		]);
	const origin: RequestOrigin = { authentication, host: new URL(baseUrl).host, redact: clean };

	const roots = {
		workspace: `${baseUrl}/workspaces/${workspaceSegment}`,
		api: baseUrl,
		origin: new URL(baseUrl).origin,
	};

	/** One attempt, as soon as the rate limit lets it pass. */
	async function attemptWithinRate(
		options: IHttpRequestOptions,
		request: ApiRequest,
		fate: Fate,
	): Promise<Attempt> {
		const passing = gate.enter(waiting, {
			...request,
			...(request.impatient && { atMostMs: IMPATIENT_WAIT_MS }),
		});
		// A pace that the user has chosen does not count as waiting.
		const entered = request.requestsPerSecond ? passing : waits.during(passing);
		await entered.catch((error: unknown) => {
			throw exhausted && !halt.aborted ? apiFailure(exhausted, request, origin, fate) : error;
		});
		let outcome: Attempt['outcome'] | undefined;
		const ended = pacing.sending(request);
		try {
			const attempted = await attempt(options, request);
			outcome = attempted.outcome;
			return attempted;
		} finally {
			gate.leave(outcome instanceof Error ? undefined : outcome?.headers, request);
			ended(outcome);
		}
	}

	async function send(request: ApiRequest, options: IHttpRequestOptions): Promise<ApiAnswer> {
		let history = UNTRIED;
		let fault: NetworkFailure | undefined;
		let begunToWait: number | undefined;
		/** When the try before the current one was sent. */
		let sentBefore = clock.now();
		let fate = NOTHING_HAPPENED;
		/** Cancelled between two tries, an earlier one may have been carried out. */
		const unlessUnclear = (error: unknown): never => {
			throw error instanceof Cancelled && fate.mayHaveHappened ? new Cancelled(true) : error;
		};
		for (;;) {
			const sentAt = clock.now();
			const { outcome, token } = await attemptWithinRate(options, request, fate).catch(
				unlessUnclear,
			);
			if (outcome instanceof AccessTokenError) throw outcome.after(fate);
			const before = fate;
			fate = fateAfter(outcome, request, fate);
			if (isAccount && !(outcome instanceof Error) && outcome.status < 300) {
				accessTokens.accept(credential, token);
			}
			const now = clock.now();
			const mayRenew = isAccount && accessTokens.mayReplace(credential, token);
			const isSurplus = pacing.isSurplus(outcome, sentBefore);
			sentBefore = sentAt;
			const step = nextStep(outcome, request, history, { now, mayRenew, isSurplus });
			switch (step.act) {
				case 'wait':
					begunToWait ??= now;
					gate.closeUntil(now + step.ms);
					break;
				case 'renewToken':
					accessTokens.reject(credential, token);
					break;
				case 'again': {
					const pause = FIRST_PAUSE_MS * 2 ** history.faults;
					await wait(pause * (0.5 + clock.random()), clock, halt).catch(unlessUnclear);
					break;
				}
				default: {
					if (outcome instanceof SilentService)
						throw unreachable(fault ?? outcome, request, origin, fate);
					if (outcome instanceof Error) throw unreachable(outcome, request, origin, fate);
					if (!asksToWait(outcome, request.method)) served = now;
					else if (begunToWait !== undefined && served <= begunToWait) exhausted = outcome;
					const refusal =
						step.act === 'done' ? refusalOf(outcome, request, origin, before) : undefined;
					if (step.act === 'done' && !refusal) return outcome;
					const failure = refusal ?? apiFailure(outcome, request, origin, fate);
					if (step.act === 'alreadyGone' && saysGone(failure, [request.deletes ?? ''])) {
						return { ...outcome, status: 204, body: '' };
					}
					throw failure;
				}
			}
			if (outcome instanceof NetworkFailure) fault = outcome;
			history = step.history;
		}
	}

	return {
		baseUrl,
		workspaceId: String(credential.workspaceId).trim(),
		get waitedMs() {
			return waits.ms;
		},
		serviceClock: pacing.serviceClock,
		redact: clean,
		stop: () => stopping.abort(),
		halted: halt,
		close: () => execution?.removeEventListener('abort', cancel),
		pause: () => paused.begin(),
		atOnce: (request) => Math.min(pacing.atOnce(kindOf(request)), request.maxParallel ?? Infinity),
		async request(request) {
			const options = toHttpRequest(request, roots);
			const sending = async (): Promise<ApiAnswer> =>
				await send(request, options).catch((error: unknown) => {
					// Before the limiter starts the next request: it would be sent before the caller sees the failure.
					if (!halt.aborted) paused.begin()();
					throw error;
				});
			// Impatient requests do not wait for others of the same key either.
			const ahead = request.ahead || request.impatient;
			// It may wait for executions that are not cancelled.
			return await unlessCancelledBefore(
				unlessCancelled,
				async (begin) => await limited({ ...kindOf(request), ahead }, begin),
				async () => {
					if (!ahead) await paused.ended();
					return await sending();
				},
			);
		},
	};
}
