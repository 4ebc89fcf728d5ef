import { execFile, type ExecFileException } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { OpenAPIV3 } from 'openapi-types';
import { parse } from 'yaml';
import { type Service, startService } from '../index.ts';
import { type Client, createClient } from './client.ts';

let service: Service;
let anonymous: Client;
let document: OpenAPIV3.Document;

beforeAll(async () => {
	service = await startService();
	anonymous = createClient(service, null);
	document = (await anonymous('GET', '/openapi.json')).body as unknown as OpenAPIV3.Document;
});
afterAll(async () => await service.close());

test('is a valid OpenAPI 3.0 document', async () => {
	expect(document.openapi).toMatch(/^3\.0\./);
	await SwaggerParser.validate(structuredClone(document));
});

test('is the same as JSON and YAML, at the origin and below the API root', async () => {
	for (const root of ['', '/api/v1']) {
		const json = await anonymous('GET', `${root}/openapi.json`);
		expect(json.body).toEqual(document);
		const yaml = await anonymous('GET', `${root}/openapi.yaml`);
		expect(yaml.headers.get('content-type')).toMatch(/^application\/yaml/);
		expect(parse(yaml.text)).toEqual(document);
	}
});

test('has every endpoint of the interface, and no other', () => {
	const operations = Object.entries(document.paths).flatMap(([path, item]) =>
		Object.keys(item ?? {}).map((method) => `${method.toUpperCase()} ${path}`),
	);
	const card = '/workspaces/{wid}/cards/{cid}';
	expect(operations.sort()).toEqual(
		[
			'GET /workspaces/{wid}/cards',
			'POST /workspaces/{wid}/cards',
			`GET ${card}`,
			`PATCH ${card}`,
			`DELETE ${card}`,
			`GET ${card}/fields`,
			`POST ${card}/fields`,
			`PATCH ${card}/fields/{fid}`,
			`DELETE ${card}/fields/{fid}`,
			`GET ${card}/records`,
			`POST ${card}/records`,
			`PATCH ${card}/records/{rid}`,
			`DELETE ${card}/records/{rid}`,
			'POST /workspaces/{wid}/webhooks',
			'DELETE /workspaces/{wid}/webhooks/{webhook_id}',
		].sort(),
	);
});

test('says where it is served and how to get in', () => {
	expect(document.servers).toEqual([{ url: service.baseUrl }]);
	expect(document.components?.securitySchemes).toMatchObject({
		apiKey: { type: 'http', scheme: 'bearer' },
		serviceAccount: {
			flows: {
				clientCredentials: {
					tokenUrl: `${service.authUrl}/realms/${service.realm}/protocol/openid-connect/token`,
				},
			},
		},
	});
});

test('describes nullable values as OpenAPI 3.0 does, and Retry-After', () => {
	const { Webhook, RecordList } = document.components?.schemas ?? {};
	const nullable = { type: 'string', nullable: true };
	expect(Webhook).toMatchObject({ properties: { card_id: nullable } });
	expect(RecordList).toMatchObject({ properties: { next_cursor: nullable } });
	expect(JSON.stringify(document)).not.toContain('"enum":[null]');
	expect(document.paths['/workspaces/{wid}/cards']?.get?.responses.default).toMatchObject({
		headers: { 'Retry-After': { schema: { type: 'integer' } } },
	});
});

/** Runs a file with this Node. @returns what it prints */
const run = async (args: string[], options: { input?: string; env?: NodeJS.ProcessEnv } = {}) =>
	await new Promise<string>((done, reject) => {
		const child = execFile(
			process.execPath,
			args,
			{ env: options.env ?? process.env, maxBuffer: 1e7 },
			(error: ExecFileException | null, stdout, stderr) => {
				if (error) reject(new Error(`${args[0]}: ${stderr}${stdout}`));
				else done(stdout);
			},
		);
		child.stdin?.end(options.input ?? '');
	});

/** One round trip with a client whose types are generated; a wrong name in it does not compile. */
const roundTrip = `
import createClient from 'openapi-fetch';
import type { paths } from './schema';
const { BASE_URL: baseUrl = '', WORKSPACE: wid = '', API_KEY: apiKey = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + apiKey } });
const card = await client.POST('/workspaces/{wid}/cards', {
	params: { path: { wid } },
	body: { name: 'Generated' },
});
const cid: string = card.data?.id ?? '';
const path = { wid, cid };
const field = await client.POST('/workspaces/{wid}/cards/{cid}/fields', {
	params: { path },
	body: { name: 'Name', type: 'text' },
});
const fid: string = field.data?.id ?? '';
await client.POST('/workspaces/{wid}/cards/{cid}/records', {
	params: { path },
	body: { data: { [fid]: 'Norway' } },
});
const list = await client.GET('/workspaces/{wid}/cards/{cid}/records', {
	params: { path, query: { limit: 5 } },
});
const gone = await client.DELETE('/workspaces/{wid}/cards/{cid}', { params: { path } });
const missing = await client.GET('/workspaces/{wid}/cards/{cid}', { params: { path } });
const title: string | undefined = missing.error?.title;
const values = list.data?.records.map(({ data }) => data[fid]);
console.log(JSON.stringify([values, list.data?.next_cursor, gone.response.status, title]));
`;

test('a client that is generated from it compiles and does a round trip', async () => {
	const root = resolve(__dirname, '../..');
	mkdirSync(join(root, '.cache'), { recursive: true });
	const folder = mkdtempSync(join(root, '.cache', 'generated-'));
	try {
		const file = (name: string) => join(folder, name);
		writeFileSync(file('openapi.json'), JSON.stringify(document));
		writeFileSync(file('client.mts'), roundTrip);
		const bin = (path: string) => join(root, 'node_modules', path);
		const generate = bin('openapi-typescript/bin/cli.js');
		await run([generate, file('openapi.json'), '-o', file('schema.d.ts')]);
		const flags = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2023'];
		const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', 'node'];
		await run([bin('typescript/bin/tsc'), ...flags, ...modules, file('client.mts')]);
		const printed = await run([file('client.mts')], {
			env: {
				...process.env,
				BASE_URL: service.baseUrl,
				WORKSPACE: service.workspaceId,
				API_KEY: service.apiKey,
			},
		});
		expect(JSON.parse(printed)).toEqual([['Norway'], null, 204, 'Card not found']);
	} finally {
		rmSync(folder, { recursive: true });
	}
});
