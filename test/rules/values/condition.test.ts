/** The conditions of filters. */
import fc from 'fast-check';
import {
	checkCondition,
	conditionTest as testIn,
	containsText,
} from '../../../nodes/WorkspaceData/values/condition';
import { InputError } from '../../../nodes/WorkspaceData/values/inputError';
import { CONDITIONS } from '../../../nodes/WorkspaceData/values/kind';
import { field } from './field';
import { zone } from './zone';

const conditionTest = (condition: string, expected: unknown) =>
	testIn(condition, expected, field('F', 'a type of the future'), { zone });

test.each<[unknown, string, unknown, boolean]>([
	[['a', 'b'], 'equals', 'b', false],
	[['a'], 'equals', ['a'], true],
	[{ a: 1 }, 'equals', '{"a":1}', true],
	// Lists and objects have no order, whatever is in them.
	[[[0]], 'lessOrEqual', 0, false],
	[[{ valueOf: 0 }], 'greaterThan', 1, false],
	['2026-01-01T00:00:00Z', 'equals', '2026-01-01T02:00:00+02:00', false],
	['Straße 5', 'contains', 'STRASSE', false],
	['Straße 5', 'contains', 'straße', true],
	[null, 'contains', 'null', false],
	[['Open', 'Done'], 'contains', 'op', true],
	['Abc', 'startsWith', 'aB', true],
	['Abc', 'endsWith', 'BC', true],
	['2026-01-01', 'greaterThan', 2025, false],
	[9, 'greaterThan', 9, false],
	[9, 'greaterOrEqual', '9', true],
	[[], 'isEmpty', undefined, true],
	[0, 'isEmpty', undefined, false],
])('%j %s %j is %s', (actual, condition, expected, result) => {
	expect(conditionTest(condition, expected)(actual)).toBe(result);
});

const WITH_VALUE = CONDITIONS.filter((condition) => !condition.endsWith('mpty'));

test.each(WITH_VALUE)('%s: nothing to compare with is refused, whatever the field', (condition) => {
	for (const nothing of [undefined, null, '', '  ', '\u00a0', ' \u200b\t', []])
		expect(() => checkCondition(condition, nothing)).toThrow("'Value' is empty");
	for (const gap of [[' '], ['a', null]])
		expect(() => checkCondition(condition, gap)).toThrow('has an empty entry');
	const unusable = ['Invalid DateTime', new Date(NaN), NaN, Infinity, 2 ** 63];
	for (const one of [...unusable, ...unusable.map((value) => ['a', value])])
		expect(() => checkCondition(condition, one)).toThrow(
			"'Value' in a condition of 'Filters' can't",
		);
});

test.each<[string, unknown, string]>([
	['isLike', 'a', "'Condition' can't be 'isLike'"],
	['isNoneOf', '[ ]', "'Value' is empty"],
	['isAnyOf', '["a", ""]', 'has an empty entry'],
	['inLastDays', 'many', 'can\'t be "many"'],
	['inNextDays', true, "can't be true"],
])('%s %j is refused without knowing the field', (condition, value, message) => {
	expect(() => checkCondition(condition, value)).toThrow(message);
});

test('whatever records hold, a condition is met or not, and its opposite says the opposite', () => {
	const opposites = new Map([
		['equals', 'notEquals'],
		['contains', 'notContains'],
		['isEmpty', 'isNotEmpty'],
		['isAnyOf', 'isNoneOf'],
	]);
	/** Undefined for a value to compare with that is refused. */
	const meets = (condition: string, expected: unknown, actual: unknown) => {
		let test: (stored: unknown) => boolean;
		try {
			test = conditionTest(condition, expected);
		} catch (error) {
			expect(error).toBeInstanceOf(InputError);
			expect(condition).not.toMatch(/mpty$/);
			return undefined;
		}
		return test(actual);
	};
	fc.assert(
		fc.property(
			fc.constantFrom(...CONDITIONS),
			fc.jsonValue(),
			fc.jsonValue(),
			(condition, actual, expected) => {
				const met = meets(condition, expected, actual);
				expect([true, false, undefined]).toContain(met);
				const opposite = opposites.get(condition);
				if (opposite === undefined) return;
				expect(meets(opposite, expected, actual)).toBe(met === undefined ? met : !met);
			},
		),
	);
});

test.each(['contains', 'notContains', 'startsWith', 'endsWith', 'greaterThan', 'lessOrEqual'])(
	'%s refuses a list or an object: Does Not Contain would hit every record',
	(condition) => {
		for (const entered of [['a'], ['a', 'b'], [null], { x: 1 }]) {
			for (const type of ['text', 'number', 'date', 'single_select', 'json', 'of the future']) {
				expect(() => testIn(condition, entered, field('F', type), { zone })).toThrow(
					/'Value' .*in a condition of 'Filters'/,
				);
			}
		}
	},
);

/** A time of the 31st, the day that these tests take for today. */
const at = (time: string) => `2026-03-31T${time}`;
const days = (...ends: string[]) => ends.map((end) => `2026-${end}`);

