/** No secret and no token is seen anywhere (FAULTS.md, B35 and B37). */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accessTokens } from '../../nodes/WorkspaceData/transport/accessToken';
import { prepareN8n, runAction, type ActionResult } from '../support/n8n';
import { byId, mapEach } from '../support/parameters';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: { id: string };
/** Everything that was logged, at any level, as text. */
const logged: string[] = [];

beforeAll(async () => {
	prepareN8n();
	const logger = Container.get(Logger);
	for (const level of ['error', 'warn', 'info', 'debug'] as const) {
		jest.spyOn(logger, level).mockImplementation((...entry: unknown[]) => {
			logged.push(
				entry.map((part) => (part instanceof Error ? part.stack : JSON.stringify(part))).join(' '),
			);
		});
	}
	for (const stream of [process.stdout, process.stderr]) {
		const write = stream.write.bind(stream);
		jest.spyOn(stream, 'write').mockImplementation(((chunk: string, ...rest: []) => {
			logged.push(String(chunk));
			return write(chunk, ...rest);
		}) as typeof stream.write);
	}
	workspace = await startWorkspace();
	card = await workspace.card('Secrets', [{ name: 'Key', type: 'text' }]);
});
afterAll(async () => {
	jest.restoreAllMocks();
	await workspace.close();
});
afterEach(() => workspace.service.control.reset());

/** All that is kept or shown of a run: its data, and what errors hold that JSON leaves out. */
function everything({ run, error }: ActionResult): string {
	const texts: string[] = [JSON.stringify(run)];
	for (let link: unknown = error; link instanceof Error; link = link.cause) {
		texts.push(
			link.message,
			link.stack ?? '',
			JSON.stringify(link),
			JSON.stringify(Object.entries(link)),
		);
	}
	return texts.join('\n');
}

/** The words before each place where a text has a secret. */
const around = (secret: string, text: string): string[] =>
	text
		.split(secret)
		.slice(0, -1)
		.map((before) => `${before.slice(-80)}<secret>`);

test.each(['apiKey', 'serviceAccount'] as const)(
	'%s: not in execution data, messages or logs, however the run ends (B37)',
	async (kind) => {
		const { control, apiKey, clientSecret } = workspace.service;
		const credentials = workspace[kind];
		const run = async (parameters: IDataObject, node: IDataObject = {}) =>
			await runAction({
				credentials,
				items: [{ key: 'a' }, { key: 'b' }],
				parameters: {
					resource: 'record',
					operation: 'create',
					cardId: byId(card.id),
					columns: mapEach({ Key: '={{ $json.key }}' }),
					...parameters,
				},
				node,
			});
		const texts = [everything(await run({}))];
		const [account] = Object.values(workspace.serviceAccount);
		const token = account && kind === 'serviceAccount' ? accessTokens.current(account) : undefined;
		if (kind === 'serviceAccount') expect(token).toEqual(expect.any(String));
		const secrets = [kind === 'apiKey' ? apiKey : clientSecret, token].filter(
			(secret) => secret !== undefined,
		);

		const echo = { title: `Not for ${secrets.join(' ')}`, detail: `Bearer ${secrets.at(-1)}` };
		for (const fault of [
			{ status: 400, json: echo },
			{ status: 500, json: echo },
			{ status: 403, body: 'plain' as const },
			{ status: 502, body: 'html' as const },
			{ status: 307, body: 'empty' as const, headers: { location: 'http://127.0.0.1:9/' } },
			{ mode: 'dropAfter' as const },
			{ mode: 'hang' as const },
		]) {
			for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput']) {
				control.fail({ method: 'POST', path: '/records$', times: 2, ...fault });
				texts.push(everything(await run({ options: { timeout: 0.2 } }, { onError })));
				control.clearFailures();
			}
		}
		texts.push(everything(await run({ columns: mapEach({ Nope: 'x' }) })));
		expect(texts.length).toBeGreaterThan(20);
		for (const secret of secrets) {
			expect([...texts, ...logged].flatMap((text) => around(secret, text))).toEqual([]);
		}
	},
);

test('a token address that redirects gets the secret, the address behind it does not (B35)', async () => {
	const seen: Array<string | undefined> = [];
	const server = createServer((request, response) => {
		seen.push(request.url);
		const { port } = server.address() as AddressInfo;
		response.writeHead(307, { location: `http://localhost:${port}/elsewhere` }).end();
	});
	await new Promise<void>((resolve) => server.listen(0, resolve));
	const { port } = server.address() as AddressInfo;
	const { error } = await runAction({
		credentials: {
			workspaceDataServiceAccountApi: {
				...workspace.serviceAccount.workspaceDataServiceAccountApi,
				authUrl: `http://127.0.0.1:${port}`,
			},
		},
		parameters: { resource: 'card', operation: 'getAll' },
	});
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
	expect(error?.description).toContain("'Auth URL' and 'Realm'");
	expect(seen).toEqual(['/realms/workspace/protocol/openid-connect/token']);
});
