/** What a start makes of its options. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Service, type ServiceOptions, startService } from '../index.ts';
import { type Client, createClient } from './client.ts';

/** Starts a service for as long as `use` takes. */
async function withService<T>(
	options: ServiceOptions,
	use: (service: Service, api: Client) => Promise<T>,
): Promise<T> {
	const service = await startService(options);
	try {
		return await use(service, createClient(service));
	} finally {
		await service.close();
	}
}

test('without options, it listens for this machine alone, with the values that are documented', async () => {
	await withService({}, async (service, api) => {
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
		const { headers } = await api('GET', 'cards');
		expect(headers.get('x-ratelimit-limit')).toBe('1000000');
	});
});

test('the addresses are those by which others reach it', async () => {
	const options = { publicUrl: 'https://data.example', publicAuthUrl: 'https://id.example' };
	await withService({ ...options, control: true, realm: 'r' }, async (service) => {
		expect(service).toMatchObject({
			baseUrl: 'https://data.example/api/v1',
			authUrl: 'https://id.example',
			settingsUrl: 'https://data.example/settings',
			controlUrl: 'https://data.example/control',
			realm: 'r',
		});
	});
});

test('the largest body is the one that was asked for', async () => {
	await withService({ bodyBytes: 1_000 }, async (_service, api) => {
		const named = async (length: number) =>
			(await api('POST', 'cards', { name: 'x', description: 'y'.repeat(length) })).status;
		expect([await named(500), await named(1_500)]).toEqual([201, 413]);
	});
});

test.each([
	{ backoffMs: -1 },
	{ deliveryTimeoutMs: 0 },
	{ parallelDeliveries: 0 },
	{ tokenLifetimeSeconds: 0 },
	{ rate: { limit: 0 } },
	{ control: true, variants: { lists: 'odd' as never } },
])('%j is refused', async (options) => {
	await expect(startService(options)).rejects.toThrow();
});

test('closing again is no mistake', async () => {
	const service = await startService();
	await service.close();
	await expect(service.close()).resolves.toBeUndefined();
});

test('a start that fails gives back what it has taken: its file and its other port', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'workspace-data-'));
	const file = join(folder, 'service.sqlite');
	try {
		await withService({}, async ({ baseUrl }) => {
			const port = Number(new URL(baseUrl).port);
			await expect(startService({ file, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
			await expect(startService({ file, authPort: port })).rejects.toMatchObject({
				code: 'EADDRINUSE',
			});
		});
		await withService({ file }, async (_service, api) => {
			expect((await api('GET', 'cards')).status).toBe(200);
		});
	} finally {
		rmSync(folder, { recursive: true });
	}
});
