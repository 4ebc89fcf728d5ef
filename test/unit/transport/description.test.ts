import {
	describedFieldTypes,
	describedPageSize,
} from '../../../nodes/WorkspaceData/transport/description';
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
])('no types from %s', (_, document) => expect(describedFieldTypes({ ...document })).toEqual([]));

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
	expect(found.length).toBeGreaterThan(100);
	expect(found.length).toBeLessThanOrEqual(200);
});

describe('the largest page', () => {
	const limit = { name: 'limit', in: 'query', schema: { $ref: '#/components/schemas/Limit' } };
	test('references are followed; parameters of the path count; Swagger 2 as well', () => {
		const components = {
			parameters: { Limit: limit },
			schemas: { Limit: { type: 'integer', maximum: 400 } },
		};
		const parameters = [{ $ref: '#/components/parameters/Limit' }];
		const path = '/workspaces/{wid}/cards/{cid}/records';
		expect(describedPageSize({ components, paths: { [path]: { get: { parameters } } } })).toBe(400);
		expect(describedPageSize({ components, paths: { [path]: { get: {}, parameters } } })).toBe(400);
		const old = [{ name: 'limit', in: 'query', type: 'integer', maximum: 70 }];
		expect(describedPageSize({ paths: { [path]: { get: { parameters: old } } } })).toBe(70);
	});
	test.each<[string, unknown]>([
		['references in a circle', { '/records': { $ref: '#/paths/~1records' } }],
		['a reference to itself', { '/records': { get: { $ref: '#' } } }],
		['a reference elsewhere', { '/records': { get: { $ref: 'https://x.example/' } } }],
		['lists for objects', [[], []]],
		['texts', { '/records': 'get' }],
		[
			'keys of all objects',
			{ '/records': { get: { parameters: [{ $ref: '#/constructor/prototype' }] } } },
		],
		[
			'other parameters',
			{ '/records': { get: { parameters: [{ name: 'limit', in: 'path' }, null, 5] } } },
		],
	])('%s: no maximum', (_, paths) => {
		expect(describedPageSize({ paths } as never)).toBeUndefined();
	});
	test('a million paths and parameters take no time', async () => {
		const paths = Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`/p${n}`, {}]));
		const parameters = new Array(1_000_000).fill({ name: 'x' });
		const work = await workMs(() => {
			expect(
				describedPageSize({ paths: { ...paths, '/records': { get: { parameters } } } }),
			).toBeUndefined();
			expect(describedPageSize({ paths: { '/records': { get: { parameters } } } })).toBeUndefined();
		});
		expect(work).toBeLessThan(5_000);
	});
});
