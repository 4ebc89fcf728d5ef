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
	const methods = Object.entries(document.paths).map(([path, item]) => [
		path.replace('/workspaces/{wid}/', ''),
		Object.keys(item ?? {})
			.sort()
			.join(' '),
	]);
	expect(Object.fromEntries(methods)).toEqual({
		cards: 'get post',
		'cards/{cid}': 'delete get patch',
		'cards/{cid}/fields': 'get post',
		'cards/{cid}/fields/{fid}': 'delete patch',
		'cards/{cid}/records': 'get post',
		'cards/{cid}/records/{rid}': 'delete patch',
		webhooks: 'post',
		'webhooks/{webhook_id}': 'delete',
	});
});

test('says where it is served and how to get in', () => {
	expect(document.servers).toEqual([{ url: service.baseUrl }]);
	const tokenUrl = `${service.authUrl}/realms/${service.realm}/protocol/openid-connect/token`;
	expect(document.components?.securitySchemes).toMatchObject({
		apiKey: { type: 'http', scheme: 'bearer' },
		serviceAccount: { flows: { clientCredentials: { tokenUrl } } },
	});
});
