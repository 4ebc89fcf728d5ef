import fc from 'fast-check';
import { isSigned, sign } from '../../../nodes/WorkspaceData/model/signature';
import vectors from '../../vectors/signature.json';

test.each(vectors.cases)('the signature of: $name', ({ secret, bodyBase64, signature }) => {
	const body = Buffer.from(bodyBase64, 'base64');
	expect(sign(body, secret)).toBe(signature);
	expect(isSigned(body, signature, ['another', secret])).toBe(true);
	expect(isSigned(body, signature.toUpperCase(), [secret])).toBe(true);
	expect(isSigned(body, signature, ['another'])).toBe(false);
	expect(isSigned(Buffer.concat([body, Buffer.of(0)]), signature, [secret])).toBe(false);
});

const body = Buffer.from('{}');
test.each<[string, unknown]>([
	['missing', undefined],
	['empty', ''],
	['63 digits', 'a'.repeat(63)],
	['65 digits', 'a'.repeat(65)],
	['128 digits', 'a'.repeat(128)],
	['no hexadecimal digits', 'z'.repeat(64)],
	['é', 'é'.repeat(64)],
	['NUL', '\0'.repeat(64)],
	['with a prefix', `sha256=${sign(body, 's')}`],
	['a line end after it', `${sign(body, 's')}\n`],
	['sent twice', [sign(body, 's'), sign(body, 's')]],
	['two in one', `${sign(body, 's')}, ${sign(body, 's')}`],
])('is never valid: %s', (_, signature) => expect(isSigned(body, signature, ['s'])).toBe(false));

test('an empty secret or no secret makes nothing valid', () => {
	expect(isSigned(body, sign(body, ''), [''])).toBe(false);
	expect(isSigned(body, sign(body, 's'), [])).toBe(false);
});

test('one bit of difference in the body is noticed', () => {
	fc.assert(
		fc.property(
			fc.uint8Array({ minLength: 1, maxLength: 64 }),
			fc.nat(),
			fc.string({ minLength: 1 }),
			(bytes, at, secret) => {
				const signature = sign(bytes, secret);
				const place = at % (bytes.length * 8);
				const changed = Uint8Array.from(bytes, (byte, index) =>
					index === place >> 3 ? byte ^ (1 << (place & 7)) : byte,
				);
				expect([
					isSigned(bytes, signature, [secret]),
					isSigned(changed, signature, [secret]),
				]).toEqual([true, false]);
			},
		),
	);
});
