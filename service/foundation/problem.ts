/** Problem details: how everything that is refused is reported. @see service interface, part 7; RFC 9457 */
import { type ProblemKind, problemKinds } from './problemKinds.ts';

/** Media type of a problem. */
export const problemType = 'application/problem+json; charset=utf-8';

/** Most characters of an explanation that quotes something long. */
const maximumDetail = 2_000;

/** Most reasons that a problem lists. */
export const maximumReasons = 100;

/** The kinds are documented under this address; it names a kind and need not be reachable. */
const typeRoot = 'https://workspace-data.example/problems/';

/** One reason among several why a body was refused. `pointer` is a JSON Pointer into the body (RFC 6901). */
export interface Reason {
	pointer: string;
	detail: string;
}

/** The JSON of a problem. */
export interface ProblemBody {
	type: string;
	title: string;
	status: number;
	detail: string;
	errors?: Reason[];
}

/** Thrown anywhere inside a request; the error handler turns it into the response. */
export interface Problem extends Error {
	readonly problem: ProblemBody;
	readonly headers: Readonly<Record<string, string>>;
}

const shorten = (detail: string) =>
	detail.length > maximumDetail ? `${detail.slice(0, maximumDetail)}…` : detail;

/**
 * Makes the error to throw; bounded, however much was wrong with a request.
 * @param detail explanation that names what is involved, with its id
 * @param extra reasons for a refused body; headers that belong to the response
 */
export function problem(
	kind: ProblemKind,
	detail: string,
	extra: { errors?: Reason[]; headers?: Record<string, string> } = {},
): Problem {
	const [status, title] = problemKinds[kind];
	const body: ProblemBody = { type: typeRoot + kind, title, status, detail: shorten(detail) };
	if (extra.errors) {
		const listed = extra.errors.slice(0, maximumReasons);
		body.errors = listed.map((reason) => ({ ...reason, detail: shorten(reason.detail) }));
	}
	return Object.assign(new Error(detail), { problem: body, headers: extra.headers ?? {} });
}

/** Returns true if an error was created by `problem`. */
export function isProblem(error: unknown): error is Problem {
	return error instanceof Error && 'problem' in error;
}

/** A JSON Pointer to the value at the end of a path of keys. @see RFC 6901, section 3 */
export function jsonPointer(path: readonly PropertyKey[]): string {
	return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
