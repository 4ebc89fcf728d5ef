import fc from 'fast-check';
import {
	type Condition,
	CONDITIONS,
	conditionTest as testIn,
} from '../../../../nodes/WorkspaceData/model/value/condition';
import { isEmpty } from '../../../../nodes/WorkspaceData/model/value/comparison';
import { field } from '../fields';

/** Two hours east of Greenwich. */
const toUtc = (local: string) =>
	new Date(`${local.includes('T') ? local : `${local}T00:00`}+02:00`).toISOString();
const conditionTest = (condition: Condition | string, expected: unknown) =>
	testIn(condition, expected, field('F', 'a type of the future'), toUtc);

test.each<[unknown, string, unknown, boolean]>([
	['a', 'equals', 'a', true],
	['a', 'equals', 'A', false],
	[5, 'equals', '5', true],
	[5, 'equals', '5.0', true],
	[0, 'equals', '', false],
	[0, 'equals', ' ', false],
	[0, 'equals', '0', true],
	[false, 'equals', 'false', true],
	[false, 'equals', false, true],
	[true, 'equals', 'false', false],
	[null, 'equals', '', true],
	[undefined, 'equals', 'x', false],
	[['a', 'b'], 'equals', 'b', true],
	[['a'], 'equals', ['a'], true],
	[{ a: 1 }, 'equals', '{"a":1}', true],
	['2026-01-01T00:00:00Z', 'equals', '2026-01-01T02:00:00+02:00', true],
	['a', 'notEquals', 'a', false],
	[undefined, 'notEquals', 'a', true],
	['Straße 5', 'contains', 'STRASSE', false],
	['Straße 5', 'contains', 'straße', true],
	[125, 'contains', '2', true],
	[null, 'contains', 'null', false],
	[['Open', 'Done'], 'contains', 'op', true],
	['abc', 'notContains', 'x', true],
	[null, 'notContains', 'x', true],
	['Abc', 'startsWith', 'aB', true],
	['Abc', 'startsWith', 'bc', false],
	[null, 'startsWith', 'nu', false],
	[undefined, 'endsWith', 'undefined', false],
	[null, 'endsWith', 'ULL', false],
	[[null, 'nut'], 'startsWith', 'nu', true],
	['Abc', 'endsWith', 'BC', true],
	[10, 'greaterThan', '9', true],
	['10', 'greaterThan', '9', false],
	['9', 'greaterThan', 10, false],
	['11', 'greaterThan', 10, true],
	['9.0', 'equals', 9, true],
	['many', 'equals', 9, false],
	['2026-01-01', 'greaterThan', 2025, true],
	[9, 'greaterThan', 9, false],
	[9, 'greaterOrEqual', '9', true],
	['2026-03-31', 'lessThan', '2026-04-01', true],
	['2026-03-31T09:30:00Z', 'lessThan', '2026-03-31T11:31', true],
	['2026-03-31T09:30:00Z', 'greaterThan', '2026-03-31 11:31', false],
	['2026-03-31T09:30:00Z', 'equals', '2026-03-31T11:30:00', true],
	['2026-03-30T22:00:00Z', 'greaterOrEqual', '2026-03-31', true],
	['2026-03-30T21:59:59Z', 'greaterOrEqual', '2026-03-31', false],
	['2026-03-30T22:00:00', 'lessThan', '2026-03-31', false],
	['2026-03-31T09:30:00Z', 'greaterThan', 'soon', false],
	['2026-03-31T10:00:00Z', 'lessThan', '2026-03-31T11:30:00+02:00', false],
	[3, 'lessOrEqual', '3', true],
	[null, 'lessThan', '3', false],
	[3, 'lessThan', 'three', false],
	['', 'isEmpty', undefined, true],
	[[], 'isEmpty', undefined, true],
	[null, 'isEmpty', undefined, true],
	[0, 'isEmpty', undefined, false],
	[false, 'isEmpty', undefined, false],
	[0, 'isNotEmpty', undefined, true],
])('%j %s %j is %s', (actual, condition, expected, result) => {
	expect(conditionTest(condition, expected)(actual)).toBe(result);
});

test.each([
	'contains',
	'notContains',
	'startsWith',
	'endsWith',
	'greaterThan',
	'greaterOrEqual',
	'lessThan',
	'lessOrEqual',
])("'%s' needs a value to compare with", (condition) => {
	expect(() => conditionTest(condition, '')).toThrow(
		"'Value' is empty in a condition of 'Filters'",
	);
});

test('an unknown condition of a saved workflow is refused', () => {
	expect(() => conditionTest('isLike', 'a')).toThrow("'Condition' cannot be 'isLike'");
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
				fc.pre(!isEmpty(expected));
				expect(conditionTest(yes, expected)(actual)).toBe(!conditionTest(no, expected)(actual));
			},
		),
	);
});

test.each([
	['lessOrEqual', [[0]], [{ toString: 0 }]],
	['greaterThan', [{ valueOf: 0 }], 1],
	['equals', 5, [{ toString: 0 }]],
] as const)(
	'%s: lists and objects have no order, whatever is in them: %j',
	(...[condition, actual, expected]) => {
		expect(conditionTest(condition, expected)(actual)).toBe(false);
	},
);

test('no condition throws, whatever the record holds', () => {
	fc.assert(
		fc.property(
			fc.constantFrom(...CONDITIONS),
			fc.jsonValue(),
			fc.jsonValue(),
			(condition, actual, expected) => {
				fc.pre(!isEmpty(expected));
				expect(typeof conditionTest(condition, expected)(actual)).toBe('boolean');
			},
		),
	);
});
