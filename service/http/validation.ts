/** Checks the parts of requests against their schemas. */
import type { FastifySchemaCompiler } from 'fastify';
import { safeParse, type z } from 'zod/v4';
import { jsonPointer, problem } from '../foundation/problem.ts';

/**
 * Validates the parts of a request with zod; what does not fit becomes a problem.
 * @see service interface, part 7
 */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
	const kind = httpPart === 'body' ? 'validation-failed' : 'malformed-request';
	return (data) => {
		const result = safeParse(schema, data);
		if (result.success) return { value: result.data };
		const errors = result.error.issues.map(({ path, message }) => ({
			pointer: jsonPointer(path),
			detail: message,
		}));
		const [first] = errors;
		const where = first && first.pointer !== '' ? `${first.pointer}: ` : '';
		const detail = `${where}${first?.detail ?? 'The request is not valid.'}`;
		return { error: problem(kind, detail, { errors }) };
	};
};
