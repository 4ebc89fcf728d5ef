/** Credentials in n8n: the Test button, and what n8n stores of a failure. */
import { credentialData, type CredentialType } from '../../host/credentials.ts';
import type { JsonObject } from '../../host/n8nClient.ts';
import { chain, manualTrigger } from '../../host/workflowBuilder.ts';
import { useSharedBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';

describe(`credentials in n8n ${major}`, () => {
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

	it('stores no secret and no token with a failed execution', async () => {
		const { action, client, control, run, service } = bench();
		await control.fail({ method: 'GET', path: '/cards$', status: 500, times: 20 });
		for (const authentication of ['apiKey', 'serviceAccount']) {
			const parameters = { authentication, resource: 'card', operation: 'getAll', returnAll: true };
			const list = action(authentication, parameters);
			const execution = await run(chain(authentication, [manualTrigger(), list]));
			expect(execution.status).toBe('error');
			const stored = JSON.stringify(
				await client.request('GET', `/rest/executions/${execution.id}`),
			);
			for (const secret of [service.apiKey, service.clientSecret, 'Bearer ']) {
				expect(stored).not.toContain(secret);
			}
		}
	});
});
