import {
	openParameters,
	readChoice,
	readJson,
	readJsonObject,
	readLimit,
	readSwitch,
	requireEntries,
	requireText,
} from '../../../nodes/WorkspaceData/actions/readParameters';

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

	describe('a switch or a choice that an expression decides (H27)', () => {
		const decisions = [
			{ displayName: 'Dry Run', name: 'dryRun', type: 'boolean', default: false },
			{ displayName: 'Mode', name: 'mode', type: 'options', default: 'all', options: [] },
			{ displayName: 'Note', name: 'note', type: 'string', default: '' },
		] as const;
		const inOptions = [
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				default: {},
				options: decisions,
			},
		] as const;
		/** What n8n gives where all expressions give `value`. */
		const giving = (raw: unknown, value: unknown) => {
			const getNodeParameter = (...[, , , options]: unknown[]): never => {
				if ((options as { rawExpressions?: boolean }).rawExpressions) return raw as never;
				const evaluate = (part: unknown): unknown => {
					if (typeof part === 'string') return part.startsWith('=') ? value : part;
					if (Array.isArray(part)) return part.map(evaluate);
					if (typeof part !== 'object' || part === null) return part;
					return Object.fromEntries(Object.entries(part).map(([key, own]) => [key, evaluate(own)]));
				};
				return evaluate(raw) as never;
			};
			return { getNodeParameter };
		};

		test.each([
			['dryRun', undefined, 'Dry Run'],
			['dryRun', null, 'Dry Run'],
			['mode', undefined, 'Mode'],
		])('%s is refused where it gives %j, also among the options', (name, nothing, label) => {
			const refusal = expect.objectContaining({
				message: `'${label}' has no value`,
				description: `The expression of '${label}' returns no value. Correct it, or select a fixed value.`,
			});
			const alone = openParameters(giving('={{ $json.a }}', nothing), { properties: decisions });
			expect(() => alone(name, 1)).toThrow(refusal);
			const raw = { note: 'x', [name]: '={{ $json.a }}' };
			const together = openParameters(giving(raw, nothing), { properties: inOptions });
			expect(() => together('options', 1)).toThrow(refusal);
		});

		test.each([
			['a list of entries', [{ note: '=x' }, { note: 'x', mode: '={{ $json.a }}' }]],
			['one entry', { mode: '={{ $json.a }}' }],
		])('it is refused in %s; parts that are not set keep their defaults', (_, entries) => {
			const inEntries = [
				{
					displayName: 'Entries',
					name: 'entries',
					type: 'fixedCollection',
					default: {},
					options: [{ displayName: 'Entry', name: 'entry', values: [...decisions] }],
				},
			] as const;
			const read = openParameters(giving({ entry: entries }, undefined), { properties: inEntries });
			expect(() => read('entries', 0)).toThrow("'Mode' has no value");
			const notSet = openParameters(giving({ entry: [{ note: '=x' }] }, undefined), {
				properties: inEntries,
			});
			expect(notSet('entries', 0)).toEqual({ entry: [{ note: undefined }] });
		});

		test.each([false, '', 'maybe'])('%j is for the operation to read', (value) => {
			const read = openParameters(giving('=x', value), { properties: decisions });
			expect(read('dryRun', 0)).toBe(value);
		});

		test('others may give nothing, and so may what no expression decides', () => {
			const read = openParameters(giving('=x', null), { properties: decisions });
			expect(read('note', 0)).toBeNull();
			const raw = { note: '=x', dryRun: null };
			const options = openParameters(giving(raw, undefined), { properties: inOptions });
			expect(options('options', 0)).toEqual({ note: undefined, dryRun: null });
		});
	});

	test('n8n is asked not to convert values: it would lose nulls', () => {
		const asked: unknown[][] = [];
		const getNodeParameter = (...given: unknown[]): never => asked.push(given) as never;
		openParameters({ getNodeParameter } as never, { properties })('limit', 3);
		expect(asked).toEqual([
			['limit', 0, 50, { rawExpressions: true }],
			['limit', 0, 50, { skipValidation: true }],
		]);
	});
});

