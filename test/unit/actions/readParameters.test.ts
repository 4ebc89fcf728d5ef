import { openParameters } from '../../../nodes/WorkspaceData/actions/readParameters';

/** The parameters of a node as n8n gives them: texts that begin with `=` are computed for each item. */
function contextOf(parameters: Record<string, unknown>) {
	const computed: string[] = [];
	const evaluate = (value: unknown, item: number): unknown => {
		if (typeof value === 'string') return value.startsWith('=') ? `${value} ${item}` : value;
		if (typeof value !== 'object' || value === null) return value;
		if (Array.isArray(value)) return value.map((part) => evaluate(part, item));
		const parts = Object.entries(value).map(([key, part]) => [key, evaluate(part, item)]);
		return Object.fromEntries(parts);
	};
	const getNodeParameter = (
		name: string,
		item: number,
		fallback?: unknown,
		options?: { rawExpressions?: boolean },
	): never => {
		const raw = parameters[name] ?? fallback;
		if (options?.rawExpressions) return raw as never;
		computed.push(`${name} ${item}`);
		return evaluate(raw, item) as never;
	};
	return { context: { getNodeParameter }, computed };
}

const properties = [{ displayName: 'Limit', name: 'limit', type: 'number', default: 50 }] as const;

describe('the parameters of the items', () => {
	test.each([
		['a text', 'open'],
		['a number', 5],
		['an object', { mappingMode: 'defineBelow', value: { a: 'x = 1', b: null } }],
		['a list', [{ name: 'a' }, { name: 'b' }]],
	])('%s without an expression is read once for all items', (_, value) => {
		const { context, computed } = contextOf({ chosen: value });
		const read = openParameters(context, { properties });
		expect([0, 1, 2].map((item) => read('chosen', item))).toEqual([value, value, value]);
		expect(computed).toEqual(['chosen 0']);
	});

	test.each([
		['a text', '=x', (item: number): unknown => `=x ${item}`],
		[
			'a part of an object',
			{ value: { a: [1, '=x'] } },
			(item: number): unknown => ({ value: { a: [1, `=x ${item}`] } }),
		],
	])('%s that is an expression is read for each item', (_, value, expected) => {
		const { context, computed } = contextOf({ chosen: value });
		const read = openParameters(context, { properties });
		expect([1, 0, 2].map((item) => read('chosen', item))).toEqual([1, 0, 2].map(expected));
		expect(computed).toHaveLength(3);
	});

	test('a parameter that is not set has its default, read once', () => {
		const { context, computed } = contextOf({});
		const read = openParameters(context, { properties });
		expect([read('limit', 4), read('limit', 5)]).toEqual([50, 50]);
		expect(computed).toEqual(['limit 0']);
	});
});