describe('by the kind of the field', () => {
	const RATED = [0, 1, 2, 3, 4].map((value) => ({ value, label: String(value + 1) }));
	const NAMED = ['red', 'blue', 'Red, white'].map((name, place) => ({ id: `o${place}`, name }));
	const fields = {
		code: field('Code', 'text'),
		amount: field('Amount', 'number'),
		due: field('Due', 'date'),
		at: field('At', 'datetime'),
		rating: field('Rating', 'select', RATED),
		color: field('Color', 'select', NAMED),
		tags: field('Tags', 'multi_select', NAMED),
		done: field('Done', 'checkbox'),
		open: field('Open', 'multi_select'),
		extra: field('Extra', 'json'),
		new: field('New', 'a type of the future'),
	};
	type Name = keyof typeof fields;
	const find = (
		name: Name,
		condition: string,
		value: unknown,
		records: unknown[],
		isExact = true,
	) => records.filter(testIn(condition, value, fields[name], { zone, isExact }));
	const edges = ['2026-03-30T21:59:59Z', '2026-03-30T22:00:00Z', at('21:59:59Z'), at('22:00:00Z')];
	const [red, both, Rw] = [['red'], ['blue', 'red'], ['Red, white']];
	const LONG = '12345678901234567890';
	const json = [{ size: 'XL' }, ['XL', 'L'], ['L'], 'XL'];

	test.each<[Name, string, unknown, unknown[], unknown[]]>([
		['code', 'greaterThan', 10, ['N/A', '9', '11', '-', ''], ['11']],
		['amount', 'greaterThan', 10, ['ten', '9', 10, 11], [11]],
		['amount', 'notEquals', 7, [7, '7.0', '7,0', { value: 7 }], ['7,0', { value: 7 }]],
		['amount', 'equals', LONG, [LONG, `${LONG}0`, '12345678901234567891'], [LONG]],
		['amount', 'greaterThan', LONG, [LONG, 1e3, '12345678901234567891'], ['12345678901234567891']],
		['due', 'greaterThan', '2026-03-31', ['1.4.2026', 20_260_401, '2026-04-01'], days('04-01')],
		// A part of a text is looked for as entered, a date as the field keeps it.
		['due', 'contains', '2026-03', days('03-31', '04-01'), days('03-31')],
		['due', 'contains', new Date('2026-03-31T00:00:00Z'), days('03-31', '04-01'), days('03-31')],
		['at', 'greaterThan', '2026-03-31', [at('00:00:00Z'), 'later', 9e15], [at('00:00:00Z')]],
		['new', 'greaterThan', 9, ['10', 7, 'z', null], ['10']],
		// What is shown as 2 is stored as 1.
		['rating', 'isAnyOf', ['2', '5'], [0, 1, 2, 3, 4], [1, 4]],
		['color', 'equals', 'red', ['o0', 'red', 'blue', 'gone', ''], ['o0', 'red']],
		['color', 'notEquals', 'red', ['o0', 'red', 'blue', 'gone', ''], ['blue', 'gone', '']],
		// Identifiers, which nobody sees, don't contain a text.
		['color', 'contains', 'O', ['o0', 'o1', 'gone'], ['gone']],
		['color', 'contains', 'RE', ['o0', 'o1', 'red'], ['o0', 'red']],
		// Sets
		['tags', 'equals', 'blue; red', [both, red, ['o0', 'o1']], [both, ['o0', 'o1']]],
		['tags', 'contains', 'red', [red, both, Rw, []], [red, both]],
		['tags', 'isAnyOf', ['red', 'Red, white'], [['blue'], Rw], [Rw]],
		['tags', 'isNoneOf', ['red'], [['blue'], red, []], [['blue'], []]],
		['open', 'contains', '7', [7, [7], 8, null], [7, [7]]],
		// Days, today being 2026-03-31
		['due', 'inLastDays', 7, days('03-24', '03-25', '04-01'), days('03-25')],
		['due', 'inNextDays', '1', [...days('03-30', '03-31', '04-01'), null], days('03-31')],
		['at', 'inLastDays', 1, edges, edges.slice(1, 3)],
		// A part of JSON is looked for in an object, and in each entry of a list.
		['extra', 'contains', 'xl', json, [{ size: 'XL' }, ['XL', 'L'], 'XL']],
		['extra', 'contains', '","', json, []],
		['code', 'isAnyOf', '["a, b"]', ['a', 'b', 'a, b'], ['a, b']],
	])('%s %s %j of %j are %j', (name, condition, value, records, found) => {
		expect(find(name, condition, value, records)).toEqual(found);
	});

	test('a search finds nothing in an empty value, and no identifiers', () => {
		for (const { name } of Object.values(fields)) {
			const has = containsText(field(name), 'e');
			expect([null, undefined, '', [], 'here'].filter(has)).toEqual(['here']);
		}
		expect(['o2'].filter(containsText(fields.color, 'o2'))).toEqual([]);
	});

	test('where records are only read, a text with commas names several, and case is ignored', () => {
		const found = (name: Name, value: string, records: unknown[]) =>
			find(name, 'isAnyOf', value, records, false);
		const tags = [['red'], ['blue'], ['Red, white']];
		expect(found('tags', 'RED, blue', tags)).toEqual([['red'], ['blue']]);
		expect(found('tags', 'Red, white', tags)).toEqual([['Red, white']]);
		expect(found('code', 'a, b', ['a', 'b', 'a, b'])).toEqual(['a', 'b']);
		for (const gap of ['a,', ',a', 'a,,b', 'a,  ,b', ' ,a'])
			expect(() => found('code', gap, ['a'])).toThrow('has an empty entry');
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
		['code', 'lessThan', '01.06.2026', "isn't a field for dates or numbers"],
		['extra', 'greaterThan', '{"a":1}', "isn't a field for dates or numbers"],
		['amount', 'equals', '7,0', 'can\'t hold "7,0"'],
		// Destructive means exact.
		['tags', 'equals', 'RED', 'can\'t hold "RED"'],
		['tags', 'equals', ',', "can't hold"],
		['color', 'equals', 'gone', 'can\'t hold "gone"'],
		['color', 'notEquals', 'gone', 'can\'t hold "gone"'],
		['color', 'isNoneOf', ['red', 'gone'], 'can\'t hold "gone"'],
		['color', 'equals', { id: 7 }, "can't hold"],
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
