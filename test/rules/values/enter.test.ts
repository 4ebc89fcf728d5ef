/** What is sent for what people enter, or why it is refused. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { runInNewContext } from 'node:vm';
import { enter } from '../../../nodes/WorkspaceData/values/entry';
import type { EntryRules } from '../../../nodes/WorkspaceData/values/kind';
import { localTime } from '../../../nodes/WorkspaceData/records/timeZone';
import { refusal } from '../refusal';
import { field } from './field';
import { zone } from './zone';

const status = ['Open', 'In Work', 'Done'];
const labelled = [
	{ id: 'o1', name: 'Open' },
	{ value: 'd', label: 'Done' },
	{ value: 'lost', label: 'Lost' },
];
const SILVER = { id: 20, name: 'Silver' };
const convert = (type: string, value: unknown, options: unknown = [], rules = {}) =>
	enter(field('F', type, options), value, { zone, ...rules });

const TEXT_TYPES = ['text', 'long_text', 'phone', 'email', 'url', 'json', 'of the future', ''];
const OTHER_TYPES = 'number boolean date datetime single_select multi_select'.split(' ');
const TYPES = [...TEXT_TYPES, ...OTHER_TYPES];

test.each(TYPES)('%j: null clears, undefined changes nothing', (type) => {
	expect([null, undefined].map((value) => convert(type, value, status))).toEqual([null, undefined]);
});

const treatments = ['send', 'clear', 'ignore'] as const;

test.each(TEXT_TYPES)("%j: empty text is a value, unless 'Empty Values' says otherwise", (type) => {
	const each = (value: unknown) =>
		treatments.map((emptyValues) => convert(type, value, [], { emptyValues }));
	expect(each('')).toEqual(['', null, undefined]);
	expect(each(' ')).toEqual([' ', ' ', ' ']);
});

test.each(OTHER_TYPES)(
	'%s: empty text and spaces are refused, unless an option says more',
	(type) => {
		for (const entered of ['', ' ', '\u00a0\t']) {
			expect(() => convert(type, entered, status)).toThrow(
				refusal(
					"Field 'F' can't hold empty text",
					"Select 'Ignore' or 'Clear the Field' in 'Empty Values'.",
				),
			);
			expect(convert(type, entered, status, { emptyValues: 'clear' })).toBeNull();
			expect(convert(type, entered, status, { emptyValues: 'ignore' })).toBeUndefined();
			expect(convert(type, entered, status, { addsFields: true })).toBeUndefined();
		}
	},
);

test.each(TYPES)('%j: an empty value to match on is null', (type) => {
	const blanks = ['', ' ', [], null, undefined];
	expect(blanks.map((one) => convert(type, one, status, { isExact: true }))).toEqual(
		blanks.map(() => null),
	);
});

/** A date as the Code node of n8n 1 makes it: its class is not our Date. */
const sandboxDate = (text: string): unknown => runInNewContext(`new Date('${text}')`);

test.each<[string, unknown, unknown, unknown[]?]>([
	['text', 0, '0'],
	['text', new Date('2026-03-31T10:00:00Z'), '2026-03-31T10:00:00.000Z'],
	['number', '12.5', 12.5],
	['number', '9007199254740991', 9007199254740991],
	['number', ' 1e3 ', 1000],
	['boolean', 'False', false],
	['boolean', ' True ', true],
	['boolean', '1', true],
	['boolean', '0', false],
	['number', 0.1234567, 0.1234567],
	['date', '2026-03-31T23:30:00-05:00', '2026-03-31'],
	['date', new Date('2026-03-31T00:00:00Z'), '2026-03-31'],
	// Midnight in the zone of these tests, two hours ahead of UTC.
	['date', new Date('2026-03-30T22:00:00Z'), '2026-03-31'],
	['date', DateTime.fromISO('2026-03-31T23:30:00-05:00', { setZone: true }), '2026-03-31'],
	['date', sandboxDate('2026-03-31T00:00:00Z'), '2026-03-31'],
	['datetime', '2026-03-31T14:30:00Z', '2026-03-31T14:30:00Z'],
	['datetime', ' 2026-03-31T10:00-0530 ', '2026-03-31T10:00:00-05:30'],
	['datetime', DateTime.fromISO('2026-03-31T14:30:00Z').toUTC(), '2026-03-31T14:30:00.000Z'],
	['datetime', '2026-03-31t14:30:00.000+0530', '2026-03-31T14:30:00.000+05:30'],
	['datetime', '2026-03-31 14:30:00.5+00', '2026-03-31T14:30:00.5+00:00'],
	['datetime', '2026-03-31T14:30:00', '2026-03-31T12:30:00.000Z'],
	['datetime', '2026-03-31', '2026-03-30T22:00:00.000Z'],
	['datetime', '2026-03-31T14:30:00.123456', '2026-03-31T12:30:00.123456Z'],
	['single_select', 'in work', 'In Work', status],
	['single_select', 'anything', 'anything', []],
	['single_select', 'o1', 'Open', labelled],
	['single_select', 'DONE', 'd', labelled],
	['single_select', 1, 1, [{ value: 1, label: 'Low' }]],
	['single_select', 20, 'Silver', [SILVER]],
	['single_select', 2024, '2024', ['2024', '2025']],
	['single_select', true, 'true', ['true', 'false']],
	['single_select', ['2024'], '2024', ['2024', '2025']],
	['single_select', [], null, status],
	['single_select', { id: 'o1', value: 'Open' }, 'Open', labelled],
	['single_select', { id: 'gone', label: 'Done' }, 'd', labelled],
	['single_select', '20', '20', [SILVER, { id: 7, name: '20' }]],
	['single_select', 'Gro\u0308\u00dfe', 'Gr\u00f6\u00dfe', ['Gr\u00f6\u00dfe']],
	['multi_select', [], [], status],
	['multi_select', 'Done, lost', ['d', 'lost'], labelled],
	['multi_select', [{ name: 'Lost' }, 'd'], ['lost', 'd'], labelled],
	['multi_select', { value: 'd' }, ['d'], labelled],
	['multi_select', 'Open\r\nDone\n', ['Open', 'Done'], status],
	['multi_select', 'a; b', ['a; b'], ['a', 'b', 'a; b']],
	['multi_select', 'c; a, b; a,b', ['c', 'a, b', 'a,b'], ['a, b', 'a,b', 'c']],
	['multi_select', '["Open"]', ['Open'], status],
	['multi_select', '[]', [], status],
	['multi_select', 'Open, open,Done', ['Open', 'Done'], status],
	['json', '{"a":[1,null]}', { a: [1, null] }],
	['json', 'just text', 'just text'],
	['of the future', { any: 'thing' }, { any: 'thing' }],
])('%s: %j is sent as %j', (...[type, value, sent, options]) => {
	expect(convert(type, value, options)).toEqual(sent);
});