describe('values that expressions give', () => {
	const choice = {
		displayName: 'Mode',
		options: [
			{ name: 'One', value: 'one' },
			{ name: 'Two', value: 'two' },
		],
	} as const;

	test('a choice is one of its list, or none', () => {
		expect(readChoice(choice, 'two')).toBe('two');
		expect(readChoice(choice, undefined)).toBeUndefined();
		expect(readChoice(choice, null)).toBeUndefined();
		expect(() => readChoice(choice, 'Two')).toThrow(
			expect.objectContaining({
				message: "'Mode' cannot be 'Two'",
				description: 'Choose one of: One, Two.',
			}),
		);
		expect(() => readChoice(choice, '')).toThrow("'Mode' cannot be ''");
	});

	test.each([
		[true, false, true],
		['true', false, true],
		[false, true, false],
		['false', true, false],
		[undefined, true, true],
		[undefined, false, false],
		[null, true, true],
	])('a switch of %j, else %s, is %s', (value, fallback, expected) => {
		expect(readSwitch('Switch', value, fallback)).toBe(expected);
	});

	test.each([['yes'], [1], [0], ['']])('a switch of %j is refused', (value) => {
		expect(() => readSwitch('Switch', value, true)).toThrow(`'Switch' cannot be '${value}'`);
	});

	test('a text that must not be empty', () => {
		expect(requireText(' a ', 'Name')).toBe(' a ');
		expect(requireText(0, 'Name')).toBe('0');
		for (const empty of ['', '  ', null, undefined, {}, true]) {
			expect(() => requireText(empty, 'Name')).toThrow("'Name' is empty");
		}
	});

	test('a collection that must not be empty', () => {
		const entries = { a: undefined };
		expect(requireEntries(entries, 'Changes')).toBe(entries);
		expect(() => requireEntries({}, 'Changes')).toThrow("'Changes' is empty");
	});

	test.each([
		[true, 5, Infinity],
		['true', 'nonsense', Infinity],
		[false, 5, 5],
		[undefined, 1, 1],
		[false, '20', 20],
	])('with Return All %s, a limit of %s is %s', (returnAll, limit, expected) => {
		expect(readLimit(returnAll, limit)).toBe(expected);
	});

	test.each([0, -1, 1.5, 'x', Infinity])('a limit of %s is refused', (limit) => {
		const advice = (returnAll: unknown) => {
			try {
				return readLimit(returnAll, limit);
			} catch (error) {
				return error;
			}
		};
		expect(advice(undefined)).toMatchObject({
			message: `'Limit' must be a whole number of at least 1, not '${limit}'`,
			description: 'Enter 1 or more.',
		});
		expect(advice(false)).toMatchObject({
			description: "Enter 1 or more, or turn on 'Return All'.",
		});
	});

	test('JSON may come as a text, or as what an expression made of it', () => {
		expect(readJson('{"a":[1]}', 'Body')).toEqual({ a: [1] });
		expect(readJson('null', 'Body')).toBeNull();
		expect(readJson({ a: 1 }, 'Body')).toEqual({ a: 1 });
		expect(readJson(0, 'Body')).toBe(0);
		for (const nothing of ['', '  ', null, undefined]) {
			expect(readJson(nothing, 'Body')).toBeUndefined();
		}
		expect(() => readJson('{a:1}', 'Body')).toThrow("'Body' is not valid JSON");
		expect(() => readJson('[12345678901234567890]', 'Body')).toThrow(
			"'Body' has a number with more digits than JSON numbers keep",
		);
	});

	test('a JSON object is an object, and nothing is an empty one', () => {
		expect(readJsonObject('{"a":1}', 'Body')).toEqual({ a: 1 });
		expect(readJsonObject('', 'Body')).toEqual({});
		for (const other of ['[1]', '5', '"text"', [1], 'true']) {
			expect(() => readJsonObject(other, 'Body')).toThrow("'Body' is not a JSON object");
		}
	});
});
