/** The ways a request can fail. */
import type { Problem } from '../../model/response/problem';

/** The facts of every failure. */
export interface FailureFacts {
	description?: string | undefined;
	/** The HTTP status of the response, or the system's error code, for example `ECONNREFUSED`. */
	httpCode?: string | undefined;
	/** True if trying again later can help. */
	transient: boolean;
	/**
	 * True if a change was sent and may have been made, or may still be. False, the default, if the service didn't receive
	 * it, or refused it.
	 */
	sent?: boolean | undefined;
	/** True if a response came but exceeded the size limit. A retry wouldn't help. */
	tooLarge?: boolean;
}

/** A failed request to the service or to its auth server. */
export class Failure extends Error implements FailureFacts {
	readonly description: string | undefined;

	readonly httpCode: string | undefined;

	readonly transient: boolean;

	readonly sent: boolean;

	readonly tooLarge: boolean;

	constructor(message: string, facts: FailureFacts) {
		super(message);
		this.name = new.target.name;
		this.description = facts.description;
		this.httpCode = facts.httpCode;
		this.transient = facts.transient;
		this.sent = facts.sent ?? false;
		this.tooLarge = facts.tooLarge ?? false;
	}
}

/** The execution was canceled while the node was waiting, or no more requests are to be sent. */
export class Cancelled extends Failure {
	constructor(sent?: boolean) {
		super('The execution was cancelled', { transient: false, sent });
	}
}

/** An attempt got no usable response. Its message states the reason in the user's words. */
export class NetworkFailure extends Failure {}

/** A response came but can't be used, so the request may have been carried out. */
export class UnusableResponse extends NetworkFailure {
	/** @param reason a clause whose subject is the response */
	constructor(reason: string, facts: Omit<FailureFacts, 'sent'> = { transient: false }) {
		super(reason, { ...facts, sent: true });
	}
}

/** The connection broke before the end of a response. */
export const cutOff = (): UnusableResponse =>
	new UnusableResponse('the response ended early', {
		httpCode: 'ERR_BAD_RESPONSE',
		transient: true,
	});

/** The response exceeded the size limit. */
export const tooLarge = (): UnusableResponse =>
	new UnusableResponse('the response is too large', { transient: false, tooLarge: true });

/** A request that wasn't sent because the service didn't respond to the previous ones. */
export const silence = (): NetworkFailure =>
	new NetworkFailure("it didn't respond to the previous requests, so this one wasn't sent", {
		httpCode: 'ETIMEDOUT',
		transient: true,
	});

/** Returns true if no response came in time. */
export const isTimeOut = (outcome: unknown): boolean =>
	outcome instanceof Failure &&
	(outcome.httpCode === 'ETIMEDOUT' || outcome.httpCode === 'ECONNABORTED');

/** Returns true for statuses of a service that is temporarily unavailable. */
export const isTransientStatus = (status: number): boolean => status === 408 || status >= 500;

/** The service responded with an error. */
export class ApiFailure extends Failure {
	readonly problem: Problem;
	/** True if it was refused because of the rate limit, whatever its status. */
	readonly rateLimited: boolean;

	/** @param sent true if the change may have been made */
	constructor(problem: Problem, advice?: string, rateLimited = false, sent?: boolean) {
		super(problem.title, {
			description: advice,
			httpCode: String(problem.status),
			transient: rateLimited || isTransientStatus(problem.status),
			sent,
		});
		this.problem = problem;
		this.rateLimited = rateLimited;
	}
}

/** No usable response came after all attempts. */
export class Unreachable extends Failure {}

/** A successful response whose body doesn't follow the interface. */
export class UnexpectedResponse extends Failure {
	/** @param isChange true if it is the response to a change, which may have been carried out */
	constructor(message: string, description: string, isChange = false) {
		super(message, { description, transient: false, sent: isChange });
	}
}

/**
 * The token request returned no token. The message says what to check, and never contains a secret. The code is that
 * of the token endpoint.
 */
export class AccessTokenError extends Failure {}

/** Returns true if the change of a failed request may have been carried out, or may still be. */
export const mayHaveHappened = (error: unknown): boolean => error instanceof Failure && error.sent;

/** Problem types that say that something doesn't exist, for example `record-not-found`. */
const GONE_KIND = /(?:^|-)(?:not-found|gone|does-not-exist|unknown)$/;

/**
 * Returns true if the service itself says that the requested thing doesn't exist. A gateway's 404 doesn't count,
 * nor does a 404 about its card or workspace. Only problem details whose type names the thing, or nothing
 * specific, count.
 *
 * @param things the names that a problem type may use for it, for example `['webhook', 'subscription']`
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

/** Returns true if a request failed because its thing doesn't exist. @see isGone */
export const saysGone = (error: unknown, things: readonly string[]): boolean =>
	error instanceof ApiFailure && isGone(error.problem, things);

/** As `saysGone`, but only if the service names the thing: `not-found` alone may mean a field or a card. */
export const namesGone = (error: unknown, thing: string): boolean =>
	saysGone(error, [thing]) && (error as ApiFailure).problem.kind?.includes(thing) === true;
