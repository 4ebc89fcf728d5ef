/** The field types that an OpenAPI document names. */
import { describedFieldTypes } from '../../../nodes/WorkspaceData/transport/apiDescription';
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
