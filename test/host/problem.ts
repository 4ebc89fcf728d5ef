import { inspect } from 'node:util';

/**
 * Something the person at the keyboard can do something about (a port that is taken, a missing tool).
 * It is shown without a stack trace; everything else that is thrown is a bug and keeps its own.
 */
export class Problem extends Error {
	override readonly name = 'Problem';
}

/** The text to show for anything thrown: the message of a {@link Problem}, else the stack. */
export function explain(error: unknown): string {
	if (error instanceof Problem) return error.message;
	// With its causes: "fetch failed" alone says nothing.
	return inspect(error);
}
