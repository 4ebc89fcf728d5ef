/** The Test button of both credentials: each answer says which of the entries is wrong. */
import { credentialData, type CredentialType } from '../../host/credentials.ts';
import type { JsonObject } from '../../host/n8nClient.ts';
import { freePort } from '../../host/ports.ts';
import { useSharedBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';

describe(`credential tests in n8n ${major}`, () => {
	const bench = useSharedBench(major);

	/** Presses Test with these entries, as the editor does after it has stored the credential. */
	async function press(type: CredentialType, wrong: JsonObject = {}) {
		const { client, credentials, service } = bench();
		const entries = { ...credentialData(service)[type], ...wrong };
		return await client.testCredential(type, entries, credentials[type].id);
	}

	const types: CredentialType[] = ['workspaceDataApi', 'workspaceDataServiceAccountApi'];

	it.each(types)('%s: good entries reach the workspace', async (type) => {
		expect(await press(type)).toMatchObject({ status: 'OK' });
	});

	// 1.x tests stored credentials only.
	if (major !== 1) {
		it.each(types)('%s: may be tested before it is stored', async (type) => {
			const { client, service } = bench();
			const answer = await client.testCredential(type, credentialData(service)[type]);
			expect(answer).toMatchObject({ status: 'OK' });
		});
	}

	it.each(types)('%s: a trailing slash of the base URL does no harm', async (type) => {
		expect(await press(type, { baseUrl: `${bench().service.baseUrl}/` })).toMatchObject({
			status: 'OK',
		});
	});

	it('says that the API key is wrong', async () => {
		const apiKey = 'wsd_live_this-key-is-made-up';
		const { status, message } = await press('workspaceDataApi', { apiKey });
		expect(status).toBe('Error');
		expect(message).toMatch(/API key/i);
		expect(message).not.toContain(apiKey);
	});

	it.each(types)('%s: says that the workspace is wrong', async (type) => {
		const { status, message } = await press(type, { workspaceId: 'no-such-workspace' });
		expect(status).toBe('Error');
		expect(message).toMatch(/workspace/i);
		expect(message).not.toMatch(/API key is|secret/i);
	});

	it.each(types)('%s: says that nobody responds at the address', async (type) => {
		const baseUrl = `http://127.0.0.1:${await freePort()}/api/v1`;
		const { status, message } = await press(type, { baseUrl });
		expect(status).toBe('Error');
		expect(message).toMatch(/base URL|address|reach/i);
		expect(message).not.toMatch(/API key is|workspace ID is/i);
	});

	it.each(types)('%s: the message shows a valid base URL', async (type) => {
		const { status, message } = await press(type, { baseUrl: 'http://127.0.0.1/somewhere' });
		expect(status).toBe('Error');
		expect(message).toContain('/api/v1');
	});

	it('says that the client secret is wrong', async () => {
		const clientSecret = 'made-up-secret-of-nobody';
		const { status, message } = await press('workspaceDataServiceAccountApi', { clientSecret });
		expect(status).toBe('Error');
		expect(message).toMatch(/client|service account/i);
		expect(message).not.toContain(clientSecret);
	});

	it('says that the token address is wrong', async () => {
		const realm = await press('workspaceDataServiceAccountApi', { realm: 'elsewhere' });
		expect(realm).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/realm|token|auth/i),
		});
		const authUrl = `http://127.0.0.1:${await freePort()}`;
		const address = await press('workspaceDataServiceAccountApi', { authUrl });
		expect(address).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/auth|token/i),
		});
	});

	it('says so when the service account is revoked', async () => {
		const { control } = bench();
		const { clientId, clientSecret } = await control.createAccount({ name: 'soon gone' });
		const entries = { clientId, clientSecret };
		expect(await press('workspaceDataServiceAccountApi', entries)).toMatchObject({ status: 'OK' });
		await control.revokeAccount({ clientId });
		const { status, message } = await press('workspaceDataServiceAccountApi', entries);
		expect(status).toBe('Error');
		expect(message).toMatch(/revoked|client|service account/i);
		expect(message).not.toContain(clientSecret);
	});
});
