/** The description document, as a generator of clients reads it: whatever it loses, the generated client does not know. */
import type { OpenAPIV3 } from 'openapi-types';
import { eventNames } from '../../../service/foundation/events.ts';
import { fieldTypes } from '../../../service/foundation/fieldTypes.ts';
import { type Service, startService } from '../../../service/index.ts';
import { createClient } from '../client.ts';

let service: Service;
let document: OpenAPIV3.Document;
beforeAll(async () => {
	service = await startService();
	const { body } = await createClient(service, null)('GET', '/openapi.json');
	document = body as unknown as OpenAPIV3.Document;
});
afterAll(async () => await service.close());

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const textOrNull = { type: 'string', nullable: true };
const listOf = (items: object) => ({ type: 'array', items });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** An object that has these members and no others. */
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
	type: 'object',
	properties,
	...(required.length > 0 && { required }),
	additionalProperties: false,
});

test('bodies that are sent', () => {
	const name = { ...text, minLength: 1, maxLength: 1_000, pattern: '\\S', example: 'Countries' };
	const description = { ...text, maxLength: 10_000 };
	const optionName = { ...text, minLength: 1, maxLength: 200 };
	const options = {
		...listOf({
			anyOf: [
				optionName,
				object({ id: text, name: optionName }, ['name']),
				object({ value: text, label: optionName }),
			],
		}),
		minItems: 0,
		maxItems: 500,
	};
	const type = { ...text, enum: fieldTypes };
	const data = {
		type: 'object',
		additionalProperties: true,
		description: expect.any(String),
		example: { fld_5f2b: 'Norway', fld_91c0: 5379 },
	};
	const events = { ...listOf({ ...text, enum: eventNames }), minItems: 1, maxItems: 50 };
	const address = {
		...text,
		format: 'uri',
		maxLength: 2_048,
		example: 'https://n8n.example/webhook/orders',
	};
	expect(document.components?.schemas).toMatchObject({
		CardCreateInput: object({ name, description }, ['name']),
		CardUpdateInput: object({ name, description }, []),
		FieldCreateInput: object({ name, type, options }, ['name', 'type']),
		FieldUpdateInput: object({ name, type, options }, []),
		RecordCreateInput: object({ data }),
		RecordUpdateInput: object({ data }),
		WebhookCreateInput: object({ target_url: address, events, card_id: text }, [
			'target_url',
			'events',
		]),
	});
});

test('resources that are answered', () => {
	const card = { id: text, name: text, description: text, created_at: time, updated_at: time };
	const field = { id: text, name: text, type: { enum: fieldTypes }, options: listOf(text) };
	const record = { id: text, data: { additionalProperties: true }, created_at: time };
	const webhook = {
		webhook_id: text,
		target_url: text,
		events: listOf({ ...text, enum: eventNames }),
		card_id: textOrNull,
		state: { ...text, enum: ['active', 'paused'] },
		created_at: time,
		secret: text,
	};
	const reason = object({ pointer: text, detail: text });
	const problem = {
		type: { ...text, format: 'uri' },
		title: text,
		status: { type: 'integer' },
		detail: text,
		errors: listOf(reason),
	};
	expect(document.components?.schemas).toMatchObject({
		Card: object(card),
		Field: object(field),
		Record: object(record),
		RecordList: object({ records: listOf(ref('Record')), next_cursor: textOrNull }),
		Webhook: object(webhook),
		Problem: object(problem, ['type', 'title', 'status', 'detail']),
	});
});

test('only schemas that something refers to', () => {
	const all = JSON.stringify(document);
	const unused = Object.keys(document.components?.schemas ?? {}).filter(
		(name) => !all.includes(JSON.stringify(ref(name).$ref)),
	);
	expect(unused).toEqual([]);
	expect(Object.keys(document.components?.schemas ?? {})).toHaveLength(13);
});

const card = '/workspaces/{wid}/cards/{cid}';
const listed = (name: string, schema: string) => object({ [name]: listOf(ref(schema)) });

/** Method, path, id, tag, schema of the body, status and schema of the answer. */
const operations: ReadonlyArray<
	[string, string, string, string, string | null, number, object | null]
