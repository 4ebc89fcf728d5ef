/** What each kind of value offers people: conditions, inputs of the editor, and how an entry is sent. */
import { KINDS, kindOfType } from '../../../../nodes/WorkspaceData/model/value/kinds/allKinds';
import { enter } from './sent';
import { field } from '../fields';
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

describe('how the editor asks', () => {
	test('a filter offers choices of several, too, and has words for the order of times', () => {
		const colors = field('Colors', 'multi_select', [{ id: 'o1', name: 'red' }]);
		const { input } = kindOfType('multi_select');
		expect(input.filterValues?.(colors)).toEqual([{ name: 'red', value: 'red' }]);
		const { conditionNames = {} } = kindOfType('date').input;
		expect(Object.keys(conditionNames).sort()).toEqual(ORDER.split(' ').sort());
	});

	test('several choices: a label of more than 2,000 characters is cut', () => {
		const label = (length: number) =>
			kindOfType('multi_select').input.hint?.(
				field('F', 'multi_select', [{ name: 'x'.repeat(length) }]),
			);
		expect(label(2_000)).toBe(`: ${'x'.repeat(2_000)}`);
		expect(label(2_001)).toBe(`: ${'x'.repeat(2_000)}…`);
	});
});

describe('entries that depend on what records hold', () => {
	test.each<[string, unknown[], string | undefined]>([
		['datetime', ['2026-03-31T10:00', null, '2026-03-31'], 'noOffset'],
		['datetime', ['2026-03-31T10:00', '2026-03-31T10:00Z'], undefined],
		['datetime', ['2026-03-31T10:00', 'soon'], undefined],
	])('%s: records hold %j: %s', (type, stored, habit) => {
		expect(kindOfType(type).habitOf?.(stored)).toBe(habit);
	});

	test.each<[string, 'noOffset' | undefined, unknown, unknown]>([
		['a type of the future', undefined, '12', '12'],
		['a type of the future', undefined, ['1'], ['1']],
		['datetime', 'noOffset', ' 2026-03-31T10:00', '2026-03-31T10:00'],
		['datetime', undefined, '2026-03-31T10:00', '2026-03-31T08:00:00.000Z'],
	])('%s, where records hold %s: %j is sent as %j', (type, habit, entered, sent) => {
		const filled = { ...field('F', type), habit };
		expect(enter(filled, entered, { emptyValues: 'send', zone })).toEqual(sent);
	});
});

describe('values that are made to fit a new field', () => {
	const rules = { emptyValues: 'send', zone, fits: true } as const;
	const fit = (type: string, entered: unknown, more = {}) =>
		enter(field('F', type), entered, { ...rules, ...more });

	test('in a text field all as text, elsewhere unchanged', () => {
		expect(fit('text', 7)).toBe('7');
		expect(fit('text', { a: [1] })).toBe('{"a":[1]}');
		expect(fit('text', 'a')).toBe('a');
		expect(() => fit('text', { a: [1] }, { fits: false })).toThrow("can't hold");
		expect(fit('json', { a: 1 })).toEqual({ a: 1 });
	});
});
