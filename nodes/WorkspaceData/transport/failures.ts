import type { Problem } from '../model/problem';

/** The service answered, but not with success. */
export class ApiFailure extends Error {
	readonly problem: Problem;
	/** What the user can do, where that is known. */
	readonly advice: string | undefined;

	constructor(problem: Problem, advice?: string) {
		super(problem.title);
		this.name = 'ApiFailure';
		this.problem = problem;
		this.advice = advice;
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
 * Sees to it that the answer to a change can be the service's own: JSON of any shape, or nothing. A
 * page of a proxy or a sign-in form has status 200, too.
 *
 * @param what what was written, for example `record`
 * @throws UnexpectedAnswer
 */
export function assertOwnAnswer(body: unknown, what: string): void {
	if (typeof body !== 'string' || body.trim() === '') return;
	throw new UnexpectedAnswer(
		`The answer is not a ${what}`,
		`Another server may be answering at this address: check 'Base URL' in the credential, and whether the ${what} was written.`,
	);
}
