/** The service for one credential: sends requests at the right pace, and repeats them if that is safe. */
import type { IAllExecuteFunctions } from 'n8n-workflow';
import { parseBaseUrl, pathSegment } from './serviceUrl';
import { tokenAddress } from './auth/tokenAddress';
import { redact } from './redact';
import { fingerprintOf, readCredential, type Authentication } from './auth/credential';
import {
	apiFailure,
	refusalOf,
	sentAfter,
	unreachable,
	type RequestOrigin,
} from './failure/advice';
import {
	AccessTokenError,
	Cancelled,
	Failure,
	NetworkFailure,
	saysGone,
	silence,
} from './failure/failureKinds';
import { sendOnce, type Outcome, type Sender } from './http/attempt';
import { Stop, systemClock, type Clock } from './http/clock';
import { atOnce, Lane, type Pace, type Place } from './http/pace';
import { isSuccess, nextStep, UNTRIED, type History, type Step } from './http/retryPolicy';
import { Timeouts } from './http/timeouts';
import { type KeyState, stateOfKey, tokenOf } from './sharedState';
import { type ApiResponse, type ApiRequest, toHttpRequest } from './request';

/** The pause after the first fault, in ms; it doubles with each further one. */
const FIRST_PAUSE_MS = 300;

/** A request and the state of its attempts. */
interface Call {
	request: ApiRequest;
	history: History;
	/** True if an attempt may have made the change. */
	sent: boolean;
	/** Why the last attempt got no response. */
	fault?: NetworkFailure;
}

/** What follows an attempt that wasn't the last. */
type Again = Extract<Step, { history: History }>;

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
	const credential = await readCredential(context, authentication);
	const token = authentication === 'serviceAccount' ? tokenOf(credential) : undefined;
	return new Session({ context, credential, authentication, token, clock });
}

/** The service for one credential, during one execution: from `openSession` to `close`. */
export class Session {
	readonly baseUrl: string;
	readonly workspaceId: string;
	/** What is learned from the responses to this key. */
	readonly key: KeyState;
	private readonly sender: Sender;
	private readonly origin: RequestOrigin;
	private readonly lane = new Lane();
	/** Over once the execution is canceled: nobody waits for requests under way. */
	private readonly cancelled = new Stop();
	/** Over once nothing more is to be sent: the execution was canceled, or `stop` was called. */
	readonly halted = new Stop();
	private readonly execution: AbortSignal | undefined;
	/** The failure of all further requests of this execution: the service is closed or doesn't respond. */
	private ended: ((call: Call) => Failure) | undefined;
	private readonly timeouts = new Timeouts();
	/** When the service last responded without asking to wait. */
	private servedAt = -Infinity;
	/** How long requests of this key had waited for the rate limit before this execution, in ms. */
	private readonly heldBeforeMs: number;

	/** @throws InputError for an invalid credential */
	constructor(sender: Sender) {
		const { context, credential, authentication, token, clock } = sender;
		this.baseUrl = parseBaseUrl(credential.baseUrl);
		// What can't be used is refused before anything is sent.
		pathSegment(credential.workspaceId, 'Workspace ID');
		if (token) tokenAddress(credential.authUrl, credential.realm);
		this.workspaceId = String(credential.workspaceId).trim();
		this.sender = sender;
		this.key = stateOfKey(fingerprintOf(credential), clock);
		this.heldBeforeMs = this.pace.heldMs;
		const { host } = new URL(this.baseUrl);
		const isRun = 'getExecutionCancelSignal' in context;
		this.origin = { authentication, host, isRun, redact: (text) => this.redact(text) };
		this.execution = isRun ? context.getExecutionCancelSignal() : undefined;
		this.execution?.addEventListener('abort', this.cancel);
		if (this.execution?.aborted) this.cancel();
	}

	get pace(): Pace {
		return this.key.pace;
	}

	/** The total time that requests have waited for the rate limit during this execution, in ms. */
	get waitedMs(): number {
		return this.pace.heldMs - this.heldBeforeMs;
	}

	/** Removes this credential's secrets from a text. */
	redact(text: string): string {
		const { token, credential } = this.sender;
		return redact(text, [credential.apiKey, credential.clientSecret, ...(token?.recent ?? [])]);
	}

	private readonly cancel = (): void => {
		this.cancelled.end();
		this.stop();
	};

	/** Stops sending: waiting requests end with Cancelled. */
	stop(): void {
		this.halted.end();
		this.pace.cancel(this.lane);
	}

	/** Removes its listeners from the execution, which may run a node a thousand times and would keep them all. */
	close(): void {
		this.execution?.removeEventListener('abort', this.cancel);
	}

	/**
	 * Pauses waiting requests until the returned function is called. After a failed request they pause until the
	 * caller has decided if the run continues.
	 */
	pause(): () => void {
		return this.pace.pause(this.lane);
	}