const DATE_LOST = /date that couldn't be read/;

test.each<[string, unknown, RegExp, unknown[]?]>([
	...OTHER_TYPES.slice(0, 4).flatMap(
		(type): Array<[string, unknown, RegExp]> => [
			[type, { value: 'a' }, /^This is an object\. .* \{\{ \$json\.status\.value \}\}\.$/],
			[type, ['Yes'], /^This is a list\. .* \{\{ \$json\.tags\[0\] \}\}\.$/],
			[type, [], /^This is a list/],
		],
	),
	['text', { value: 'a' }, /This is an object\..*\.value.*JSON\.stringify/],
	['email', ['a', 'b'], /This is a list\..*\.join\(', '\)/],
	...TYPES.flatMap(
		(type): Array<[string, unknown, RegExp]> => [
			[type, NaN, /finite/],
			[type, -Infinity, /finite/],
			[type, new Date(NaN), /valid dates/],
			[type, DateTime.invalid('x'), /valid dates/],
			[type, 'Invalid DateTime', DATE_LOST],
			[type, 2 ** 63, /too many digits.*Enter it as text/],
			[type, 10n, /finite/],
		],
	),
	['json', { a: [1, Infinity] }, /finite/],
	['json', { a: [Symbol('a')] }, /Enter text/],
	['multi_select', [new Date(NaN)], /valid dates/, []],
	['multi_select', ['Open', 'Invalid DateTime'], DATE_LOST, status],
	['number', true, /number/],
	['number', new Date(0), /^Enter a number/],
	['number', '1,5', /with a decimal point/],
	['number', '1e400', /No number is that large/],
	['boolean', 2, /true or false/],
	['boolean', '10', /true or false/],
	['date', new Date('2026-03-31T10:00:00Z'), /time of the day.*toFormat\('yyyy-MM-dd'\)/],
	['date', '2026-03-04T99:99', /YYYY-MM-DD/],
	['date', 1774915200000, /YYYY-MM-DD.*DateTime\.fromMillis\(1774915200000\)/],
	['datetime', 1774915200, /ISO 8601.*DateTime\.fromSeconds\(1774915200\)/],
	['datetime', 'tomorrow', /^Enter an ISO 8601 timestamp[^{]*$/],
	['date', '2026-02-29', /YYYY-MM-DD/],
	['date', '2026-1-10', /YYYY-MM-DD/],
	['datetime', '2026-03-31Z', /ISO 8601/],
	['datetime', '2026-03-31T10:00+99:00', /ISO 8601/],
	['datetime', 'on 2026-03-31', /ISO 8601/],
	['datetime', '2021-07-19T24:00:00Z', /ISO 8601/],
	['datetime', '2026-03-29T02:60', /ISO 8601/],
	['json', '{b:2}', /isn't valid JSON/],
	['json', '{"id":12345678901234567890}', /quotes/],
	['single_select', { id: 9, name: 'Lost' }, /\.value/, status],
	['single_select', { id: 'o1', name: 'Done' }, /This is an object/, labelled],
	['single_select', ['Open', 'Done'], /^Enter one choice\. Allowed values are 'Open'/, status],
	['single_select', '20', /^Allowed values are 'Silver'\.$/, [SILVER]],
	['single_select', 'Lost', /^Allowed values are 'Open', 'In Work', 'Done'\.$/, status],
	['single_select', 'OPEN', /Allowed values/, ['Open', 'open']],
	['multi_select', "['Open','Done']", /Allowed values/, status],
	['multi_select', 'Open; Lost', /Allowed values/, status],
	['multi_select', ',', /Allowed values are 'Open'.*empty list clears/, status],
])('%s: %p is refused with what the field accepts', (...[type, value, expected, options]) => {
	expect(() => convert(type, value, options)).toThrow(refusal(/^Field 'F' can't hold/, expected));
});

test.each([
	[{ formats: {} }, " Or select 'Add to the Field' in 'If Choice Is Missing'."],
	[{ formats: {}, addsChoices: true }, ''],
	// A condition adds none.
	[{}, ''],
])(
	"a choice that the field doesn't have: %j shows a way out, until it is selected",
	(rules, way) => {
		const refused = refusal(/can't hold/, `Allowed values are 'Open'.${way}`);
		expect(() => convert('select', 'Lost', ['Open'], rules)).toThrow(refused);
	},
);

test('what two choices fit is refused with both', () => {
	const swapped = [
		{ id: '1', name: '2' },
		{ id: '2', name: '1' },
	];
	expect(() => convert('select', '1', swapped)).toThrow(
		refusal(
			"'1' matches 2 choices of field 'F'",
			/^It matches '1' \(ID '2'\) and '2' \(ID '1'\)\./,
		),
	);
	const values = [
		{ value: 'a', name: 'b' },
		{ value: 'b', name: 'c' },
	];
	expect(() => convert('select', 'b', values)).toThrow(
		refusal(/matches 2 choices/, /'c' \(stored as 'b'\) and 'b' \(stored as 'a'\)/),
	);
});

test('many choices and long labels are cut in messages', () => {
	const many = Array.from({ length: 50 }, (_, place) => `Option ${place} ${'x'.repeat(100_000)}`);
	for (const entered of ['x', many[0]?.toUpperCase().slice(1), [...many.slice(0, 2)]]) {
		try {
			convert('single_select', entered, many);
			throw new Error('not refused');
		} catch (error) {
			const { message, description } = error as { message: string; description: string };
			expect(description).toContain('and 30 more');
			expect(message.length + description.length).toBeLessThan(2_500);
		}
	}
});

test.each([
	[
		'2026-03-29T02:30',
		'Europe/Berlin',
		/^Clocks in the workflow's time zone skip this time.*offset/,
	],
	['9999-12-31T23:59:59', 'America/New_York', /^In UTC this is beyond the year 9999/],
])('the time %s in %s is refused', (time, name, expected) => {
	const there = localTime({ getTimezone: () => name });
	expect(() => convert('datetime', time, [], { zone: there })).toThrow(
		refusal(`Field 'F' can't hold "${time}"`, expected),
	);
});

test.each<[string, EntryRules['formats'], number]>([
	['007', {}, 7],
	['-01', {}, -1],
	[' 01.50', {}, 1.5],
	['+49893334455', {}, 49893334455],
	['01067', { number: 'comma' }, 1067],
	['+49 351 123 456', { number: 'commaSpaced' }, 49351123456],
	['12345678901234567890', {}, Number('12345678901234567890')],
])('number: the text %j of an item (%j) may be a code, and is refused', (text, formats, number) => {
	expect(() => convert('number', text, [], { formats })).toThrow(
		refusal(/can't hold/, `As a number it would become ${number}. Use a text field for it.`),
	);
	// Filters read it, a long one by its digits.
	if (!formats?.number) {
		const digits = Number.isSafeInteger(number) || number % 1 ? number : text;
		expect(convert('number', text)).toBe(digits);
	}
});

test.each<[string, unknown, object?]>([
	['-0.50', -0.5],
	[' 0 ', 0],
	// To match on.
	[' 9007199254740993 ', '9007199254740993', { isExact: true }],
])('number: the text %j of an item is %j', (text, number, more = {}) => {
	expect(convert('number', text, [], { formats: {}, ...more })).toBe(number);
});

test('a long text with many commas takes time in proportion to its length', () => {
	const text = Array.from({ length: 50_000 }, (_, place) => place).join(',');
	expect(convert('multi_select', text)).toHaveLength(50_000);
});

const anyValue = fc.oneof(
	fc.jsonValue(),
	fc.anything({ withBigInt: true, withDate: true, withSparseArray: true }),
	fc.date(),
	fc.string(),
);

test('any value in any field is sent, left out or refused with a message; never lost silently', () => {
	fc.assert(
		fc.property(fc.constantFrom(...TYPES), anyValue, (type, value) => {
			try {
				const sent = convert(type, value, status);
				if (value !== undefined) expect(sent).not.toBeUndefined();
				const clears = value === null || (type === 'single_select' && [value].flat().length === 0);
				if (!clears) expect(sent).not.toBeNull();
			} catch (error) {
				expect(error).toMatchObject({ name: 'InputError', description: expect.any(String) });
			}
		}),
	);
});
