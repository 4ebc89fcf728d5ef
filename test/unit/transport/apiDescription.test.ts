import type { Session } from '../../../nodes/WorkspaceData/transport/session';
import {
	ApiFailure,
	UnexpectedAnswer,
} from '../../../nodes/WorkspaceData/transport/failure/failures';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';
import {
	describedFieldTypes,
	getDescription,
} from '../../../nodes/WorkspaceData/transport/apiDescription';
import { leastOf, workMs } from '../../support/cpuTime.mts';

const types = ['text', 'number'];
const create = (schema: object) => ({
	paths: {
		'/workspaces/{wid}/cards/{cid}/fields': {
			post: { requestBody: { content: { 'application/json': { schema } } } },
		},
	},
});

test.each<[string, object]>([
	['in the request', create({ properties: { type: { enum: types } } })],
	[
		'behind a reference',
		{
			...create({ $ref: '#/components/schemas/X' }),
			components: { schemas: { X: { properties: { type: { enum: types } } } } },
		},
	],
	[
		'one alternative each',
		create({ oneOf: types.map((type) => ({ properties: { type: { const: type } } })) }),
	],
	[
		'as alternatives of the property',
		create({ properties: { type: { anyOf: types.map((type) => ({ enum: [type] })) } } }),
	],
	[
		'in parts',
		create({ allOf: [{ properties: { name: {} } }, { properties: { type: { enum: types } } }] }),
	],
	[
		'in a schema that is called like a field',
		{ components: { schemas: { CardField: { properties: { type: { enum: types } } } } } },
	],
])('the description names field types %s', (_, document) => {
	expect(describedFieldTypes({ ...document })).toEqual(types);
});

test.each<[string, object]>([
	['an empty document', {}],
	['types that are free text', create({ properties: { type: { type: 'string' } } })],
	[
		'references in a circle',
		{
			...create({ $ref: '#/components/schemas/A' }),
			components: { schemas: { A: { allOf: [{ $ref: '#/components/schemas/A' }] } } },
		},
	],
	['references to nowhere or to a prototype', create({ $ref: '#/constructor/prototype' })],
	[
		'another schema with a type',
		{ components: { schemas: { Webhook: { properties: { type: { enum: ['x'] } } } } } },
	],
	['null in every place', { paths: null, components: null }],
	['null within', { paths: { '/cards/{id}/fields': null }, components: { schemas: null } }],
	['an operation without a body', { paths: { '/cards/{id}/fields': { post: null } } }],
	[
		'a body without content',
		{ paths: { '/cards/{id}/fields': { post: { requestBody: { content: null } } } } },
	],
	[
		'content of another type',
		{ paths: { '/cards/{id}/fields': { post: { requestBody: { content: { 'text/csv': {} } } } } } },
	],
	['a schema without properties', create({ properties: null })],
	['values that are no texts', create({ properties: { type: { enum: [1, null], const: 5 } } })],
	['a reference into a text', create({ $ref: '#/openapi/x' })],
	['a reference to another document', create({ $ref: 'other.json#/paths' })],
])('no types from %s', (_, document) => {
	expect(describedFieldTypes({ ...document })).toStrictEqual([]);
});

test.each([
	['Field', true],
	['CardFieldInput', true],
	['create_field', true],
	['NewCardField_body', true],
	['FieldTypeSchema', true],
	['card_fields', true],
	['FieldOption', false],
	['WebhookField', false],
	['MyField', false],
	['FieldX', false],
])('a schema called %s describes a field: %s', (name, isField) => {
	const components = { schemas: { [name]: { properties: { type: { enum: types } } } } };
	expect(describedFieldTypes({ components })).toStrictEqual(isField ? types : []);
});

test('names in a reference may have slashes and tildes', () => {
	const components = { schemas: { 'a/b~c': { properties: { type: { enum: types } } } } };
	const document = { ...create({ $ref: '#/components/schemas/a~1b~0c' }), components };
	expect(describedFieldTypes(document)).toEqual(types);
});

test('whatever the address of the path', () => {
	const post = {
		requestBody: {
			content: { 'application/json': { schema: { properties: { type: { enum: types } } } } },
		},
	};
	for (const path of ['/cards/{id}/fields/', '/v2/cards/{x}/fields'])
		expect(describedFieldTypes({ paths: { [path]: { post } } })).toEqual(types);
	for (const path of ['/cards/{id}/fields/{fid}', '/cards/fields', '/cards/{id}/fieldsets'])
		expect(describedFieldTypes({ paths: { [path]: { post } } })).toStrictEqual([]);
});

describe('the document', () => {
	/** A service that answers each address as told. */
	async function read(format: string, answers: Record<string, unknown>, options = {}) {
		const sent: ApiRequest[] = [];
		const request = async (one: ApiRequest) => {
			sent.push(one);
			const body = answers[one.root ?? ''];
			if (body instanceof Error) throw body;
			return await Promise.resolve({ status: 200, headers: {}, body });
		};
		const result = await getDescription({ request } as unknown as Session, format, options).catch(
			(error: unknown) => error,
		);
		return {
			result,
			sent: sent.map(({ root, path }) => `${root} ${path.join('/')}`),
			first: sent[0],
		};
	}
	const missing = new ApiFailure({ status: 404, title: 'Not found' });
	const broken = new ApiFailure({ status: 500, title: 'Broken' });

	test('is below the API, else below the origin', async () => {
		expect(await read('json', { api: { openapi: '3.0.0' } })).toMatchObject({
			result: { openapi: '3.0.0' },
			sent: ['api openapi.json'],
		});
		expect(await read('yaml', { api: missing, origin: 'openapi: 3.0.0' })).toMatchObject({
			result: { yaml: 'openapi: 3.0.0' },
			sent: ['api openapi.yaml', 'origin openapi.yaml'],
		});
		expect((await read('json', { api: missing, origin: broken })).result).toBe(broken);
		const other = await read('json', { api: broken, origin: {} });
		expect([other.result, other.sent.length]).toEqual([broken, 1]);
		const { first } = await read('json', { api: {} }, { timeoutMs: 7, impatient: true });
		expect(first).toMatchObject({ method: 'GET', timeoutMs: 7, impatient: true });
	});

	test('JSON is YAML, too', async () => {
		expect((await read('yaml', { api: { a: 1 } })).result).toEqual({ yaml: '{\n  "a": 1\n}' });
	});

	test.each([
		['json', 'openapi: 3.0.0', 'JSON'],
		['json', [], 'JSON'],
		['yaml', ' ', 'YAML'],
		['yaml', '<html>Sign in</html>', 'YAML'],
		['yaml', 5, 'YAML'],
	])('as %s, %j is none', async (format, body, name) => {
		const { result } = await read(format, { api: body });
		expect(result).toBeInstanceOf(UnexpectedAnswer);
		expect(result).toMatchObject({ message: expect.stringContaining(`description as ${name}`) });
	});
});

test('D15: types that refer to each other in circles cost linear time', async () => {
	const names = Array.from({ length: 400 }, (_, n) => `Type${n}`);
	const references = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
	const schemas = Object.fromEntries(
		names.map((name) => [
			name,
			{ properties: { type: { const: name } }, oneOf: references, allOf: references },
		]),
	);
	let found: ReturnType<typeof describedFieldTypes> = [];
	const least = await leastOf(500, async () => {
		return await workMs(() => {
			found = describedFieldTypes({ ...create(references[0] ?? {}), components: { schemas } });
		});
	});
	expect(least).toBeLessThan(500);
	expect(found).toEqual(names);
});
