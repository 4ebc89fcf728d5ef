import fc from 'fast-check';
import {
	checkCondition,
	conditionTest as testIn,
	containsText,
} from '../../../nodes/WorkspaceData/values/condition';
import { CONDITIONS } from '../../../nodes/WorkspaceData/values/kinds/kind';
import { InputError } from '../../../nodes/WorkspaceData/values/inputError';
import { isBlank, isEmpty } from '../../../nodes/WorkspaceData/values/emptyValue';
import { field } from '../model/fields';
import { zone } from './zone';
import { refusal } from '../refusal';

/** A time of the 31st, the day that these tests take for today. */
const at = (time: string) => `2026-03-31T${time}`;
const days = (...ends: string[]) => ends.map((end) => `2026-${end}`);

const conditionTest = (condition: string, expected: unknown) =>
	testIn(condition, expected, field('F', 'a type of the future'), { zone });

test.each<[unknown, string, unknown, boolean]>([
	[['a', 'b'], 'equals', 'b', false],
	[['a'], 'equals', ['a'], true],
	[{ a: 1 }, 'equals', '{"a":1}', true],
	// Lists and objects have no order, whatever is in them.
	[[[0]], 'lessOrEqual', 0, false],
	[[{ valueOf: 0 }], 'greaterThan', 1, false],
	[5, 'equals', [{ toString: 0 }], false],
	['2026-01-01T00:00:00Z', 'equals', '2026-01-01T02:00:00+02:00', false],
	['Straße 5', 'contains', 'STRASSE', false],
	['Straße 5', 'contains', 'straße', true],
	[null, 'contains', 'null', false],
	[['Open', 'Done'], 'contains', 'op', true],
	['Abc', 'startsWith', 'aB', true],
	['Abc', 'startsWith', 'bc', false],
	[null, 'startsWith', 'nu', false],
	['Abc', 'endsWith', 'BC', true],
	[10, 'greaterThan', '9', true],
	['2026-01-01', 'greaterThan', 2025, false],
	[9, 'greaterThan', 9, false],
	[9, 'greaterOrEqual', '9', true],
	[[], 'isEmpty', undefined, true],
	[0, 'isEmpty', undefined, false],
])('%j %s %j is %s', (actual, condition, expected, result) => {
	expect(conditionTest(condition, expected)(actual)).toBe(result);
});

test.each<readonly [string, unknown, string]>([
	['isLike', 'a', "'Condition' can't be 'isLike'"],
	['equals', undefined, "'Value' is empty"],
	['contains', '', "'Value' is empty"],
	...['notEquals', 'notContains', 'greaterThan', 'isNoneOf', 'equals'].flatMap((condition) =>
		['  ', '\u00a0', ' \u200b\t', null].map(
			(blank) => [condition, blank, "'Value' is empty"] as const,
		),
	),
	['notEquals', [' '], 'has an empty entry'],
	['isNoneOf', [], "'Value' is empty"],
	['isNoneOf', '[ ]', "'Value' is empty"],
	['isAnyOf', 'a,,b', 'has an empty entry'],
	['isAnyOf', '["a", ""]', 'has an empty entry'],
	['inLastDays', 'many', 'can\'t be "many"'],
	['inNextDays', true, "can't be true"],
])('%s %j is refused without knowing the field', (condition, value, message) => {
	expect(() => checkCondition(condition, value)).toThrow(message);
});

test.each([
	['isEmpty', undefined],
	['equals', 0],
	['isAnyOf', 'a, b'],
	['inNextDays', '7'],
])('%s %j may fit some field', (condition, value) => {
	expect(checkCondition(condition, value)).toBe(condition);
});

test('every pair of opposite conditions says the opposite, for any values', () => {
	const pairs = [
		['equals', 'notEquals'],
		['contains', 'notContains'],
		['isEmpty', 'isNotEmpty'],
	] as const;
	fc.assert(
		fc.property(
			fc.constantFrom(...pairs),
			fc.jsonValue(),
			fc.jsonValue(),
			([yes, no], actual, expected) => {
				const isList = yes === 'contains' && typeof expected === 'object';
				const isMissing = [expected].flat().some((one) => isBlank(one));
				fc.pre(!isEmpty(expected) && !isMissing && !isList);
				expect(conditionTest(yes, expected)(actual)).toBe(!conditionTest(no, expected)(actual));
			},
		),
	);
});

