/** How much of a service's description is looked at: as much as any service has, and no more. */
import { describedFieldTypes } from '../../../nodes/WorkspaceData/transport/apiDescription';

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
