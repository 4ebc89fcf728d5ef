/** Reads and checks what clients send: JSON in UTF-8 that fits its schema. */
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { safeParse, type z } from 'zod/v4';
import { jsonPointer, problem } from '../foundation/problem.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the body of a request; undefined if there is none. Keys like `__proto__` stay ordinary keys.
 * @throws Problem malformed-json, unsupported-media-type: compressed, or another charset than UTF-8 (RFC 8259, 8.1)
 */
export async function readBody({ headers }: FastifyRequest, body: Buffer): Promise<unknown> {
	const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1];
	const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
	if (!isPlain || !/^(utf-?8|us-ascii)$/i.test(charset ?? 'utf-8')) {
		throw problem('unsupported-media-type', 'Send bodies as UTF-8, without Content-Encoding.', {
			headers: { 'accept-encoding': 'identity' },
		});
	}
	if (body.length === 0) return undefined;
	try {
		return JSON.parse(utf8.decode(body)) as unknown;
	} catch (error) {
		const reason = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
		throw problem('malformed-json', `The body is not JSON: ${reason}.`);
	}
}

/** Validates the parts of a request with zod; what does not fit becomes a problem. @see service interface, part 7 */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
	return (data) => {
		const result = safeParse(schema, data);
		if (result.success) return { value: result.data };
		const errors = result.error.issues.map(({ path, message }) => ({
			pointer: jsonPointer(path),
			detail: message,
		}));
		const [{ pointer, detail } = { pointer: '', detail: '' }] = errors;
		const where = pointer === '' ? '' : `${pointer}: `;
		return { error: problem('validation-failed', where + detail, { errors }) };
	};
};