test.each(
	['contains', 'notContains', 'startsWith', 'endsWith', 'greaterThan', 'lessOrEqual'].flatMap(
		(condition) =>
			[['a'], [], ['a', 'b'], [null], { x: 1 }].map((entered) => ({ condition, entered })),
	),
)(
	'$condition refuses the list or object $entered: Does Not Contain would hit every record',
	({ condition, entered }) => {
		for (const type of ['text', 'number', 'date', 'single_select', 'json', 'of the future']) {
			expect(() => testIn(condition, entered, field('F', type), { zone, isExact: true })).toThrow(
				/'Value' .*in a condition of 'Filters'/,
			);
		}
	},
);

describe('a value that is none of its field’s kind, where records are chosen to be changed', () => {
	const options = [
		{ id: 'o1', name: 'Low' },
		{ id: 'o2', name: 'High' },
	];
	test.each<[string, unknown, unknown[]]>([
		['number', 7, ['7,0', { value: 7 }, [7], true]],
		['boolean', true, ['yes', 'on', [true], 2]],
		['date', '2026-03-31', ['31/03/2026', 1774915200000]],
		['datetime', '2026-03-31T10:00:00Z', ['today', 1774915200000]],
		['single_select', 'Low', ['low', ' Low', ['Low'], { id: 'o1', name: 'High' }, { name: 'low' }]],
		['multi_select', 'Low', ['low', [{ id: 'o3' }], ['High', ['o1']]]],
		['text', 'a', [{ text: 'a' }, ['a']]],
	])("%s: it can't be told that it isn't %j", (type, entered, stored) => {
		const about = field('F', type, /select/.test(type) ? options : []);
		for (const condition of ['notEquals', 'isNoneOf'] as const) {
			const given = condition === 'isNoneOf' ? [entered] : entered;
			const exact = testIn(condition, given, about, { zone, isExact: true });
			expect(stored.map((one) => exact(one))).toEqual(stored.map(() => undefined));
			const shown = testIn(condition, given, about, { zone });
			expect(stored.map((one) => shown(one))).toEqual(stored.map(() => true));
		}
	});

	test.each<[string, string, unknown[], unknown[]]>([
		['notContains', 'Low', [['o1'], 'Lost', 'o2', 'o1', ''], [undefined, true, true, false, true]],
		// A choice that was taken out of the list is another one, and an empty value is none.
		['notEquals', 'Low', ['Lost', 9, 'o2', 'o1', 'Low'], [true, true, true, false, false]],
		// A choice that is kept with its identifier and label is that choice.
		['equals', 'Low', [{ id: 'o1', name: 'Low' }, { value: 'o1' }], [true, true]],
		['equals', 'Low', [{ label: 'Low' }, { id: 'o2', name: 'High' }], [true, false]],
		['equals', 'Low', [{ id: 'o1', name: 'High' }], [false]],
		// Identifiers, which nobody sees, don't contain a text.
		['contains', 'LO', ['o1', 'o2', 'Low', 'o3'], [true, false, true, false]],
		['contains', 'o', ['o1', 'o2', { id: 'o1', name: 'Low' }], [true, false, true]],
		['contains', '1', ['o1', 'o2', 'o3'], [false, false, false]],
	])('a choice %s %s: of %j, %j', (condition, entered, stored, expected) => {
		const about = field('F', 'single_select', options);
		const meets = testIn(condition, entered, about, { zone, isExact: true });
		expect(stored.map((one) => meets(one))).toEqual(expected);
		expect(stored.filter(containsText(about, 'o2'))).toEqual([]);
	});
});

