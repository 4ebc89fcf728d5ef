/** Checks the parts of requests against their schemas. */
import type { FastifySchemaCompiler } from 'fastify';
import { type core, safeParse, type z } from 'zod/v4';
import { jsonPointer, problem, type Reason } from '../foundation/problem.ts';

/** Zod's objections, as JSON Pointers and words. A union's own message says too little. */
function reasonsOf(issues: readonly core.$ZodIssue[]): Reason[] {
	return issues.map(({ path, message }) => ({ pointer: jsonPointer(path), detail: message }));
}

/**
 * Validates the parts of a request with zod; what does not fit becomes a problem.
 * @see service interface, part 7
 */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
	const kind = httpPart === 'body' ? 'validation-failed' : 'malformed-request';
	return (data) => {
		const result = safeParse(schema, data);
		if (result.success) return { value: result.data };
		const errors = reasonsOf(result.error.issues);
		const [first] = errors;
		const where = first && first.pointer !== '' ? `${first.pointer}: ` : '';
		return {
			error: problem(kind, `${where}${first?.detail ?? 'The request is not valid.'}`, {
				errors,
			}),
		};
	};
};
