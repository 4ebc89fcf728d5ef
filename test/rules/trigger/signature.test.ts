/** Signatures as the service makes them, and of no other body. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSigned } from '../../../nodes/WorkspaceData/trigger/signature';

const file = join(__dirname, '../../vectors/signature.json');
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as {
	cases: Array<{ secret: string; bodyBase64: string; signature: string }>;
};

test.each(cases)('$signature', ({ secret, bodyBase64, signature }) => {
	const body = Buffer.from(bodyBase64, 'base64');
	expect(isSigned(body, signature, secret)).toBe(true);
	expect(isSigned(body, signature, 'another')).toBe(false);
	expect(isSigned(Buffer.concat([body, Buffer.from(' ')]), signature, secret)).toBe(false);
});
