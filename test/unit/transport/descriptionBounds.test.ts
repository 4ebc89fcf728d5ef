/** How much of a service's description is looked at: as much as any service has, and no more. */
import {
	describedFieldTypes,
	describedPageSize,
} from '../../../nodes/WorkspaceData/transport/apiDescription';

const limit = { name: 'limit', in: 'query', schema: { maximum: 70 } };
const path = '/cards/{cid}/records';

test.each([
	[9, 70],
	[10, undefined],
])('%d references that lead to one value: %s', (hops, expected) => {
	const entries = Array.from({ length: hops }, (_, n) => [
		`P${n}`,
		n + 1 < hops ? { $ref: `#/components/P${n + 1}` } : limit,
	]);
	const document = {
		components: Object.fromEntries(entries),
		paths: { [path]: { get: { parameters: [{ $ref: '#/components/P0' }] } } },
	};
	expect(describedPageSize(document)).toBe(expected);
});

test.each([
	[4_999, 70],
	[5_000, undefined],
])('%d other paths before it: %s', (count, expected) => {
	const others = Array.from({ length: count }, (_, n) => [`/p${n}`, {}]);
	const paths = { ...Object.fromEntries(others), [path]: { get: { parameters: [limit] } } };
	expect(describedPageSize({ paths })).toBe(expected);
});

test.each([
	[99, 70],
	[100, undefined],
])('%d other parameters before it: %s', (count, expected) => {
	const parameters = [...new Array<object>(count).fill({ name: 'other', in: 'query' }), limit];
	expect(describedPageSize({ paths: { [path]: { get: { parameters } } } })).toBe(expected);
});

test.each([
	[1_999, ['text']],
	[2_000, []],
])('a field type in a schema that %d others come before', (count, expected) => {
	const others = Array.from({ length: count }, (_, n) => ({ title: `T${n}` }));
	const last = { properties: { type: { const: 'text' } } };
	// The schema of the field itself is one of them.
	const Field = { oneOf: [...others.slice(1), last] };
	expect(describedFieldTypes({ components: { schemas: { Field } } })).toEqual(expected);
});
