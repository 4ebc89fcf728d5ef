/** What a start makes of its options. */
import { createClient, useServices } from './client.ts';

const startService = useServices();

test('without options, it listens for this machine alone, with the values that are documented', async () => {
	const service = await startService();
	expect(service).toEqual({
		baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/),
		authUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
		realm: 'workspace',
		workspaceId: expect.stringMatching(/^wsp_/),
		apiKey: expect.stringMatching(/^wsd_live_/),
		clientId: expect.stringMatching(/^sa_/),
		clientSecret: expect.stringMatching(/^[\w-]{43}$/),
		controlUrl: null,
		controlToken: null,
		settingsUrl: service.baseUrl.replace('/api/v1', '/settings'),
		settingsPassword: expect.stringMatching(/^[\w-]{43}$/),
		close: expect.any(Function),
	});
	const { headers } = await createClient(service)('GET', 'cards');
	expect(headers.get('x-ratelimit-limit')).toBe('1000000');
});

test('a service that listens on all addresses names one that works', async () => {
	const service = await startService({ host: '0.0.0.0' });
	expect(service.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
	expect((await createClient(service)('GET', 'cards')).status).toBe(200);
});
