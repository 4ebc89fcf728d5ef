/** The service for one credential: sends requests at the right pace, and repeats them if that is safe. */
import type { IAllExecuteFunctions } from 'n8n-workflow';
import { parseBaseUrl, pathSegment } from '../model/serviceUrl';
import { tokenAddress } from './auth/tokenAddress';
import { redact } from '../model/redact';
import { fingerprintOf, readCredential, type Authentication } from './auth/credential';
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
	NetworkFailure,
	saysGone,
	silence,
	type WasSent,
} from './failure/failures';
import { sendOnce, type Outcome, type Sender } from './http/attempt';
import { Stop, systemClock, type Clock } from './http/clock';
import { asksToWait, Lane, type Pace, type Place } from './http/pace';
import { isSuccess, nextStep, UNTRIED, type History, type Step } from './http/retryPolicy';
import { accountOf, paceOf } from './processState';
import { type ApiResponse, type ApiRequest, toHttpRequest } from './request';

/** The pause after the first fault, in ms; it doubles with each further one. */
const FIRST_PAUSE_MS = 300;

/** A request and the state of its attempts. */
interface Call {
	request: ApiRequest;
	history: History;
	sent: WasSent;
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
	const account = authentication === 'serviceAccount' ? accountOf(credential) : undefined;
	return new Session({ context, credential, authentication, account, clock });
}

/** The service for one credential, during one execution: from `openSession` to `close`. */
export class Session {
	readonly baseUrl: string;
	readonly workspaceId: string;
	/** What is learned from the responses to this key. */
	readonly pace: Pace;
	private readonly sender: Sender;
	private readonly origin: RequestOrigin;
	private readonly lane = new Lane();
	/** Over once the execution is canceled: nobody waits for requests under way. */
	private readonly cancelled = new Stop();
	/** Over once nothing more is to be sent: the execution was canceled, or `stop` was called. */
	readonly halted = new Stop();
	private readonly execution: AbortSignal | undefined;
	/** The last response to a request that waited and was refused again: the rest of the execution doesn't wait again. */
	private exhausted: ApiResponse | undefined;

	/** @throws InputError for an invalid credential */
	constructor(sender: Sender) {
		const { context, credential, authentication, account, clock } = sender;
		this.baseUrl = parseBaseUrl(credential.baseUrl);
		// What can't be used is refused before anything is sent.
		pathSegment(credential.workspaceId, 'Workspace ID');
		if (account) tokenAddress(credential.authUrl, credential.realm);
		this.workspaceId = String(credential.workspaceId).trim();
		this.sender = sender;
		this.pace = paceOf(fingerprintOf(credential), clock);
		const { host } = new URL(this.baseUrl);
		this.origin = { authentication, host, redact: (text) => this.redact(text) };
		this.execution =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		this.execution?.addEventListener('abort', this.cancel);
		if (this.execution?.aborted) this.cancel();
	}

	/** The total time that requests of this execution have waited for the rate limit, in ms. */
	get waitedMs(): number {
		return this.lane.heldMs;
	}

	/** Removes this credential's secrets from a text. */
	redact(text: string): string {
		const { account, credential } = this.sender;
		return redact(text, [credential.apiKey, credential.clientSecret, ...(account?.recent ?? [])]);
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

	/** The maximum of parallel requests like this one at the moment. It follows the service's responses. */
	atOnce(request: Pick<ApiRequest, 'method' | 'maxParallel'>): number {
		return Math.min(this.pace.atOnce(request), request.maxParallel ?? Infinity);
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
		const call: Call = { request, history: UNTRIED, sent: 'no' };
		for (;;) {
			const place = await this.turn(call);
			const outcome = await sendOnce(sender, options, this.cancelled);
			const result = this.judge(call, outcome);
			// Pauses before the next request starts: it would be sent before the caller sees the failure.
			if (result instanceof Failure && !this.halted.isOver) this.pause()();
			const closedUntil = 'ms' in result ? sender.clock.now() + result.ms : 0;
			pace.leave(place, outcome instanceof Cancelled ? undefined : outcome, closedUntil);
			if (result instanceof Failure) throw result;
			if ('status' in result) return result;
			if (result.act === 'again') await this.rest(result.history.faults);
		}
	}

	/** Waits until a request may be sent. @throws Failure if it isn't to be sent */
	private async turn(call: Call): Promise<Place> {
		if (!this.unsent(call)) {
			const isAgain = call.history !== UNTRIED;
			const place = await this.pace.enter(this.lane, call.request, isAgain);
			if (place) return place;
		}
		throw this.unsent(call) ?? new Cancelled(call.sent);
	}

	/** Why a request fails without being sent; undefined if it may be sent. */
	private unsent({ request, sent, fault }: Call): Failure | undefined {
		const { exhausted, halted, lane, origin, pace } = this;
		if (halted.isOver) return new Cancelled(sent);
		if (exhausted) return apiFailure(exhausted, request, origin, sent);
		if (!pace.isSilent(lane, request)) return undefined;
		return unreachable(fault ?? silence(), request, origin, sent);
	}

	/** Decides what follows an attempt. */
	private judge(call: Call, outcome: Outcome): ApiResponse | Failure | Again {
		const { request, history, sent } = call;
		if (outcome instanceof Cancelled) return new Cancelled(either(sent, outcome.sent));
		if (outcome instanceof AccessTokenError) {
			return new AccessTokenError(outcome.message, { ...outcome, sent });
		}
		call.sent = sentAfter(outcome, request, sent);
		const step = nextStep(outcome, request, history, this.sender.clock.now());
		if (!('history' in step)) return this.conclude(outcome, call, sent);
		call.history = step.history;
		if (outcome instanceof NetworkFailure) call.fault = outcome;
		return step;
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

	/** Returns the result of the last attempt. @param before the state after earlier attempts */
	private conclude(
		outcome: ApiResponse | NetworkFailure,
		{ request, sent, history: { refusedMs } }: Call,
		before: WasSent,
	): ApiResponse | Failure {
		const { origin } = this;
		if (outcome instanceof Error) return unreachable(outcome, request, origin, sent);
		if (isSuccess(outcome.status)) return refusalOf(outcome, request, origin, before) ?? outcome;
		const since = this.sender.clock.now() - refusedMs;
		const isUnserved = refusedMs > 0 && this.pace.servedAt <= since;
		// It waited for seconds only, or at an address with limits that others needn't have.
		const saysNothing = request.impatient === true || request.optional === true;
		if (isUnserved && !saysNothing && asksToWait(outcome, request)) {
			this.exhausted = outcome;
			this.pace.cancel(this.lane);
		}
		const failure = apiFailure(outcome, request, origin, sent);
		// An earlier attempt may have deleted it.
		const isGone = before !== 'no' && saysGone(failure, [request.deletes ?? '']);
		return request.deletes && isGone ? { ...outcome, status: 204, body: '' } : failure;
	}
}