> = [
	['get', '/workspaces/{wid}/cards', 'listCards', 'Cards', null, 200, listed('cards', 'Card')],
	['post', '/workspaces/{wid}/cards', 'createCard', 'Cards', 'CardCreate', 201, ref('Card')],
	['get', card, 'getCard', 'Cards', null, 200, ref('Card')],
	['patch', card, 'updateCard', 'Cards', 'CardUpdate', 200, ref('Card')],
	['delete', card, 'deleteCard', 'Cards', null, 204, null],
	['get', `${card}/fields`, 'listFields', 'Fields', null, 200, listed('fields', 'Field')],
	['post', `${card}/fields`, 'createField', 'Fields', 'FieldCreate', 201, ref('Field')],
	['patch', `${card}/fields/{fid}`, 'updateField', 'Fields', 'FieldUpdate', 200, ref('Field')],
	['delete', `${card}/fields/{fid}`, 'deleteField', 'Fields', null, 204, null],
	['get', `${card}/records`, 'listRecords', 'Records', null, 200, ref('RecordList')],
	['post', `${card}/records`, 'createRecord', 'Records', 'RecordCreate', 201, ref('Record')],
	['patch', `${card}/records/{rid}`, 'updateRecord', 'Records', 'RecordUpdate', 200, ref('Record')],
	['delete', `${card}/records/{rid}`, 'deleteRecord', 'Records', null, 204, null],
	[
		...(['post', '/workspaces/{wid}/webhooks', 'createWebhook', 'Webhooks'] as const),
		...(['WebhookCreate', 201, ref('Webhook')] as const),
	],
	[
		...(['delete', '/workspaces/{wid}/webhooks/{webhook_id}', 'deleteWebhook'] as const),
		...(['Webhooks', null, 204, null] as const),
	],
];

describe('operations', () => {
	test.each(operations)('%s %s', (method, path, id, tag, body, status, answer) => {
		const operation = document.paths[path]?.[method as OpenAPIV3.HttpMethods];
		expect(operation).toMatchObject({
			operationId: id,
			tags: [tag],
			summary: expect.stringMatching(/./),
			description: expect.stringMatching(/./),
		});
		expect(operation?.requestBody).toEqual(
			body === null
				? undefined
				: { required: true, content: { 'application/json': { schema: ref(`${body}Input`) } } },
		);
		const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
			...{ name, in: 'path', required: true },
			schema: text,
		}));
		const parameters = (operation?.parameters ?? []) as OpenAPIV3.ParameterObject[];
		expect(parameters.filter((parameter) => parameter.in === 'path')).toEqual(inPath);
		expect(Object.keys(operation?.responses ?? {})).toEqual([String(status), 'default', '4XX']);
		expect(operation?.responses[status]).toMatchObject(
			answer === null ? {} : { content: { 'application/json': { schema: answer } } },
		);
		expect('content' in (operation?.responses[status] ?? {})).toBe(answer !== null);
	});

	test.each(operations)(
		'%s %s: every answer has the rate, a problem Retry-After',
		(method, path) => {
			const { responses = {} } = document.paths[path]?.[method as OpenAPIV3.HttpMethods] ?? {};
			const whole = { description: expect.stringMatching(/./), schema: { type: 'integer' } };
			const rate = {
				'X-RateLimit-Limit': whole,
				'X-RateLimit-Remaining': whole,
				'X-RateLimit-Reset': whole,
			};
			for (const [status, response] of Object.entries(responses)) {
				const isProblem = status === 'default' || status === '4XX';
				expect((response as OpenAPIV3.ResponseObject).headers).toEqual({
					...rate,
					...(isProblem && { 'Retry-After': whole }),
				});
				if (!isProblem) continue;
				expect(response).toMatchObject({ description: 'A problem (RFC 7807).' });
				expect((response as OpenAPIV3.ResponseObject).content).toEqual({
					'application/problem+json': { schema: ref('Problem') },
				});
			}
		},
	);

	test('the list of records has a size and a cursor', () => {
		const { parameters = [] } = document.paths[`${card}/records`]?.get ?? {};
		const described = { in: 'query', required: false, description: expect.stringMatching(/./) };
		expect(parameters.slice(0, 2)).toEqual([
			{
				...described,
				name: 'limit',
				schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 50 },
			},
			{ ...described, name: 'cursor', schema: text },
		]);
	});
});

test('what a reader of the document sees first', () => {
	expect(document).toMatchObject({
		openapi: '3.0.3',
		info: {
			title: 'Workspace Data Service',
			version: '1.0.0',
			description: expect.stringMatching(/./),
			contact: { name: 'Workspace Data Service', url: 'https://workspace-data.example' },
			license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
		},
		servers: [{ url: service.baseUrl }],
		security: [{ apiKey: [] }, { serviceAccount: [] }],
	});
	expect(document.tags?.map(({ name }) => name)).toEqual([
		'Cards',
		'Fields',
		'Records',
		'Webhooks',
	]);
	expect(document.tags?.every(({ description = '' }) => description !== '')).toBe(true);
	expect(document.components?.securitySchemes).toMatchObject({
		apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
		serviceAccount: { type: 'oauth2', flows: { clientCredentials: { scopes: {} } } },
	});
});
