/** Why the domain refuses something; what that means in HTTP the routes know. */
export type RefusalKind =
	| 'card-not-found'
	| 'field-not-found'
	| 'record-not-found'
	| 'webhook-not-found'
	| 'field-type-conflict'
	| 'option-in-use'
	| 'quota-exceeded'
	| 'record-too-large'
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

/** Thrown by the domain. */
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
