/** Reads bodies: JSON in UTF-8, within bounds. */
import type { FastifyRequest } from 'fastify';
import { free } from '../foundation/memory.ts';
import type { Quotas } from '../foundation/quotas.ts';
import { exceededBound } from './complexity.ts';
import { problem } from './problem.ts';

/** Bodies come unpacked; a client that compresses them must hear that nobody unpacks them. */
function checkNotEncoded({ headers }: FastifyRequest) {
	const encoding = headers['content-encoding'];
	if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
	throw problem('unsupported-media-type', 'Send bodies without Content-Encoding.', {
		headers: { 'accept-encoding': 'identity' },
	});
}

/** JSON is UTF-8 between systems (RFC 8259, 8.1); a client with another charset must hear that it is not read. */
function checkCharset({ headers }: FastifyRequest) {
	const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1];
	if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return;
	throw problem('unsupported-media-type', `Send bodies as UTF-8, not ${charset}.`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON; keys like `__proto__` stay ordinary keys, as JSON.parse makes own properties. */
function parseJson(body: Buffer): unknown {
	try {
		return JSON.parse(utf8.decode(body)) as unknown;
	} catch (error) {
		const reason = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
		throw problem('malformed-json', `The body is not JSON: ${reason}.`);
	}
}

/** Refuses a body that costs more to parse than its size allows. */
function checkComplexity(body: Buffer, quotas: BodyQuotas) {
	const { bodyDepth: depth, bodyKeys: keys, bodyValues: values } = quotas;
	const exceeded = exceededBound(body, { depth, keys, values });
	if (exceeded === undefined) return;
	const details = {
		depth: `A body may be nested at most ${depth} levels deep.`,
		keys: `The objects of a body may have at most ${keys} members in all.`,
		values: `The arrays and objects of a body may have at most ${values} elements in all.`,
	};
	throw problem('body-too-complex', details[exceeded]);
}

type BodyQuotas = Pick<Quotas, 'bodyDepth' | 'bodyKeys' | 'bodyValues'>;

/** Reads the body of a request; undefined where there is none. @throws ProblemError */
export function readBody(request: FastifyRequest, body: Buffer, quotas: BodyQuotas): unknown {
	checkNotEncoded(request);
	checkCharset(request);
	if (body.length === 0) return undefined;
	try {
		checkComplexity(body, quotas);
		return parseJson(body);
	} finally {
		free(body);
	}
}
