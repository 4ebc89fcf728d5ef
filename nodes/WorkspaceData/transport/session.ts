/** The service for one credential: sends requests at the right pace, and repeats them if that is safe. */
import type { IAllExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { parseBaseUrl, pathSegment } from '../model/serviceUrl';
import { tokenAddress } from './auth/tokenAddress';
import { redact } from '../model/redact';
import {
	CREDENTIAL_TYPES,
	fingerprintOf,
	readCredential,
	type Authentication,
} from './auth/credential';
import {
	apiFailure,
	refusalOf,
	sentAfter,
	unreachable,
	type RequestOrigin,
} from './failure/explain';
import {
	AccessTokenError,
	Cancelled,
	either,
	Failure,
	isTimeOut,
	NetworkFailure,
	saysGone,
	SilentService,
	type WasSent,
} from './failure/failures';
import { DEFAULT_TIMEOUT_MS, sendOnce, type Attempt, type Sender } from './http/attempt';
import { systemClock, wait, type Clock } from './http/clock';
import { asksToWait, Lane, type Pace, type Sent } from './http/pace';
import { nextStep, UNTRIED, type History, type Step } from './http/retryPolicy';
import type { ServiceClock } from './http/serviceClock';
import { accessTokens, paceOf } from './processState';
import { type ApiResponse, type ApiRequest, type Roots, toHttpRequest } from './request';

/** The pause after the first fault, in ms; it doubles with each further one. */
const FIRST_PAUSE_MS = 300;
/** The number of consecutive timeouts after which the rest of an execution fails immediately. */
const MAX_TIMEOUTS = 3;
/** A timeout below this, in ms, says nothing about the service: the limit may just be too short. */
const MIN_TIMEOUT_MS = 5_000;

/** The service for one credential, during one execution. */
export interface Session {
	baseUrl: string;
	workspaceId: string;
	/**
	 * Sends a request. Waits for the rate limit, renews the token, and tries again if that is safe.
	 *
	 * @throws InputError for an invalid path parameter
	 * @throws ApiFailure if the service refuses
	 * @throws Unreachable if no response comes
	 * @throws AccessTokenError if no access token can be obtained
	 * @throws Cancelled if the execution is canceled
	 */
	request(request: ApiRequest): Promise<ApiResponse>;
	/** Stops sending: waiting requests end with Cancelled. */
	stop(): void;
	/** Aborted when nothing more is to be sent: the execution was canceled, or `stop` was called. */
	readonly halted: AbortSignal;
	/** Removes its listeners from the execution, which may run a node a thousand times and would keep them all. */
	close(): void;
	/**
	 * Pauses waiting requests until the returned function is called. After a failed request they pause until the
	 * caller has decided if the run continues.
	 */
	pause(): () => void;
	/**
	 * The maximum of parallel requests like this one at the moment. It follows the service's responses.
	 */
	atOnce(request: Pick<ApiRequest, 'method' | 'maxParallel'>): number;
	/** The total time that requests of this execution have waited for the rate limit, in ms. */
	readonly waitedMs: number;
	/** The service's time, learned from the responses to this key. */
	serviceClock: ServiceClock;
	/** Removes this credential's secrets from a text. */
	redact(text: string): string;
}

/**
 * Opens the service with the node's credential.
 *
 * @param authentication the credential type that the node uses
 * @throws InputError if the credential is missing or invalid; nothing has been sent
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
		pace: paceOf(fingerprintOf(credential), clock),
		origin: { authentication, host: new URL(baseUrl).host, redact: clean },
		workspaceId: String(credential.workspaceId).trim(),
		roots: {
			workspace: `${baseUrl}/workspaces/${workspaceSegment}`,
			api: baseUrl,
			origin: new URL(baseUrl).origin,
		},
	});
}

interface Opened extends Sender {
	pace: Pace;
	origin: RequestOrigin;
	workspaceId: string;
	roots: Roots;
}

/** A request and the state of its attempts. */
interface Call {
	request: ApiRequest;
	options: IHttpRequestOptions;
	history: History;
	sent: WasSent;
	/** Why the last attempt got no response. */
	fault?: NetworkFailure;
	/** When it started to wait because the service asked for that. */
	waitingSince?: number;
}

/** What follows an attempt that wasn't the last. */
type Again = Extract<Step, { history: History }>;

/** Uses the service for one execution, from `openSession` to `close`. */
class CredentialSession implements Session {
	private readonly opened: Opened;
	readonly baseUrl: string;
	readonly workspaceId: string;
	readonly serviceClock: ServiceClock;
	private readonly lane = new Lane();
	// The run has its own signals, because n8n's signal lives as long as the execution, with all its listeners.
	private readonly cancelling = new AbortController();
	private readonly stopping = new AbortController();
	private readonly execution: AbortSignal | undefined;
	/** The number of timeouts since the last response. */
	private timeOuts = 0;
	/** The last response to a request that waited and was refused again: the rest of the execution doesn't wait again. */
	private exhausted: ApiResponse | undefined;

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
		this.lane.cancel();
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

	async request(request: ApiRequest): Promise<ApiResponse> {
		const options = toHttpRequest(request, this.opened.roots);
		const call: Call = { request, options, history: UNTRIED, sent: 'no' };
		for (;;) {
			const result = await this.tryOnce(call);
			if ('status' in result) return result;
			if (result.act === 'again') await this.rest(call);
		}
	}

	/** Makes one attempt when it may be sent. @returns the response, or what follows */
	private async tryOnce(call: Call): Promise<ApiResponse | Again> {
		const { pace, clock } = this.opened;
		const place = await this.turn(call);
		const { outcome, token } = await this.attempt(call);
		let result: ApiResponse | Failure | Again | undefined;
		try {
			result = this.judge(call, outcome, token);
		} finally {
			// Pauses before the next request starts: it would be sent before the caller sees the failure.
			if (result instanceof Failure && !this.halted.aborted) this.pause()();
			const waits = result && 'act' in result && result.act === 'wait' ? result.ms : undefined;
			const closedUntil = waits === undefined ? 0 : clock.now() + waits;
			pace.leave(place, outcome instanceof Cancelled ? undefined : outcome, closedUntil);
		}
		if (result instanceof Failure) throw result;
		return result;
	}

	/** Waits until a request may be sent. @throws Cancelled */
	private async turn({ request, sent, history }: Call): Promise<Sent> {
		const { pace, origin } = this.opened;
		if (!this.halted.aborted && !this.exhausted) {
			const isAgain = history !== UNTRIED;
			const place = await pace.enter(this.lane, request, isAgain).catch(() => undefined);
			if (place) return place;
		}
		if (this.halted.aborted || !this.exhausted) throw new Cancelled(sent);
		throw apiFailure(this.exhausted, request, origin, sent);
	}

	/** Sends a request, unless the service didn't respond to the previous ones. */
	private async attempt({ request, options }: Call): Promise<Attempt> {
		const { pace, clock } = this.opened;
		const { timeoutMs: timeout = DEFAULT_TIMEOUT_MS, impatient, insistent } = request;
		const { shrinks, optional } = request;
		const isSilent = this.timeOuts >= MAX_TIMEOUTS || (impatient && pace.isSilent);
		if (isSilent && !insistent) return { outcome: new SilentService(), token: undefined };
		const start = clock.now();
		const attempt = await sendOnce(this.opened, { ...options, timeout }, this.cancelling.signal);
		const { outcome } = attempt;
		// A timeout of the auth server says nothing about the service.
		if (outcome instanceof AccessTokenError || outcome instanceof Cancelled) return attempt;
		const isTooLate = isTimeOut(outcome);
		if (isTooLate && (optional || clock.now() - start < MIN_TIMEOUT_MS)) return attempt;
		// The size may be the reason: the run goes to smaller ones first.
		if (!isTooLate) this.timeOuts = 0;
		else if (!shrinks) this.timeOuts += 1;
		pace.noteSilence(isTooLate);
		return attempt;
	}

	/** Decides what follows an attempt. */
	private judge(
		call: Call,
		outcome: Attempt['outcome'],
		token: string | undefined,
	): ApiResponse | Failure | Again {
		const { clock, credential, isAccount } = this.opened;
		const { request, history, sent: before } = call;
		if (outcome instanceof Cancelled) return new Cancelled(either(before, outcome.sent));
		if (outcome instanceof AccessTokenError) return outcome.after(before);
		call.sent = sentAfter(outcome, request, before);
		const isAccepted = !(outcome instanceof Error) && outcome.status < 300;
		if (isAccount && isAccepted) accessTokens.accept(credential, token);
		const mayRenew = isAccount && accessTokens.mayReplace(credential, token);
		const step = nextStep(outcome, request, history, { now: clock.now(), mayRenew });
		if (!('history' in step)) return this.conclude(step.act, outcome, call, before);
		call.history = step.history;
		if (outcome instanceof NetworkFailure) call.fault = outcome;
		if (step.act === 'wait') call.waitingSince ??= clock.now();
		if (step.act === 'renewToken') accessTokens.reject(credential, token);
		return step;
	}

	/** Pauses before a request is sent again. @throws Cancelled */
	private async rest({ history, sent }: Call): Promise<void> {
		const { clock } = this.opened;
		const ms = FIRST_PAUSE_MS * 2 ** (history.faults - 1) * (0.5 + clock.random());
		await wait(ms, clock, this.halted).catch(() => {
			throw new Cancelled(sent);
		});
	}

	/** Returns the result of the last attempt. @param before the state after earlier attempts */
	private conclude(
		act: 'done' | 'alreadyGone' | 'fail',
		outcome: ApiResponse | NetworkFailure,
		{ request, fault, sent, waitingSince }: Call,
		before: WasSent,
	): ApiResponse | Failure {
		const { origin, pace } = this.opened;
		if (outcome instanceof Error) {
			const reason = outcome instanceof SilentService ? (fault ?? outcome) : outcome;
			return unreachable(reason, request, origin, sent);
		}
		if (act === 'done') return refusalOf(outcome, request, origin, before) ?? outcome;
		const isUnserved = waitingSince !== undefined && pace.servedAt <= waitingSince;
		// It waited for seconds only, or at an address with limits that others needn't have.
		const saysNothing = request.impatient === true || request.optional === true;
		if (isUnserved && !saysNothing && asksToWait(outcome, request)) this.exhaust(outcome);
		const failure = apiFailure(outcome, request, origin, sent);
		const isGone = act === 'alreadyGone' && saysGone(failure, [request.deletes ?? '']);
		return isGone ? { ...outcome, status: 204, body: '' } : failure;
	}

	private exhaust(refusal: ApiResponse): void {
		this.exhausted = refusal;
		this.lane.cancel();
	}
}
