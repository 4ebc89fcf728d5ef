/** The ways in which a request can fail. */
import type { Problem } from '../../model/answer/problem';

/**
 * What may have become of a change: the service did not receive it, or refused it (`no`); it did, so that the change may
 * have been made (`yes`); nobody answered, so that it may have been made or may still be (`maybe`).
 */
export type WasSent = 'no' | 'maybe' | 'yes';

/** What may have become of a change that was sent twice. */
export const either = (a: WasSent, b: WasSent): WasSent =>
	(['maybe', 'yes'] as const).find((sent) => a === sent || b === sent) ?? 'no';

/** The facts of every failure: what happened, what to do, and whether trying again later can help. */
export interface FailureFacts {
	/** The advice for the user. */
	description?: string | undefined;
	/** HTTP status of the answer, or the error code of the system, for example `ECONNREFUSED`. */
	httpCode?: string | undefined;
	/** Whether trying again later can help. */
	transient: boolean;
	/** `no` by default. */
	sent?: WasSent | undefined;
}

/** A failed call to the service or to its auth server. */
export class Failure extends Error implements FailureFacts {
	readonly description: string | undefined;

	readonly httpCode: string | undefined;

	readonly transient: boolean;

	readonly sent: WasSent;

	constructor(message: string, { description, httpCode, transient, sent = 'no' }: FailureFacts) {
		super(message);
		this.name = new.target.name;
		this.description = description;
		this.httpCode = httpCode;
		this.transient = transient;
		this.sent = sent;
	}
}

/** The execution was cancelled while the node was waiting, or nothing more is to be sent. */
export class Cancelled extends Failure {
	constructor(sent?: WasSent) {
		super('The execution was cancelled', { transient: false, sent });
	}
}

/** One try of a request got no answer that can be used. Its message tells the reason in words that a user understands. */
export class NetworkFailure extends Failure {
	/** Error code of the system or the HTTP client, for example `ECONNREFUSED`; empty where there is none. */
	readonly code: string;

	/** @param advice of n8n, if it refused to send the request */
	constructor(
		code: string,
		reason: string,
		sent: WasSent,
		transient: boolean,
		advice?: string | undefined,
	) {
		super(reason, { description: advice, httpCode: code || undefined, transient, sent });
		this.code = code;
	}
}

/** An answer came, but cannot be used: the request may have been carried out. */
export class UnusableAnswer extends NetworkFailure {
	/** @param reason begins with `the answer` */
	constructor(code: string, reason: string, transient: boolean) {
		super(code, reason, 'yes', transient);
	}
}

/** An answer began, and the connection broke before its end. */
export class CutOffAnswer extends NetworkFailure {
	constructor() {
		super('ERR_BAD_RESPONSE', 'the response was cut off', 'yes', true);
	}
}

/** The answer exceeded the size limit. Retrying would not help. */
export class AnswerTooLarge extends UnusableAnswer {
	constructor() {
		super('', 'the response is too large', false);
	}
}

/** A request that was not sent, because the service did not answer the last ones. */
export class SilentService extends NetworkFailure {
	constructor() {
		const reason = "it didn't respond to the previous requests, so this one wasn't sent";
		super('ETIMEDOUT', reason, 'no', true);
	}
}

/** Whether no answer came in time. */
export const isTimeOut = (outcome: unknown): boolean =>
	outcome instanceof Failure &&
	(outcome.httpCode === 'ETIMEDOUT' || outcome.httpCode === 'ECONNABORTED');

/** Statuses that say that the service could not answer now. */
export const isTransientStatus = (status: number): boolean => status === 408 || status >= 500;

/** A gateway gave up, and the service may not have done so. */
const GATEWAY_TIMEOUT = 504;

/** What may have become of a change that was answered so. A refusal by the service itself is certain. */
export function sentByStatus(status: number, rateLimited: boolean): WasSent {
	if (rateLimited || !isTransientStatus(status)) return 'no';
	return status === GATEWAY_TIMEOUT ? 'maybe' : 'yes';
}

