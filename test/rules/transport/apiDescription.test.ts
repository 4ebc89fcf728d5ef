/** The field types that an OpenAPI document names. */
import { describedFieldTypes } from '../../../nodes/WorkspaceData/transport/apiDescription';
import { leastOf, workMs } from '../../support/cpuTime.mts';

const types = ['text', 'number'];
const fields = (operations: unknown) => ({
	paths: { '/workspaces/{wid}/cards/{cid}/fields': operations },
});
const create = (schema: object) =>
	fields({ post: { requestBody: { content: { 'application/json': { schema } } } } });
const type = (property: object) => ({ properties: { type: property } });
const schemas = (named: object) => ({ components: { schemas: named } });
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test.each<[string, object]>([
	['in the request', create(type({ enum: types }))],
	['behind a reference', { ...create(to('X')), ...schemas({ X: type({ enum: types }) }) }],
	['one alternative each', create({ oneOf: types.map((one) => type({ const: one })) })],
	['as alternatives', create(type({ anyOf: types.map((one) => ({ enum: [one] })) }))],
	['in parts', create({ allOf: [{ properties: { name: {} } }, type({ enum: types })] })],
])('the description names field types %s', (_, document) => {
	expect(describedFieldTypes({ ...document })).toEqual(types);
});

test.each<[string, object]>([
	['an empty document', {}],
	['types that are free text', create(type({ type: 'string' }))],
	['references in a circle', { ...create(to('A')), ...schemas({ A: { allOf: [to('A')] } }) }],
	['references to nowhere or to a prototype', create({ $ref: '#/constructor/prototype' })],
	['another schema with a type', schemas({ CardField: type({ enum: ['x'] }) })],
	['null in every place', { paths: null, components: null }],
	['a schema without properties', create({ properties: null })],
	["values that aren't text", create(type({ enum: [1, null], const: 5 }))],
	['a reference to another document', create({ $ref: 'other.json#/paths' })],
])('no types from %s', (_, document) => {
	expect(describedFieldTypes({ ...document })).toStrictEqual([]);
});

test('types that refer to each other in circles cost linear time', async () => {
	const names = Array.from({ length: 400 }, (_, n) => `Type${n}`);
	const all = names.map(to);
	const circles = names.map((name) => [name, { ...type({ const: name }), oneOf: all, allOf: all }]);
	const document = { ...create(to('Type0')), ...schemas(Object.fromEntries(circles)) };
	let found: ReturnType<typeof describedFieldTypes> = [];
	const least = await leastOf(500, async () => {
		return await workMs(() => (found = describedFieldTypes(document)));
	});
	expect(least).toBeLessThan(500);
	expect(found).toEqual(names);
});
