/** Refusals of operations on data; what they mean in HTTP, http/problem.ts knows. */

/** Why an operation is refused. */
export type RefusalKind =
	| 'card-not-found'
	| 'field-not-found'
	| 'record-not-found'
	| 'webhook-not-found'
	| 'field-type-conflict'
	| 'option-in-use'
	| 'validation-failed'
	| 'unknown-field'
	| 'invalid-value';

/** Most reasons that a refusal lists. */
export const maximumReasons = 100;

/** One reason among several why a body was refused. `pointer` is a JSON Pointer into the body (RFC 6901). */
export interface Reason {
	pointer: string;
	detail: string;
}

/** A JSON Pointer to the value at the end of a path of keys. @see RFC 6901, section 3 */
export function jsonPointer(path: readonly PropertyKey[]): string {
	return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Thrown by the operations on data. */
export interface Refusal extends Error {
	readonly refusal: RefusalKind;
	readonly reasons: Reason[] | undefined;
}

/**
 * Makes the error to throw.
 * @param detail explanation that names what is involved, with its id
 */
export function refusal(kind: RefusalKind, detail: string, reasons?: Reason[]): Refusal {
	return Object.assign(new Error(detail), { refusal: kind, reasons });
}

/** Whether something thrown was made by `refusal`. */
export function isRefusal(error: unknown): error is Refusal {
	return error instanceof Error && 'refusal' in error;
}
