/** The service, as one credential sees it: sends requests, paced and repeated where that is safe. */
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { parseBaseUrl, pathSegment, tokenAddress } from '../model/serviceUrl';
import { BoundedMap } from '../model/boundedMap';
import { redact } from '../model/redact';
import { accessTokens } from './auth/accessToken';
import {
	CREDENTIAL_TYPES,
	fingerprintOf,
	readCredential,
	type Authentication,
} from './auth/credential';
import {
	apiFailure,
	fateAfter,
	NOTHING_HAPPENED,
	refusalOf,
	unreachable,
	type RequestOrigin,
} from './failure/explain';
import {
	AccessTokenError,
	Cancelled,
	isTransientStatus,
	NetworkFailure,
	saysGone,
	SilentService,
	type Fate,
} from './failure/failures';
import { createAttempts, type Attempt } from './http/attempt';
import { systemClock, wait, type Clock } from './http/clock';
import { Lane, Pace, type Sent } from './http/pace';
import { isRateLimited } from './http/rateLimitHeaders';
import { isRepeatable, nextStep, UNTRIED, type History } from './http/retryPolicy';
import type { ServiceClock } from './http/serviceClock';
import { type ApiAnswer, type ApiRequest, type Roots, toHttpRequest } from './request';

/** The pause after the first fault, in ms; doubles with each further one. */
const FIRST_PAUSE_MS = 300;

/** The service, as one credential sees it, for the length of one execution. */
export interface Session {
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
	/** How long requests of this execution have waited for the rate limit, in ms. */
	readonly waitedMs: number;
	/** The time at the service, as the answers to this key tell it. */
	serviceClock: ServiceClock;
	/** Takes this credential's secrets out of a text. */
	redact(text: string): string;
}

/** One pace for each key in this process: executions share what the key may send. */
const paces = new BoundedMap<string, Pace>(1_000);

/**
 * Opens the service with the node's credential.
 *
 * @param authentication which of the two credential types the node uses
 * @throws InputError when the credential is missing or cannot be used; nothing has been sent
 */
export async function openSession(
	context: IAllExecuteFunctions,
	authentication: Authentication,
	clock: Clock = systemClock,
): Promise<Session> {
	const credentialType = CREDENTIAL_TYPES[authentication];
	const credential = await readCredential(context, credentialType);
	const baseUrl = parseBaseUrl(credential.baseUrl);
	const workspaceSegment = pathSegment(credential.workspaceId, 'Workspace ID');
	const isAccount = authentication === 'serviceAccount';
	if (isAccount) tokenAddress(credential.authUrl, credential.realm);
	const clean = (text: string) =>
		redact(text, [
			credential.apiKey,
			credential.clientSecret,
			...(isAccount ? accessTokens.recent(credential) : []),
		]);
	return new CredentialSession({
		context,
		credential,
		isAccount,
		clock,
		pace: paces.getOrCreate(fingerprintOf(credential), () => new Pace(clock)),
		origin: { authentication, host: new URL(baseUrl).host, redact: clean },
		workspaceId: String(credential.workspaceId).trim(),
		roots: {
			workspace: `${baseUrl}/workspaces/${workspaceSegment}`,
			api: baseUrl,
			origin: new URL(baseUrl).origin,
		},
	});
}

/** What a session is opened with. */
interface Opened {
	context: IAllExecuteFunctions;
	credential: ICredentialDataDecryptedObject;
	isAccount: boolean;
	clock: Clock;
	pace: Pace;
	origin: RequestOrigin;
	workspaceId: string;
	roots: Roots;
}

/** Whether an answer asks to wait and try again. */
const asksToWait = ({ status, headers }: ApiAnswer, method: ApiRequest['method']): boolean =>
	isRateLimited(status, headers, isRepeatable(method)) || isTransientStatus(status);

