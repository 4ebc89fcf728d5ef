/** The service behind a proxy that speaks https with the world and http with the service. */
import { type AddressInfo, createServer } from 'node:net';
import type { ServiceOptions } from '../index.ts';
import { signIn as send } from './browser.ts';
import { useServices } from './client.ts';

const start = useServices();

const publicUrl = 'https://data.example';

/** A port that nobody listens on. */
const freePort = async () =>
	await new Promise<number>((resolve) => {
		const server = createServer().listen(0, '127.0.0.1', () => {
			const { port } = server.address() as AddressInfo;
			server.close(() => resolve(port));
		});
	});

/** Starts the service. @returns also the addresses that only the proxy knows */
async function startService(options: ServiceOptions) {
	const [port, authPort] = [await freePort(), await freePort()];
	const service = await start({ ...options, port, authPort });
	const direct = `http://127.0.0.1:${port}`;
	return { ...service, direct, directAuth: `http://127.0.0.1:${authPort}` };
}

/** Signs in as a browser behind the proxy does. @returns the response */
const signIn = async (
	service: Awaited<ReturnType<typeof startService>>,
	origin: string,
	headers: Record<string, string> = {},
) =>
	await send(
		{ ...service, settingsUrl: `${service.direct}/settings` },
		{},
		{ origin, 'sec-fetch-site': 'same-origin', ...headers },
	);

test('with a public address, forms are accepted from there, and cookies are for https only', async () => {
	const service = await startService({ publicUrl });
	const answer = await signIn(service, publicUrl);
	expect(answer.status).toBe(303);
	expect(answer.headers.get('set-cookie')).toMatch(/; Secure/);
	expect((await signIn(service, 'https://evil.example')).status).toBe(403);
	expect((await signIn(service, 'http://data.example')).status).toBe(403);
});

/** Wrong sign-ins of a client, as the proxy passes them on. @returns how many were looked at */
const guesses = async (trustProxy: boolean) => {
	const service = await startService({ publicUrl, trustProxy });
	const counts: number[] = [];
	for (const client of ['192.0.2.1', '192.0.2.2']) {
		let seen = 0;
		for (let n = 0; n < 12; n++) {
			const wrong = { ...service, settingsPassword: 'wrong' };
			const answer = await signIn(wrong, publicUrl, { 'x-forwarded-for': client });
			if (answer.status === 401) seen += 1;
		}
		counts.push(seen);
	}
	const url = `${service.directAuth}/realms/${service.realm}/protocol/openid-connect/token`;
	const ask = async (client: string) =>
		(await fetch(url, { method: 'POST', headers: { 'x-forwarded-for': client } })).status;
	for (let n = 0; n < 120; n++) await ask('192.0.2.1');
	return { counts, tokens: [await ask('192.0.2.1'), await ask('192.0.2.2')] };
};

test.each([
	['use the client behind the proxy where it is trusted', true, [10, 10], [429, 400]],
	['use the proxy otherwise, as anybody can send such a header', false, [10, 0], [429, 429]],
])('limits by address %s', async (_, trustProxy, counts, tokens) => {
	expect(await guesses(trustProxy)).toEqual({ counts, tokens });
});
