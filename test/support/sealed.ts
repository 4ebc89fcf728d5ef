/** Opens the secrets that the trigger saved; shares no code with the nodes. */
import { createDecipheriv, hkdfSync } from 'node:crypto';

const INFO = 'n8n-nodes-workspace-data seal';

/**
 * Opens a seal: salt (16 bytes), nonce (12), tag (16) and ciphertext of AES-256-GCM, as base64url.
 *
 * @param ownSecret the secret of the credential
 * @throws Error when it was sealed with another secret
 */
function openSeal(sealed: string, ownSecret: string): string {
	const bytes = Buffer.from(sealed, 'base64url');
	const key = new Uint8Array(hkdfSync('sha256', ownSecret, bytes.subarray(0, 16), INFO, 32));
	const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(16, 28));
	decipher.setAuthTag(bytes.subarray(28, 44));
	return Buffer.concat([decipher.update(bytes.subarray(44)), decipher.final()]).toString();
}

/** The secret; empty where it was sealed with another one. */
function openOrEmpty(sealed: string, ownSecret: string): string {
	try {
		return openSeal(sealed, ownSecret);
	} catch {
		return '';
	}
}

/** Saved subscriptions with their secrets in the clear, by the credential's secret. */
export function withOpenSecrets<Saved extends { current?: object; previous?: object[] }>(
	text: string,
	ownSecret: string,
): Saved {
	const open = (_key: string, value: unknown): unknown => {
		if (typeof value !== 'object' || value === null || !('sealed' in value)) return value;
		const { sealed, ...rest } = value;
		return { ...rest, secret: openOrEmpty(String(sealed), ownSecret) };
	};
	return JSON.parse(text, open) as Saved;
}
