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