/** One execution's use of the service, from `openApi` to `close`. */
class CredentialSession implements Session {
	private readonly opened: Opened;
	readonly baseUrl: string;
	readonly workspaceId: string;
	readonly serviceClock: ServiceClock;
	private readonly lane = new Lane();
	// Signals of this run, for everything in it: n8n's lasts as long as the execution, with all that listens to it.
	private readonly cancelling = new AbortController();
	private readonly stopping = new AbortController();
	private readonly execution: AbortSignal | undefined;
	private readonly attempt: ReturnType<typeof createAttempts>;
	/** When the service last answered a request in another way than asking to wait. */
	private served = -Infinity;
	/** The last answer to a request that waited without success: the rest of the execution need not wait again. */
	private exhausted: ApiAnswer | undefined;

	constructor(opened: Opened) {
		this.opened = opened;
		const { context, pace, roots, workspaceId } = opened;
		this.baseUrl = roots.api;
		this.workspaceId = workspaceId;
		this.serviceClock = pace.serviceClock;
		this.execution =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		this.execution?.addEventListener('abort', this.cancel);
		if (this.execution?.aborted) this.cancel();
		this.attempt = createAttempts(opened, this.cancelling.signal);
	}

	get halted(): AbortSignal {
		return this.stopping.signal;
	}

	get waitedMs(): number {
		return this.lane.heldMs;
	}

	redact(text: string): string {
		return this.opened.origin.redact(text);
	}

	private readonly cancel = (): void => {
		this.cancelling.abort();
		this.stop();
	};

	stop(): void {
		this.stopping.abort();
		this.lane.fail(new Cancelled());
	}

	close(): void {
		this.execution?.removeEventListener('abort', this.cancel);
	}

	pause(): () => void {
		return this.opened.pace.pause(this.lane);
	}

	atOnce(request: Pick<ApiRequest, 'method' | 'maxParallel'>): number {
		return Math.min(this.opened.pace.atOnce(request), request.maxParallel ?? Infinity);
	}

	async request(request: ApiRequest): Promise<ApiAnswer> {
		const options = toHttpRequest(request, this.opened.roots);
		return await this.send(request, options);
	}

	/** Waits until a request may be sent. @param fate what may have become of it in earlier tries @throws Cancelled */
	private async turn(request: ApiRequest, { fate, count }: Tries): Promise<Sent> {
		if (this.halted.aborted) throw new Cancelled();
		if (this.exhausted) throw apiFailure(this.exhausted, request, this.opened.origin, fate);
		const { pace, origin } = this.opened;
		return await pace.enter(this.lane, request, count > 0).catch(async (error: unknown) => {
			const refusal = this.halted.aborted ? undefined : this.exhausted;
			const told = refusal ? apiFailure(refusal, request, origin, fate) : error;
			return await Promise.reject(told as Error);
		});
	}

	/** Sends a request until it has been answered, or cannot be tried again. */
	private async send(request: ApiRequest, options: IHttpRequestOptions): Promise<ApiAnswer> {
		let tries: Tries = { history: UNTRIED, fate: NOTHING_HAPPENED, count: 0, lastAt: Infinity };
		for (;;) {
			const tried = await this.tryOnce(request, options, tries);
			if (!('tries' in tried)) return tried;
			await this.prepareNext(tried, tries.history).catch(unlessUnclear(tried.tries.fate));
			tries = tried.tries;
		}
	}

	/** One try, as soon as it may be sent. @returns the answer, or what is to be done before the next try */
	private async tryOnce(
		request: ApiRequest,
		options: IHttpRequestOptions,
		tries: Tries,
	): Promise<ApiAnswer | Tried> {
		const sent = await this.turn(request, tries).catch(unlessUnclear(tries.fate));
		const told: Told = {};
		return await this.sendAndJudge(
			request,
			options,
			{ ...tries, lastAt: Math.min(tries.lastAt, sent.at) },
			told,
		)
			.catch(async (error: unknown) => {
				// Before the next request starts: it would be sent before the caller sees the failure.
				if (!this.halted.aborted) this.pause()();
				return await Promise.reject(error as Error);
			})
			.finally(() => this.opened.pace.leave(sent, told.outcome, told.closedUntil));
	}

