import {
	readText,
	requireText,
} from '../../../nodes/WorkspaceData/actions/operation/readParameters';
import {
	checkedValue,
	type ParameterDefinition,
} from '../../../nodes/WorkspaceData/values/checkedValue';

describe('values that expressions give', () => {
	const [one, two] = [
		{ name: 'One', value: 'one' } as const,
		{ name: 'Two', value: 'two' } as const,
	];
	const choice = { type: 'options', displayName: 'Mode', options: [one, two] };
	const readChoice = (value: unknown) => checkedValue(choice, 'raw', value);

	test('a choice is one of its list, or none', () => {
		expect(readChoice('two')).toBe('two');
		expect(readChoice(undefined)).toBeUndefined();
		expect(readChoice(null)).toBeUndefined();
		const error = { message: "'Mode' can't be 'Two'", description: 'Select one of: One, Two.' };
		expect(() => readChoice('Two')).toThrow(expect.objectContaining(error));
		expect(() => readChoice('')).toThrow("'Mode' can't be ''");
	});

	test('a text, which may have to be there', () => {
		for (const read of [readText, requireText]) {
			expect(read(' a ', 'Name')).toBe(' a ');
			expect(read(0, 'Name')).toBe('0');
			for (const other of [{}, true, NaN, ['a']])
				expect(() => read(other, 'Name')).toThrow("'Name' can't be");
		}
		expect(readText('', 'Name')).toBe('');
		for (const empty of ['', '  ', null, undefined])
			expect(() => requireText(empty, 'Name')).toThrow("'Name' is empty");
	});
});

describe('a parameter is checked by its definition', () => {
	const limit = { type: 'number', displayName: 'Limit', typeOptions: { minValue: 1 }, default: 5 };
	const timeout = { ...limit, displayName: 'Timeout', typeOptions: { minValue: 1, maxValue: 9 } };
	const body = { type: 'json', displayName: 'Body' };
	const dry = { type: 'boolean', displayName: 'Dry Run', name: 'dry', default: false };
	const mode = {
		...{ type: 'options', displayName: 'Mode', name: 'mode', default: 'a' },
		options: [{ name: 'A', value: 'a' }],
	};
	const field = { type: 'options', displayName: 'Field', name: 'field', default: '' };
	const events = {
		...{ type: 'multiOptions', displayName: 'Events' },
		options: [{ name: 'A', value: 'a' }],
	};
	const names = {
		...{ type: 'multiOptions', displayName: 'Fields' },
		typeOptions: { loadOptionsMethod: 'getFields' },
	};
	const listed = { ...field, typeOptions: { loadOptionsMethod: 'getFields' } };
	const options = { type: 'collection', displayName: 'Options', options: [dry, mode] };
	const sort = {
		...{ type: 'fixedCollection', displayName: 'Sort' },
		options: [{ name: 'by', values: [listed, mode] }],
	};

	test.each<[ParameterDefinition, unknown, unknown]>([
		[limit, '3', 3],
		[limit, null, 5],
		[body, '{"a":[1]}', { a: [1] }],
		[body, 'null', null],
		[body, { a: 1 }, { a: 1 }],
		[body, 0, 0],
		[body, '  ', undefined],
		[body, null, undefined],
		[body, '[12345678901234567890]', ['12345678901234567890']],
		[dry, 'false', false],
		[dry, null, false],
		[events, ['a'], ['a']],
		[names, 'a, b ,c', ['a', 'b', 'c']],
		[names, ' a b ', ['a b']],
		[names, ',a,, ', ['a']],
		[names, null, []],
		[names, 7, ['7']],
		// Names in a list may have outer spaces and commas.
		[names, [' a,b', '', ' ', 5], [' a,b', '5']],
		[options, {}, {}],
		[options, { dry: 'true', other: 1 }, { dry: true }],
		[sort, undefined, { by: [] }],
		[sort, { by: null }, { by: [] }],
		[sort, { by: { field: 'F' } }, { by: [{ field: 'F', mode: 'a' }] }],
	])('%j: %j is %j', (definition, value, expected) => {
		expect(checkedValue(definition, undefined, value)).toEqual(expected);
	});

	test.each<[ParameterDefinition, unknown, string]>([
		...[0, 1.5, 'x', '', Infinity].map((value): [ParameterDefinition, unknown, string] => [
			limit,
			value,
			`'Limit' must be a whole number of at least 1, not '${value}'`,
		]),
		[timeout, 10, "'Timeout' must be a whole number from 1 to 9, not '10'"],
		[body, '{a:1}', "'Body' isn't valid JSON"],
		...['yes', 1, 0, ''].map((value): [ParameterDefinition, unknown, string] => [
			dry,
			value,
			`'Dry Run' can't be '${value}'`,
		]),
		[events, ['a', 'b'], "'Events' can't be 'b'"],
		[options, { mode: 'b' }, "'Mode' can't be 'b'"],
		[sort, 5, "'Sort' can't be read"],
		[sort, { by: 5 }, "'Sort' can't be read"],
		[sort, { by: [{ field: 'F', mode: 7 }] }, "'Mode' can't be '7'"],
	])('%j: %j is refused', (definition, value, message) => {
		expect(() => checkedValue(definition, undefined, value)).toThrow(message);
	});

	test.each<[ParameterDefinition, unknown, unknown, string]>([
		[dry, '={{ $json.dry }}', null, 'Dry Run'],
		[limit, '={{ $json.limit }}', undefined, 'Limit'],
		[options, { mode: '={{ $json.mode }}' }, {}, 'Mode'],
		[sort, '={{ $json.sort }}', undefined, 'Sort'],
		[sort, { by: [{ field: '={{ 1 }}' }] }, { by: [{ field: null }] }, 'Field'],
		[sort, '={{ $json.sort }}', { by: [{ field: 'F', mode: null }] }, 'Mode'],
	])('%j: an expression %j without a value is refused', (definition, raw, value, label) => {
		expect(() => checkedValue(definition, raw, value)).toThrow(`'${label}' has no value`);
	});
});
