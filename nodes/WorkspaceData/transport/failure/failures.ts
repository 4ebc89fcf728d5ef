/** The ways in which a request can fail. */
import type { Problem } from '../../model/answer/problem';

/** The facts of every failure: what happened, what to do, and whether trying again later can help. */
export interface FailureFacts {
	/** The advice for the user. */
	description?: string | undefined;
	/** HTTP status of the answer, or the error code of the system, for example `ECONNREFUSED`. */
	httpCode?: string | undefined;
	/** Whether trying again later can help. */
	transient: boolean;
	/** Whether a change may have been carried out: it was sent, and its answer was lost, or came from somebody else. */
	mayHaveHappened?: boolean | undefined;
	/**
	 * Whether the service may carry out a change later: nobody answered it, or only a gateway that gave up. An answer, even
	 * in part, ends a request.
	 */
	mayStillHappen?: boolean | undefined;
}

/** A failed call to the service or to its auth server. */
export class Failure extends Error implements FailureFacts {
	readonly description: string | undefined;

	readonly httpCode: string | undefined;

	readonly transient: boolean;

	readonly mayHaveHappened: boolean;

	readonly mayStillHappen: boolean;

	constructor(message: string, facts: FailureFacts) {
		super(message);
		this.name = new.target.name;
		this.description = facts.description;
		this.httpCode = facts.httpCode;
		this.transient = facts.transient;
		this.mayHaveHappened = facts.mayHaveHappened ?? false;
		this.mayStillHappen = facts.mayStillHappen ?? false;
	}
}

/** The execution was cancelled while the node was waiting, or nothing more is to be sent. */
export class Cancelled extends Failure {
	/** Whether a change was under way: the service may have carried it out. */
	readonly mayHaveArrived: boolean;

	constructor(mayHaveArrived = false) {
		super('The execution was cancelled', {
			transient: false,
			mayHaveHappened: mayHaveArrived,
			mayStillHappen: mayHaveArrived,
		});
		this.mayHaveArrived = mayHaveArrived;
	}
}

/** One try of a request got no answer. Its message tells the reason in words that a user understands. */
export class NetworkFailure extends Failure {
	/** Error code of the system or the HTTP client, for example `ECONNREFUSED`; empty where there is none. */
	readonly code: string;
	/** Whether the service can have received the request. */
	readonly mayHaveArrived: boolean;

	constructor(code: string, reason: string, mayHaveArrived: boolean, transient: boolean) {
		super(reason, { httpCode: code || undefined, transient });
		this.code = code;
		this.mayHaveArrived = mayHaveArrived;
	}
}

/** An answer came, but cannot be used: the request may have been carried out. */
export class UnusableAnswer extends NetworkFailure {
	/** @param reason begins with `the answer` */
	constructor(code: string, reason: string, transient: boolean) {
		super(code, reason, true, transient);
	}
}

/** An answer began, and the connection broke before its end. */
export class CutOffAnswer extends NetworkFailure {
	constructor() {
		super('ERR_BAD_RESPONSE', 'the answer was cut off', true, true);
	}
}

/** The answer exceeded the size limit. Retrying would not help. */
export class AnswerTooLarge extends UnusableAnswer {
	constructor() {
		super('', 'the answer is too large', false);
	}
}

/** A request that was not sent, because the service did not answer the last ones. @see transport/http/silence */
export class SilentService extends NetworkFailure {
	constructor() {
		const reason = 'it did not answer the previous requests, so this one was not sent';
		super('ETIMEDOUT', reason, false, true);
	}
}

/** Whether no answer came in time. */
export const isTimeOut = (outcome: unknown): boolean =>
	outcome instanceof Failure &&
	(outcome.httpCode === 'ETIMEDOUT' || outcome.httpCode === 'ECONNABORTED');

/** Statuses that say that the service could not answer now. */
export const isTransientStatus = (status: number): boolean => status === 408 || status >= 500;

/** What may have become of a change that failed. */
export type Fate = Readonly<Required<Pick<FailureFacts, 'mayHaveHappened' | 'mayStillHappen'>>>;

/** A gateway gave up, and the service may not have done so. */
const GATEWAY_TIMEOUT = 504;

/** What may have become of a change that was answered so. A refusal by the service itself is certain. */
export const fateByStatus = (status: number, rateLimited: boolean): Fate => ({
	mayHaveHappened: isTransientStatus(status) && !rateLimited,
	mayStillHappen: status === GATEWAY_TIMEOUT,
});

/** The service answered, but not with success. */
export class ApiFailure extends Failure {
	readonly problem: Problem;
	/** The advice for the user, where there is any. */
	readonly advice: string | undefined;
	/** Whether it was refused for the rate, whatever its status. */
	readonly rateLimited: boolean;

	/** @param fate what may have become of a change; by default as the status says */
	constructor(problem: Problem, advice?: string, rateLimited = false, fate?: Fate) {
		super(problem.title, {
			description: advice,
			httpCode: String(problem.status),
			transient: rateLimited || isTransientStatus(problem.status),
			...(fate ?? fateByStatus(problem.status, rateLimited)),
		});
		this.problem = problem;
		this.advice = advice;
		this.rateLimited = rateLimited;
	}
}

/** No answer came, after all tries. */
export class Unreachable extends Failure {
	/** Whether the service can have received the request all the same. */
	readonly mayHaveArrived: boolean;
	/** Whether an answer came, but was larger than what is read of one. */
	readonly tooLarge: boolean;

	constructor(
		message: string,
		{
			mayHaveArrived = true,
			tooLarge = false,
			...facts
		}: FailureFacts & { mayHaveArrived?: boolean; tooLarge?: boolean },
	) {
		super(message, { mayHaveHappened: mayHaveArrived, ...facts });
		this.mayHaveArrived = mayHaveArrived;
		this.tooLarge = tooLarge;
	}

	/** Whether no answer came in time. */
	get timedOut(): boolean {
		return isTimeOut(this);
	}
}

/** An answer of success whose body is not what the interface promises. */
export class UnexpectedAnswer extends Failure {
	/** @param mayHaveHappened whether it answers a change, which may have been carried out */
	constructor(message: string, description: string, mayHaveHappened = false) {
		super(message, { description, transient: false, mayHaveHappened });
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
		fate?: Fate,
	) {
		super(message, { description, httpCode: code ? String(code) : undefined, transient, ...fate });
	}

	/** The same error of a request that was tried before. @param fate what may have become of it */
	after(fate: Fate): AccessTokenError {
		if (!fate.mayHaveHappened) return this;
		const { message, description = '', transient, httpCode } = this;
		return new AccessTokenError(message, description, transient, httpCode, fate);
	}
}

/** Whether the change of a failed request may have been carried out. */
export const mayHaveHappened = (error: unknown): boolean =>
	error instanceof Failure && error.mayHaveHappened;

/** Whether the service may carry out the change of a failed request later. */
export const mayStillHappen = (error: unknown): boolean =>
	error instanceof Failure && error.mayStillHappen;

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