	/** Sends a request, and decides what follows. @param told is given the outcome */
	private async sendAndJudge(
		request: ApiRequest,
		options: IHttpRequestOptions,
		tries: Tries,
		told: Told,
	): Promise<ApiAnswer | Tried> {
		const { pace, clock } = this.opened;
		const before = tries.fate;
		const sentAt = clock.now();
		const { outcome, token } = await this.attempt(options, request).catch(unlessUnclear(before));
		told.outcome = outcome;
		if (outcome instanceof AccessTokenError) throw outcome.after(before);
		const fate = fateAfter(outcome, request, before);
		const now = clock.now();
		const step = nextStep(outcome, request, tries.history, {
			now,
			mayRenew: this.noteToken(outcome, token),
			isSurplus: pace.isSurplus(outcome, tries.lastAt),
		});
		if (!('history' in step))
			return this.conclude(step.act, outcome, request, { ...tries, fate, before });
		const next = { ...tries, fate, history: step.history, count: tries.count + 1, lastAt: sentAt };
		if (outcome instanceof NetworkFailure) next.fault = outcome;
		if (step.act === 'wait') {
			told.closedUntil = now + step.ms;
			next.begunToWait ??= now;
		}
		return { act: step.act, token, tries: next };
	}

	/** Notes whether the service accepts a token. @returns whether another one may be accepted in its place */
	private noteToken(outcome: ApiAnswer | NetworkFailure, token: string | undefined): boolean {
		const { credential, isAccount } = this.opened;
		if (!isAccount) return false;
		if (!(outcome instanceof Error) && outcome.status < 300) accessTokens.accept(credential, token);
		return accessTokens.mayReplace(credential, token);
	}

	/** Pauses before a request is sent again, or has its token renewed. @throws Cancelled */
	private async prepareNext({ act, token }: Tried, { faults }: History): Promise<void> {
		const { credential, clock } = this.opened;
		if (act === 'renewToken') accessTokens.reject(credential, token);
		if (act !== 'again') return;
		await wait(FIRST_PAUSE_MS * 2 ** faults * (0.5 + clock.random()), clock, this.halted);
	}

	/** The result of the last try. @throws the failure of the request */
	private conclude(
		act: 'done' | 'alreadyGone' | 'fail',
		outcome: ApiAnswer | NetworkFailure,
		request: ApiRequest,
		{ fault, fate, before, begunToWait }: Tries & { before: Fate },
	): ApiAnswer {
		const { origin, clock } = this.opened;
		if (outcome instanceof Error) {
			const told = outcome instanceof SilentService ? (fault ?? outcome) : outcome;
			throw unreachable(told, request, origin, fate);
		}
		if (!asksToWait(outcome, request.method)) this.served = clock.now();
		else if (begunToWait !== undefined && this.served <= begunToWait) this.exhaust(outcome);
		const refusal = act === 'done' ? refusalOf(outcome, request, origin, before) : undefined;
		if (act === 'done' && !refusal) return outcome;
		const failure = refusal ?? apiFailure(outcome, request, origin, fate);
		if (act === 'alreadyGone' && saysGone(failure, [request.deletes ?? ''])) {
			return { ...outcome, status: 204, body: '' };
		}
		throw failure;
	}

	private exhaust(refusal: ApiAnswer): void {
		this.exhausted = refusal;
		this.lane.fail(new Cancelled());
	}
}

/** What is known of a request that was tried. */
interface Tries {
	history: History;
	count: number;
	/** When the last one was sent, in ms since the epoch. */
	lastAt: number;
	fate: Fate;
	fault?: NetworkFailure;
	begunToWait?: number;
}

/** The outcome of a try, as its pace is told. */
interface Told {
	outcome?: Attempt['outcome'];
	closedUntil?: number;
}

/** What follows a try that was not the last. */
interface Tried {
	act: 'wait' | 'again' | 'renewToken';
	/** The access token that was sent. */
	token: string | undefined;
	tries: Tries;
}

/** Cancelled between two tries, an earlier one may have been carried out. */
const unlessUnclear =
	(fate: Fate) =>
	(error: unknown): never => {
		throw error instanceof Cancelled && fate.mayHaveHappened ? new Cancelled(true) : error;
	};
