/** What each kind of value offers people: conditions, inputs of the editor, and how an entry is sent. */
import { KINDS, kindOfType } from '../../../nodes/WorkspaceData/values/kinds/allKinds';
import { enter } from './sent';
import { field } from '../model/fields';
import { zone } from './zone';

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
	const types = KINDS.flatMap((kind) => [
		...(kind.types ?? []),
		...kind.newTypes.flatMap(({ names }) => names),
	]);
	expect(new Set(types).size).toBe(types.length);
	expect(new Set(types.map(kindOfType)).size).toBe(KINDS.length - 1);
});

test('how the editor asks: a filter offers choices of several, and has words for the order of times', () => {
	const { filterValues } = kindOfType('multi_select').input;
	const colors = field('Colors', 'multi_select', [{ id: 'o1', name: 'red' }]);
	expect(filterValues?.(colors)).toEqual([{ name: 'red', value: 'red' }]);
	const { conditionNames = {} } = kindOfType('date').input;
	expect(Object.keys(conditionNames).sort()).toEqual(ORDER.split(' ').sort());
});

test('several choices: a label of more than 2,000 characters is cut', () => {
	const { hint } = kindOfType('multi_select').input;
	const label = (name: string) => hint?.(field('F', 'multi_select', [{ name }]));
	const longest = 'x'.repeat(2_000);
	expect([label(longest), label(`${longest}y`)]).toEqual([`: ${longest}`, `: ${longest}…`]);
});

test.each<[unknown[], 'noOffset' | undefined, string]>([
	[['2026-03-31T10:00', null, '2026-03-31'], 'noOffset', '2026-03-31T10:00'],
	[['2026-03-31T10:00', '2026-03-31T10:00Z'], undefined, '2026-03-31T08:00:00.000Z'],
	[['2026-03-31T10:00', 'soon'], undefined, '2026-03-31T08:00:00.000Z'],
])('times where records hold %j (%s): 10:00 is sent as %s', (stored, habit, sent) => {
	expect(kindOfType('datetime').habitOf?.(stored)).toBe(habit);
	const filled = { ...field('F', 'datetime'), habit };
	expect(enter(filled, ' 2026-03-31T10:00', { emptyValues: 'send', zone })).toBe(sent);
});

test('an object that is made to fit a new text field is sent as text', () => {
	const rules = { emptyValues: 'send', zone, fits: true } as const;
	expect(enter(field('F', 'text'), { a: [1] }, rules)).toBe('{"a":[1]}');
});
