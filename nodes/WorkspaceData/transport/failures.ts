import type { Problem } from '../model/problem';
import { isWebPage } from '../model/webPage';

/** The service answered, but not with success. */
export class ApiFailure extends Error {
	readonly problem: Problem;
	/** What the user can do, where that is known. */
	readonly advice: string | undefined;
	/** Whether it was refused for the rate, whatever its status. */
	readonly rateLimited: boolean;

	constructor(problem: Problem, advice?: string, rateLimited = false) {
		super(problem.title);
		this.name = 'ApiFailure';
		this.problem = problem;
		this.advice = advice;
		this.rateLimited = rateLimited;
	}
}

/** No answer came, after all tries. */
export class Unreachable extends Error {
	readonly description: string;
	/** Error code of the system, for example `ECONNREFUSED`. */
	readonly code: string;

	constructor(message: string, description: string, code: string) {
		super(message);
		this.name = 'Unreachable';
		this.description = description;
		this.code = code;
	}
}

/** An answer of success whose body is not what the interface promises. */
export class UnexpectedAnswer extends Error {
	readonly description: string;

	constructor(message: string, description: string) {
		super(message);
		this.name = 'UnexpectedAnswer';
		this.description = description;
	}
}

/**
 * Sees to it that the answer to a change can be the service's own: of any shape, or nothing. A page of
 * a proxy or a sign-in form has status 200, too.
 *
 * @param what what was changed, for example `record`
 * @param change what should have become of it
 * @throws UnexpectedAnswer
 */
export function assertOwnAnswer(
	body: unknown,
	what: string,
	change: 'written' | 'deleted' = 'written',
): void {
	if (!isWebPage(body)) return;
	throw new UnexpectedAnswer(
		change === 'written' ? `The answer is not a ${what}` : 'A web page came for an answer',
		`Another server may be answering at this address: check 'Base URL' in the credential, and whether the ${what} was ${change}.`,
	);
}