	/** The maximum of parallel requests like this one. */
	atOnce(request: Partial<Pick<ApiRequest, 'method' | 'maxParallel'>>): number {
		return atOnce(request);
	}

	/**
	 * Sends a request. Waits for the rate limit, renews the token, and tries again if that is safe.
	 *
	 * @throws InputError for an invalid path parameter
	 * @throws ApiFailure if the service refuses
	 * @throws Unreachable if no response comes
	 * @throws AccessTokenError if no access token can be obtained
	 * @throws Cancelled if the execution is canceled
	 */
	async request(request: ApiRequest): Promise<ApiResponse> {
		const { sender, pace } = this;
		const options = toHttpRequest(request, this);
		const call: Call = { request, history: UNTRIED, sent: false };
		for (;;) {
			const place = await this.turn(call);
			const outcome = await sendOnce(sender, options, this.cancelled);
			const result = this.judge(call, outcome);
			// Pauses before the next request starts: it would be sent before the caller sees the failure.
			if (result instanceof Failure && !this.halted.isOver) this.pause()();
			const closedUntil = 'ms' in result ? sender.clock.now() + result.ms : 0;
			pace.leave(place, outcome instanceof Error ? undefined : outcome.headers, closedUntil);
			if (result instanceof Failure) throw result;
			if ('status' in result) return result;
			if (result.act === 'again') await this.rest(result.history.faults);
		}
	}

	/** Waits until a request may be sent. @throws Failure if it isn't to be sent */
	private async turn(call: Call): Promise<Place> {
		if (!this.unsent(call)) {
			const { request, history } = call;
			const isFirst = request.ahead || history !== UNTRIED;
			const isChange = request.method !== 'GET';
			const place = await this.pace.enter(this.lane, request, { isFirst, isChange });
			if (place) return place;
		}
		throw this.unsent(call) ?? new Cancelled(call.sent);
	}

	/** Why a request fails without being sent; undefined if it may be sent. */
	private unsent(call: Call): Failure | undefined {
		return this.halted.isOver ? new Cancelled(call.sent) : this.ended?.(call);
	}

	/** Ends all further requests of this execution. @param failure creates the failure of one */
	private end(failure: (call: Call) => Failure): void {
		this.ended = failure;
		this.pace.cancel(this.lane);
	}

	/** Decides what follows an attempt. */
	private judge(call: Call, outcome: Outcome): ApiResponse | Failure | Again {
		const { request, history, sent } = call;
		if (outcome instanceof Cancelled) return new Cancelled(sent || outcome.sent);
		if (outcome instanceof AccessTokenError) {
			return new AccessTokenError(outcome.message, { ...outcome, sent });
		}
		call.sent = sentAfter(outcome, request, sent);
		const now = this.sender.clock.now();
		const step = nextStep(outcome, request, history, now);
		if (outcome instanceof NetworkFailure) call.fault = outcome;
		if (this.timeouts.areTooMany(outcome, request)) {
			this.end((other) =>
				unreachable(other.fault ?? silence(), other.request, this.origin, other.sent),
			);
		}
		if (step.act === 'done') this.servedAt = now;
		if ('history' in step) {
			call.history = step.history;
			return step;
		}
		return this.conclude(outcome, call, sent, step.act === 'closed' ? step.until : undefined);
	}

	/** Pauses before a request is sent again, or until nothing more is to be sent. */
	private async rest(faults: number): Promise<void> {
		const { clock } = this.sender;
		const ms = FIRST_PAUSE_MS * 2 ** (faults - 1) * (0.5 + clock.random());
		let turnOff = (): void => {};
		const ringing = new Promise<void>((ring) => (turnOff = clock.alarm(ms, ring)));
		await this.halted.wait(ringing).catch(() => {});
		turnOff();
	}

	/**
	 * Returns the result of the last attempt.
	 *
	 * @param before true if an earlier attempt may have made the change
	 * @param until when the service is open again, if it is closed for longer than a request waits
	 */
	private conclude(
		outcome: ApiResponse | NetworkFailure,
		{ request, sent, history: { refusedMs } }: Call,
		before: boolean,
		until?: number,
	): ApiResponse | Failure {
		const { origin } = this;
		if (outcome instanceof Error) return unreachable(outcome, request, origin, sent);
		if (isSuccess(outcome.status)) return refusalOf(outcome, request, origin, before) ?? outcome;
		const isUnserved = this.servedAt <= this.sender.clock.now() - refusedMs;
		// It waited for seconds only, or at an address with limits that others needn't have.
		const saysNothing = request.impatient === true || request.optional === true;
		if (until !== undefined && isUnserved && !saysNothing) {
			this.end((call) => apiFailure(outcome, call.request, origin, { sent: call.sent, until }));
		}
		const failure = apiFailure(outcome, request, origin, { sent, until });
		// An earlier attempt may have deleted it.
		const isGone = before && saysGone(failure, [request.deletes ?? '']);
		return request.deletes && isGone ? { ...outcome, status: 204, body: '' } : failure;
	}
}