test('a condition that can be read never throws, whatever the records hold', () => {
	fc.assert(
		fc.property(
			fc.constantFrom(...CONDITIONS),
			fc.jsonValue(),
			fc.jsonValue(),
			(condition, actual, expected) => {
				let met: (stored: unknown) => boolean | undefined;
				try {
					met = conditionTest(condition, expected);
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
					return;
				}
				expect(typeof met(actual)).toBe('boolean');
			},
		),
	);
});

describe('conditions by the kind of the field', () => {
	const RATED = [0, 1, 2, 3, 4].map((value) => ({ value, label: String(value + 1) }));
	const NAMED = ['red', 'blue', 'Red, white'].map((name, place) => ({ id: `o${place}`, name }));
	const fields = {
		code: field('Code', 'text'),
		amount: field('Amount', 'number'),
		due: field('Due', 'date'),
		at: field('At', 'datetime'),
		rating: field('Rating', 'select', RATED),
		tags: field('Tags', 'multi_select', NAMED),
		done: field('Done', 'checkbox'),
		open: field('Open', 'single_select'),
		extra: field('Extra', 'json'),
		new: field('New', 'a type of the future'),
	};
	type Name = keyof typeof fields;
	type Find = [condition: string, value: unknown, records: unknown[], isExact?: boolean];
	const find = (name: Name, ...[condition, value, records, isExact = true]: Find) =>
		records.filter(testIn(condition, value, fields[name], { zone, isExact }));
	const edges = ['2026-03-30T21:59:59Z', '2026-03-30T22:00:00Z', at('21:59:59Z'), at('22:00:00Z')];
	const [red, both, Rw] = [['red'], ['blue', 'red'], ['Red, white']];

	test.each<[Name, string, unknown, unknown[], unknown[]]>([
		['code', 'greaterThan', 10, ['N/A', '9', '11', '-', ''], ['11']],
		['amount', 'greaterThan', 10, ['ten', '9', 10, 11], [11]],
		['due', 'greaterThan', '2026-03-31', ['1.4.2026', 20_260_401, '2026-04-01'], days('04-01')],
		['at', 'greaterThan', '2026-03-31', [at('00:00:00Z'), 'later', 9e15], [at('00:00:00Z')]],
		['new', 'greaterThan', 9, ['10', 7, 'z', null], ['10']],
		// What is shown as 2 is stored as 1.
		['rating', 'isAnyOf', ['2', '5'], [0, 1, 2, 3, 4], [1, 4]],
		['rating', 'isNoneOf', ['2', '5'], [0, 1, 4, null], [0, null]],
		// Sets
		['tags', 'contains', 'red', [red, both, Rw, []], [red, both]],
		['tags', 'isAnyOf', ['red', 'Red, white'], [['blue'], Rw], [Rw]],
		['tags', 'isNoneOf', ['red'], [['blue'], red, []], [['blue'], []]],
		// Days, today being 2026-03-31
		['due', 'inLastDays', 7, days('03-24', '03-25', '04-01'), days('03-25')],
		['due', 'inNextDays', '1', days('03-30', '03-31', '04-01'), days('03-31')],
		['at', 'inLastDays', 1, edges, edges.slice(1, 3)],
	])('%s %s %j of %j are %j', (name, condition, value, records, found) => {
		expect(find(name, condition, value, records)).toEqual(found);
	});

	test('a choice in another case is found where records are only read', () => {
		expect(find('tags', 'equals', 'RED', [['red'], ['blue']], false)).toEqual([['red']]);
	});

	test('a part of JSON is looked for in an object, and in each entry of a list', () => {
		const stored = [{ size: 'XL' }, ['XL', 'L'], ['L'], 'XL'];
		expect(find('extra', 'contains', 'xl', stored)).toEqual([{ size: 'XL' }, ['XL', 'L'], 'XL']);
		expect(find('extra', 'contains', '","', stored)).toEqual([]);
	});

	test('a search finds nothing in an empty value', () => {
		for (const { name } of Object.values(fields)) {
			const has = containsText(field(name), 'e');
			expect([null, undefined, '', [], 'here'].filter(has)).toEqual(['here']);
		}
	});

	test('a part of a text is looked for as entered, a date as the field keeps it', () => {
		for (const part of ['2026-03', new Date('2026-03-31T00:00:00Z')]) {
			expect(find('due', 'contains', part, days('03-31', '04-01'))).toEqual(days('03-31'));
		}
	});

	test('one choice that a service keeps without a list is found as one', () => {
		const open = field('Open', 'multi_select');
		expect([7, [7], 8, null].filter(testIn('contains', '7', open, { zone }))).toEqual([7, [7]]);
	});

	test('a text with commas names several, where records are only read', () => {
		const found = (value: string) =>
			find('tags', 'isAnyOf', value, [['red'], ['blue'], ['Red, white']], false);
		expect(found('red, blue')).toEqual([['red'], ['blue']]);
		expect(found('Red, white')).toEqual([['Red, white']]);
		expect(find('code', 'isAnyOf', 'a, b', ['a', 'b', 'a, b'], false)).toEqual(['a', 'b']);
		const quoted = '"a,,b", "c"",d"';
		expect(find('code', 'isAnyOf', quoted, ['a,,b', 'c",d', 'a'], false)).toEqual(['a,,b', 'c",d']);
		for (const gap of ['a,', ',a', 'a,,b', 'a,  ,b', ' ,a']) {
			expect(() => find('code', 'isAnyOf', gap, ['a'], false)).toThrow('has an empty entry');
		}
		expect(find('code', 'isAnyOf', '["a, b"]', ['a', 'b', 'a, b'])).toEqual(['a, b']);
	});

	test.each<[Name, string, unknown, string]>([
		['code', 'isAnyOf', 'a, b', 'one value with commas or several'],
		['due', 'inLastDays', 0, "can't be 0"],
		['due', 'inLastDays', 1.5, "can't be 1.5"],
		['due', 'inNextDays', 1e9, "can't be 1000000000"],
		['code', 'inLastDays', 3, "can't be compared in this way"],
		['tags', 'greaterThan', 'red', "can't be compared in this way"],
		['tags', 'contains', ['red', 'blue'], 'has several entries'],
		// As an expression gives it for a property that is missing.
		['tags', 'contains', [undefined], 'has an empty entry'],
		['tags', 'equals', '["red", " "]', 'has an empty entry'],
		['code', 'lessThan', '01.06.2026', "isn't a field for dates or numbers"],
		['extra', 'greaterThan', '{"a":1}', "isn't a field for dates or numbers"],
		// Destructive means exact.
		['tags', 'equals', 'RED', 'can\'t hold "RED"'],
		['rating', 'equals', '0', 'can\'t hold "0"'],
		['open', 'equals', { id: 7 }, "can't hold"],
		['tags', 'equals', ',', "can't hold"],
	])('%s %s %j is refused', (name, condition, value, message) => {
		expect(() => find(name, condition, value, [])).toThrow(message);
	});

	test.each(['greaterThan', 'greaterOrEqual', 'lessThan', 'lessOrEqual'])(
		'%s is never met by empty, null and unreadable values of any kind',
		(condition) => {
			const [day, time] = ['2026-03-31', at('10:00:00Z')];
			const operands = { code: '10', amount: 10, due: day, at: time, rating: '2', done: true };
			const records = [null, undefined, '', [], {}, { a: 1 }, [[10]], 'N/A', ['2026-03-31']];
			for (const [name, operand] of Object.entries({ ...operands, new: 10 })) {
				expect([name, find(name as Name, condition, operand, records)]).toEqual([name, []]);
			}
		},
	);
});

describe('a choice whose label is the identifier of another one', () => {
	const chained = field('F', 'select', [
		{ id: 'a', name: 'b' },
		{ id: 'b', name: 'cherry' },
	]);
	test('a stored value is read by its identifier', () => {
		expect(['a', 'b'].map(testIn('contains', 'cherry', chained, { zone }))).toEqual([false, true]);
	});

	test('what is entered for both is refused, and both are named', () => {
		expect(() => testIn('equals', 'b', chained, { zone })).toThrow(
			refusal(
				"'b' matches 2 choices of field 'F' ('Value' of a condition in 'Filters')",
				/'cherry' .stored as '?b/,
			),
		);
	});
});
