/** What each kind of value offers people: conditions, inputs of the editor, and how an entry is sent. */
import { KINDS, kindOfType } from '../../../nodes/WorkspaceData/values/kinds/allKinds';
import { field } from './field';

const EQUALITY = 'equals notEquals isEmpty isNotEmpty';
const ANY_OF = 'isAnyOf isNoneOf';
const PARTS = 'contains notContains';
const ENDS = 'startsWith endsWith';
const ORDER = 'greaterThan greaterOrEqual lessThan lessOrEqual';
const DAYS = 'inLastDays inNextDays';

test.each<[string, boolean, string[]]>([
	['checkbox', true, [EQUALITY]],
	['number', true, [EQUALITY, ANY_OF, ORDER]],
	['date', true, [EQUALITY, ANY_OF, ORDER, DAYS]],
	['datetime', true, [EQUALITY, ANY_OF, ORDER, DAYS]],
	['select', true, [EQUALITY, ANY_OF, PARTS]],
	['multi_select', false, [EQUALITY, ANY_OF, PARTS]],
	['json', false, [EQUALITY, PARTS]],
	['text', true, [EQUALITY, ANY_OF, PARTS, ENDS]],
	['a type of the future', true, [EQUALITY, ANY_OF, PARTS, ENDS, ORDER]],
])('%s: records can be matched by it: %s; its conditions are %j', (type, canMatch, groups) => {
	const { conditions, input } = kindOfType(type);
	expect([...conditions].sort()).toEqual(groups.join(' ').split(' ').sort());
	expect(input.canMatch).toBe(canMatch);
});

test.each([
	['boolean', 'bool CHECKBOX yes_no yes-no'],
	['number', 'numeric integer int float double decimal currency percent'],
	['date', 'date_only Date-Only'],
	['datetime', 'date_time DateTime date_and_time'],
	['choice', 'single_select select enum dropdown single-choice'],
	['choices', 'multi_select multiple_select multichoice multiple_choice multi_enum'],
	['json', 'object'],
	['text', 'long_text short_text rich_text string email url phone textarea'],
	['unknown', 'emoji numbers '],
])('%s: as services call it', (name, types) => {
	for (const type of [name.toUpperCase(), ` ${name}`, ...types.split(' ')])
		expect([type, kindOfType(type)]).toEqual([type, kindOfType(name)]);
});

test('no type has two kinds', () => {
	const types = KINDS.flatMap(({ types, narrowTypes = [] }) => [...types, ...narrowTypes]);
	expect(new Set(types).size).toBe(types.length);
});

test('how the editor asks: a filter offers choices of several, and has words for the order of times', () => {
	const { filterValues } = kindOfType('multi_select').input;
	const colors = field('Colors', 'multi_select', [{ id: 'o1', name: 'red' }]);
	expect(filterValues?.(colors)).toEqual([{ name: 'red', value: 'red' }]);
	const { conditionNames = {} } = kindOfType('date').input;
	expect(Object.keys(conditionNames).sort()).toEqual(ORDER.split(' ').sort());
});

const LONGEST = 'x'.repeat(2_000);
test.each([
	[['a', 'c'], ': a, c'],
	// As a user enters it.
	[['a, b', 'c'], ': ["a, b","c"]'],
	[[LONGEST], `: ${LONGEST}`],
	[[`${LONGEST}y`], `: ${LONGEST}…`],
])(
	'the label of several choices %j is %j: those with commas in a list, cut if it is long',
	(options, label) => {
		const { hint } = kindOfType('multi_select').input;
		expect(hint?.(field('F', 'multi_select', options))).toBe(label);
	},
);
