/** Problem details: how every error is answered. */
import { isRefusal, maximumReasons, type Reason } from '../data/refusal.ts';
import { type ProblemKind, problemKinds } from './problemKinds.ts';

/** Media type of a problem. @see RFC 9457 */
export const problemType = 'application/problem+json; charset=utf-8';

/** Most characters of an explanation. */
const maximumDetail = 2_000;

/** Cuts an explanation that quotes something long. */
const shorten = (detail: string) =>
	detail.length > maximumDetail ? `${detail.slice(0, maximumDetail)}…` : detail;

/**
 * An RFC 7807 problem-details object.
 * @see service interface, part 7
 */
export interface ProblemBody {
	type: string;
	title: string;
	status: number;
	detail: string;
	errors?: Reason[];
}

/** Thrown anywhere inside a request; the error handler turns it into the answer. */
export interface ProblemError extends Error {
	readonly problem: ProblemBody;
	readonly headers: Readonly<Record<string, string>>;
}

/** The kinds are documented under this address; it names a kind and need not be reachable. */
const typeRoot = 'https://workspace-data.example/problems/';

/** The body for a problem kind; bounded, however much was wrong with a request. */
export function problemBody(kind: ProblemKind, detail: string, errors?: Reason[]): ProblemBody {
	const [status, title] = problemKinds[kind];
	const listed = errors?.slice(0, maximumReasons).map((reason) => ({
		...reason,
		detail: shorten(reason.detail),
	}));
	const body = { type: typeRoot + kind, title, status, detail: shorten(detail) };
	return listed ? { ...body, errors: listed } : body;
}

/**
 * Makes the error to throw for a problem.
 * @param detail explanation that names what is involved, with its id
 * @param extra reasons for a refused body; headers that belong to the answer
 */
export function problem(
	kind: ProblemKind,
	detail: string,
	extra: { errors?: Reason[]; headers?: Record<string, string> } = {},
): ProblemError {
	return Object.assign(new Error(detail), {
		problem: problemBody(kind, detail, extra.errors),
		headers: extra.headers ?? {},
	});
}

/** Whether something thrown was made by `problem`. */
export function isProblemError(error: unknown): error is ProblemError {
	return error instanceof Error && 'problem' in error;
}

/** Something thrown, as a problem of HTTP: a problem stays unchanged, a refusal of an operation becomes one. */
export function problemOf(error: unknown): ProblemError | undefined {
	if (isProblemError(error)) return error;
	if (!isRefusal(error)) return undefined;
	return problem(error.refusal, error.message, error.reasons && { errors: error.reasons });
}