/** The service answered, but not with success. */
export class ApiFailure extends Failure {
	readonly problem: Problem;
	/** The advice for the user, where there is any. */
	readonly advice: string | undefined;
	/** Whether it was refused for the rate, whatever its status. */
	readonly rateLimited: boolean;

	/** @param sent what may have become of a change; by default as the status says */
	constructor(problem: Problem, advice?: string, rateLimited = false, sent?: WasSent) {
		super(problem.title, {
			description: advice,
			httpCode: String(problem.status),
			transient: rateLimited || isTransientStatus(problem.status),
			sent: sent ?? sentByStatus(problem.status, rateLimited),
		});
		this.problem = problem;
		this.advice = advice;
		this.rateLimited = rateLimited;
	}
}

/** No answer that can be used came, after all tries. */
export class Unreachable extends Failure {
	/** Whether an answer came, but was larger than what is read of one. */
	readonly tooLarge: boolean;

	/** @param facts.sent `yes` by default: it is not known */
	constructor(
		message: string,
		{ tooLarge = false, ...facts }: FailureFacts & { tooLarge?: boolean },
	) {
		super(message, { sent: 'yes', ...facts });
		this.tooLarge = tooLarge;
	}

	/** Whether no answer came in time. */
	get timedOut(): boolean {
		return isTimeOut(this);
	}
}

/** An answer of success whose body is not what the interface promises. */
export class UnexpectedAnswer extends Failure {
	/** @param isChange whether it answers a change, which may have been carried out */
	constructor(message: string, description: string, isChange = false) {
		super(message, { description, transient: false, sent: isChange ? 'yes' : 'no' });
	}
}

/** The token request did not give a token. The message says what to check, never a secret. */
export class AccessTokenError extends Failure {
	/** @param code HTTP status of the token endpoint; error code of the system where it did not answer */
	constructor(
		message: string,
		description: string,
		transient: boolean,
		code?: number | string,
		sent?: WasSent,
	) {
		super(message, { description, httpCode: code ? String(code) : undefined, transient, sent });
	}

	/** The same error of a request that was tried before. @param sent what may have become of it */
	after(sent: WasSent): AccessTokenError {
		const { message, description = '', transient, httpCode } = this;
		return new AccessTokenError(message, description, transient, httpCode, sent);
	}
}

/** Whether the change of a failed request may have been carried out, or may still be. */
export const mayHaveHappened = (error: unknown): boolean =>
	error instanceof Failure && error.sent !== 'no';

/** Whether the service may carry out the change of a failed request later: nobody answered it. */
export const mayStillHappen = (error: unknown): boolean =>
	error instanceof Failure && error.sent === 'maybe';

/** Kinds of problem that say that something does not exist, for example `record-not-found`. */
const GONE_KIND = /(?:^|-)(?:not-found|gone|does-not-exist|unknown)$/;

/**
 * Whether the service itself says that the thing of a request does not exist. A gateway's 404 does not
 * count, nor does one about the card or workspace around it: only problem details whose kind names the thing, or
 * nothing in particular.
 *
 * @param things the names that a kind may have for it, for example `['webhook', 'subscription']`
 * @see RFC 7807; service interface, part 7, rule 1
 */
export function isGone(
	{ status, kind = '' }: Pick<Problem, 'status' | 'kind'>,
	things: readonly string[],
): boolean {
	if ((status !== 404 && status !== 410) || !GONE_KIND.test(kind)) return false;
	const subject = kind.replace(GONE_KIND, '');
	return subject === '' || things.some((thing) => subject.split('-').includes(thing));
}

/** Whether a request failed because its thing does not exist. @see isGone */
export const saysGone = (error: unknown, things: readonly string[]): boolean =>
	error instanceof ApiFailure && isGone(error.problem, things);

/** As `saysGone`, but only where the service names the thing: `not-found` alone may mean a field or a card. */
export const namesGone = (error: unknown, thing: string): boolean =>
	saysGone(error, [thing]) && (error as ApiFailure).problem.kind?.includes(thing) === true;
