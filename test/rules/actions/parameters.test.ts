import {
	readChoice,
	readJson,
	readJsonObject,
	readLimit,
	readText,
	requestOptions,
	requireText,
} from '../../../nodes/WorkspaceData/actions/readParameters';
import { readSwitch } from '../../../nodes/WorkspaceData/values/parameterValue';

describe('values that expressions give', () => {
	const [one, two] = [
		{ name: 'One', value: 'one' } as const,
		{ name: 'Two', value: 'two' } as const,
	];
	const choice = { displayName: 'Mode', options: [one, two] };

	test('a choice is one of its list, or none', () => {
		expect(readChoice(choice, 'two')).toBe('two');
		expect(readChoice(choice, undefined)).toBeUndefined();
		expect(readChoice(choice, null)).toBeUndefined();
		const error = { message: "'Mode' can't be 'Two'", description: 'Select one of: One, Two.' };
		expect(() => readChoice(choice, 'Two')).toThrow(expect.objectContaining(error));
		expect(() => readChoice(choice, '')).toThrow("'Mode' can't be ''");
	});

	test.each([
		['false', true, false],
		[null, true, true],
	])('a switch of %j, else %s, is %s', (value, fallback, expected) => {
		expect(readSwitch('Switch', value, fallback)).toBe(expected);
	});

	test.each([['yes'], [1], [0], ['']])('a switch of %j is refused', (value) => {
		expect(() => readSwitch('Switch', value, true)).toThrow(`'Switch' can't be '${value}'`);
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

	test.each([
		[true, 5, Infinity],
		['true', 'nonsense', Infinity],
		[false, 1, 1],
	])('with Return All %s, a limit of %s is %s', (returnAll, limit, expected) => {
		expect(readLimit(returnAll, limit)).toBe(expected);
	});

	test("Return All is on or off: any other value doesn't return a part of the records", () => {
		expect(() => readLimit('yes', 50)).toThrow("'Return All' can't be 'yes'");
	});

	test.each([0, 1.5, 'x', Infinity])('a limit of %s is refused', (limit) => {
		const message = `'Limit' must be a whole number of at least 1, not '${limit}'`;
		for (const [returnAll, end] of [
			[undefined, ''],
			[false, ", or turn on 'Return All'"],
		]) {
			const error = { message, description: `Enter 1 or more${end}.` };
			expect(() => readLimit(returnAll, limit)).toThrow(expect.objectContaining(error));
		}
	});

	test('JSON may come as a text, or as what an expression made of it', () => {
		expect(readJson('{"a":[1]}', 'Body')).toEqual({ a: [1] });
		expect(readJson('null', 'Body')).toBeNull();
		expect(readJson({ a: 1 }, 'Body')).toEqual({ a: 1 });
		expect(readJson(0, 'Body')).toBe(0);
		for (const nothing of ['  ', null, undefined])
			expect(readJson(nothing, 'Body')).toBeUndefined();
		expect(() => readJson('{a:1}', 'Body')).toThrow("'Body' isn't valid JSON");
		expect(readJson('[12345678901234567890]', 'Body')).toEqual(['12345678901234567890']);
	});

	test('a JSON object is an object, and nothing is an empty one', () => {
		expect(readJsonObject('{"a":1}', 'Body')).toEqual({ a: 1 });
		expect(readJsonObject('', 'Body')).toEqual({});
		for (const other of ['[1]', '5', '"text"', [1], 'true']) {
			expect(() => readJsonObject(other, 'Body')).toThrow("'Body' isn't a JSON object");
		}
	});
});

describe('Timeout and Max Parallel Requests', () => {
	test.each([
		[{ timeout: '5' }, { timeoutMs: 5_000 }],
		[{ maxParallel: 3 }, { maxParallel: 3 }],
		[{ maxParallel: ' 0 ' }, {}],
		[{ maxParallel: undefined, timeout: null }, {}],
	])('%j is %j', (options, expected) => {
		expect(requestOptions(options)).toEqual(expected);
	});

	test.each([
		[{ timeout: 0 }, "'Timeout (Seconds)' must be a whole number from 1 to 86400, not '0'"],
		[{ timeout: 'x' }, "'Timeout (Seconds)' must be a whole number from 1 to 86400, not 'x'"],
		[{ maxParallel: -2 }, "'Max Parallel Requests' must be a whole number from 0 to 64, not '-2'"],
		[{ maxParallel: 65 }, "'Max Parallel Requests' must be a whole number from 0 to 64, not '65'"],
	])('%j is refused by its name', (options, message) => {
		expect(() => requestOptions(options)).toThrow(message);
	});
});
