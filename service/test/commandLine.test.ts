import { useFile } from './client.ts';
import { killServices, runService, startServiceProcess } from './commandLine.ts';

afterEach(killServices);
const file = useFile();

test('the first line is the addresses, which work', async () => {
	const { addresses } = await startServiceProcess([]);
	expect(addresses).toMatchObject({
		baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/),
		authUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
		controlUrl: null,
		controlToken: null,
	});
	const answer = await fetch(`${addresses.baseUrl}/workspaces/${addresses.workspaceId}/cards`, {
		headers: { authorization: `Bearer ${addresses.apiKey}` },
	});
	expect(answer.status).toBe(200);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s, even twice, ends it with 0', async (signal) => {
	const { child, ended } = await startServiceProcess([]);
	child.kill(signal);
	child.kill(signal);
	expect(await ended).toEqual({ code: 0, signal: null });
});

test('--exit-with-parent ends it when stdin ends', async () => {
	const { child, ended } = await startServiceProcess(['--exit-with-parent']);
	child.stdin?.end();
	expect(await ended).toEqual({ code: 0, signal: null });
});

test.each([
	['--port', 'the API'],
	['--auth-port', 'the identity provider'],
])('%s taken: a clear message and 1', async (option) => {
	const { addresses } = await startServiceProcess([]);
	const { port } = new URL(addresses.baseUrl);
	const { code, stdout, stderr } = await runService(['--json', option, port]);
	expect({ code, stdout, stderr }).toEqual({
		code: 1,
		stdout: '',
		stderr: expect.stringContaining(`Port ${port} is taken.`),
	});
});

test('a file that another process uses: a clear message and 1', async () => {
	await startServiceProcess(['--file', file()]);
	const { code, stderr } = await runService(['--file', file()]);
	expect({ code, stderr }).toEqual({
		code: 1,
		stderr: expect.stringContaining('is in use by another process'),
	});
});
