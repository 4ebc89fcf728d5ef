/** The log of the service: what it says at each level, and what it never says. */
import fastify from 'fastify';
import { startService } from '../../../service/index.ts';
import { loggerOptions } from '../../../service/listener/log.ts';
import { createClient } from '../client.ts';

interface Line {
	level: number;
	msg: string;
	req?: Record<string, unknown>;
	res?: { statusCode: number };
	[name: string]: unknown;
}

/** Takes lines. */
function paper() {
	const lines: Line[] = [];
	return { lines, to: { write: (line: string) => void lines.push(JSON.parse(line) as Line) } };
}

/** The lines that a service writes while it answers some requests. */
async function linesAt(logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug') {
	const { lines, to } = paper();
	const service = await startService({ logLevel, logTo: to });
	await createClient(service)('GET', 'cards/none/records?cursor=secret');
	await createClient(service, null)('GET', '/health');
	await service.close();
	return { lines, service };
}

test.each(['info', 'debug'] as const)(
	'%s has a line for each request and its answer, with the path alone',
	async (level) => {
		const { lines, service } = await linesAt(level);
		const requests = lines.filter(({ req }) => req);
		expect(requests.map(({ req }) => req)).toEqual([
			{
				method: 'GET',
				path: `/api/v1/workspaces/${service.workspaceId}/cards/none/records`,
				address: '127.0.0.1',
			},
		]);
		const answers = lines.filter(({ res }) => res);
		expect(answers.map(({ res }) => res?.statusCode)).toEqual([400]);
		// The two are known by the same number.
		expect(answers[0]?.reqId).toBe(requests[0]?.reqId);
		expect(answers[0]?.reqId).toBeDefined();
	},
);

test.each(['silent', 'error', 'warn'] as const)(
	'%s says nothing of requests, and nothing at all where all is well',
	async (level) => {
		expect((await linesAt(level)).lines).toEqual([]);
	},
);

test('secrets are never written, wherever a line has them', () => {
	const { lines, to } = paper();
	const { log } = fastify(loggerOptions({ level: 'warn', to }));
	const secrets = Object.fromEntries(
		[
			...['authorization', 'cookie', 'set-cookie', 'apiKey', 'clientSecret', 'client_secret'],
			...['access_token', 'secret', 'password', 'token'],
		].map((name) => [name, 'hunter2']),
	);
	log.warn({ ...secrets, one: secrets, two: { headers: secrets, body: secrets }, shown: 'shown' });
	const hidden = Object.fromEntries(Object.keys(secrets).map((name) => [name, '[redacted]']));
	expect(lines).toEqual([
		expect.objectContaining({
			...{ ...hidden, one: hidden, two: { headers: hidden, body: hidden }, shown: 'shown' },
		}),
	]);
});

test('what is less severe than the level is not written', () => {
	const { lines, to } = paper();
	const { log } = fastify(loggerOptions({ level: 'error', to }));
	log.warn('less');
	log.error('as much');
	expect(lines.map(({ msg }) => msg)).toEqual(['as much']);
});
