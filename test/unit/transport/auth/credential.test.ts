/** The node's credential: which one it is, and what its entries mean. */
import type { IAllExecuteFunctions } from 'n8n-workflow';
import {
	credentialFingerprint,
	entryText,
	fingerprintOf,
	readCredential,
	readOwnSecret,
	toAuthentication,
} from '../../../../nodes/WorkspaceData/transport/auth/credential';
import { readCardPages } from '../../../../nodes/WorkspaceData/editor/webUrl';

/** A node with one credential of each type that is given. */
function nodeWith(credentials: Record<string, object>): IAllExecuteFunctions {
	const context = {
		getNode: () => ({ credentials }),
		getCredentials: async (type: string) => await Promise.resolve(credentials[type]),
	};
	return context as unknown as IAllExecuteFunctions;
}
const withKey = (entries: object) => nodeWith({ workspaceDataApi: entries });

test('a saved workflow with another authentication is refused, and the choices are named', () => {
	expect(toAuthentication('apiKey')).toBe('apiKey');
	expect(toAuthentication('serviceAccount')).toBe('serviceAccount');
	for (const value of ['basic', '', undefined, { a: 1 }]) {
		expect(() => toAuthentication(value)).toThrow("'Authentication' cannot be");
	}
});

test.each([
	['workspaceDataApi', "'Workspace Data API'"],
	['workspaceDataServiceAccountApi', "'Workspace Data Service Account API'"],
] as const)('%s: a node without it is told which one to choose', async (type, title) => {
	const entries = { baseUrl: 'u' };
	expect(await readCredential(nodeWith({ [type]: entries }), type)).toBe(entries);
	await expect(readCredential(nodeWith({}), type)).rejects.toThrow(title);
	const none = { getNode: () => ({}) } as unknown as IAllExecuteFunctions;
	await expect(readCredential(none, type)).rejects.toThrow(title);
});

test('blanks and line ends that were pasted along are left out', () => {
	expect([' key \n', 12, undefined, null].map(entryText)).toEqual(['key', '12', '', '']);
});

test('the secret of each kind of credential', async () => {
	const both = nodeWith({
		workspaceDataApi: { apiKey: ' the key\n', clientSecret: 'no' },
		workspaceDataServiceAccountApi: { apiKey: 'no', clientSecret: 'the secret ' },
	});
	expect(await readOwnSecret(both, 'apiKey')).toBe('the key');
	expect(await readOwnSecret(both, 'serviceAccount')).toBe('the secret');
});

describe('links to cards', () => {
	const pageOf = async (webUrl: unknown, cardId: string) =>
		(await readCardPages(withKey({ webUrl }), 'apiKey'))?.(cardId);

	test('have the card’s ID in its place, encoded', async () => {
		expect(await pageOf(' https://app.example.com/c/{card}?x={card} ', 'a/b $&')).toBe(
			'https://app.example.com/c/a%2Fb%20%24%26?x=a%2Fb%20%24%26',
		);
		expect(await pageOf('HTTP://app.example.com/{card}', 'c1')).toBe('HTTP://app.example.com/c1');
	});

	test.each([
		undefined,
		'',
		'https://app.example.com/c',
		'javascript:alert("{card}")',
		'see https://app.example.com/{card}',
		'https://{card}:port/',
		'ftp://app.example.com/{card}',
	])('none from %j', async (webUrl) => {
		expect(await pageOf(webUrl, 'c1')).toBeUndefined();
	});
});

test('fingerprints differ between credentials, and do not show them', async () => {
	const entries = { apiKey: 'secret-key', baseUrl: 'u' };
	const print = await credentialFingerprint(withKey(entries), 'apiKey');
	expect(print).toBe(fingerprintOf({ ...entries }));
	expect(print).not.toBe(fingerprintOf({ ...entries, apiKey: 'secret-kez' }));
	expect(print).not.toContain('secret');
	const account = nodeWith({ workspaceDataServiceAccountApi: { clientSecret: 's' } });
	expect(await credentialFingerprint(account, 'serviceAccount')).toBe(
		fingerprintOf({ clientSecret: 's' }),
	);
});
