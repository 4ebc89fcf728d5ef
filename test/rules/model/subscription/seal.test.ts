import fc from 'fast-check';
import { seal, unseal } from '../../../../nodes/WorkspaceData/model/subscription/seal';

test('only the same secret opens a sealed text', () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), fc.string(), (text, secret, other) => {
			const sealed = seal(text, secret);
			expect(unseal(sealed, secret)).toBe(text);
			if (other !== secret) expect(unseal(sealed, other)).toBeUndefined();
		}),
	);
});

test('is never the same twice, and shows nothing of the text', () => {
	const [first, second] = [seal('a secret text', 'key'), seal('a secret text', 'key')];
	expect(first).not.toBe(second);
	expect(Buffer.from(first, 'base64url').toString('latin1')).not.toContain('secret');
});

test("a text that was changed, cut or never sealed isn't opened", () => {
	const bytes = Buffer.from(seal('a text', 'key'), 'base64url');
	for (let place = 0; place < bytes.length; place += 1) {
		const changed = Buffer.from(bytes);
		changed[place] = (changed[place] ?? 0) ^ 1;
		expect(unseal(changed.toString('base64url'), 'key')).toBeUndefined();
		expect(unseal(bytes.subarray(0, place).toString('base64url'), 'key')).toBeUndefined();
	}
	for (const nonsense of ['', 'x', '{}', 'ä']) expect(unseal(nonsense, 'key')).toBeUndefined();
});
