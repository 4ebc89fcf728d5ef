import fc from 'fast-check';
import { DateTime } from 'luxon';
import { runInNewContext } from 'node:vm';
import type { EntryRules } from '../../../nodes/WorkspaceData/values/kinds/kind';
import { enter } from './sent';
import { localTime } from '../../../nodes/WorkspaceData/transport/timeZone';
import { field } from '../model/fields';
import { zone } from './zone';
import { refusal } from '../refusal';

const rules: EntryRules = { emptyValues: 'send', zone };
const status = ['Open', 'In Work', 'Done'];
const labelled = [
	{ id: 'o1', name: 'Open' },
	{ value: 'd', label: 'Done' },
	{ value: 'lost', label: 'Lost' },
];
const SILVER = { id: 20, name: 'Silver' };
const convert = (type: string, value: unknown, options: unknown[] = []) =>
	enter(field('F', type, options), value, rules);

const TYPES = [
	...['text', 'long_text', 'number', 'boolean', 'date', 'datetime', 'single_select'],
	...['multi_select', 'email', 'url', 'json', 'a type of the future', ''],
];

/** A date as the Code node of n8n 1 makes it: its class is not our Date. */
const sandboxDate = (text: string): unknown => runInNewContext(`new Date('${text}')`);

const NO_TEXTS = 'number boolean date datetime single_select multi_select email'.split(' ');
test.each(NO_TEXTS)(
	'a cell of blanks is an empty one in a field of type %s, where the option says what becomes of these',
	(type) => {
		for (const blank of [' ', '\u00a0\t']) {
			const each = (emptyValues: EntryRules['emptyValues']) =>
				enter(field('F', type, status), blank, { ...rules, emptyValues });
			expect(each('clear')).toBeNull();
			expect(each('ignore')).toBeUndefined();
		}
	},
);

test.each(TYPES)('%j: null clears, undefined changes nothing', (type) => {
	expect([null, undefined].map((value) => convert(type, value, status))).toEqual([null, undefined]);
});

test.each(['text', 'long_text', 'phone', 'json', 'a type of the future', ''])(
	'%j: empty text is sent unchanged',
	(type) => expect(convert(type, '')).toBe(''),
);

test.each([...NO_TEXTS, 'url'])('%s: empty text is refused, unless values are adapted', (type) => {
	for (const entered of ['', ' ']) {
		expect(() => convert(type, entered, status)).toThrow(
			refusal(
				"Field 'F' can't hold empty text",
				"Select 'Ignore' or 'Clear the Field' in the option 'Empty Values'.",
			),
		);
		expect(enter(field('F', type, status), entered, { ...rules, fits: true })).toBeUndefined();
	}
});

test('empty text clears the field or is ignored where the option says so; nothing else does', () => {
	const each = (emptyValues: EntryRules['emptyValues']) =>
		['', null, '0', 'false', ' '].map((value) =>
			enter(field('F', 'text'), value, { ...rules, emptyValues }),
		);
	expect(each('clear')).toEqual([null, null, '0', 'false', ' ']);
	expect(each('ignore')).toEqual([undefined, null, '0', 'false', ' ']);
});

test.each<[string, unknown, unknown, unknown[]?]>([
	['text', 0, '0'],
	['number', '12.5', 12.5],
	['number', '9007199254740991', 9007199254740991],
	['boolean', 'False', false],
	['boolean', ' True ', true],
	['boolean', '1', true],
	['date', '2026-03-31T23:30:00-05:00', '2026-03-31'],
	['date', new Date('2026-03-31T00:00:00Z'), '2026-03-31'],
	// Midnight in the zone of these tests, two hours ahead of UTC.
	['date', new Date('2026-03-30T22:00:00Z'), '2026-03-31'],
	['date', DateTime.fromISO('2026-03-31T23:30:00-05:00', { setZone: true }), '2026-03-31'],
	['date', sandboxDate('2026-03-31T00:00:00Z'), '2026-03-31'],
	['datetime', '2026-03-31T14:30:00Z', '2026-03-31T14:30:00Z'],
	['datetime', DateTime.fromISO('2026-03-31T14:30:00Z').toUTC(), '2026-03-31T14:30:00.000Z'],
	['datetime', '2026-03-31T14:30:00.000+0530', '2026-03-31T14:30:00.000+05:30'],
	['datetime', '2026-03-31 14:30:00.5+00', '2026-03-31T14:30:00.5+00:00'],
	['datetime', '2026-03-31T14:30:00', '2026-03-31T12:30:00.000Z'],
	['datetime', '2026-03-31', '2026-03-30T22:00:00.000Z'],
	['datetime', '2026-03-31T14:30:00.123456', '2026-03-31T12:30:00.123456Z'],
	['single_select', 'in work', 'In Work', status],
	['single_select', 'anything', 'anything', []],
	['single_select', 'o1', 'o1', labelled],
	['single_select', 'DONE', 'd', labelled],
	['single_select', 1, 1, [{ value: 1, label: 'Low' }]],
	['single_select', 2024, '2024', ['2024', '2025']],
	['single_select', true, 'true', ['true', 'false']],
	['multi_select', 2024, ['2024'], ['2024', '2025']],
	['single_select', ['2024'], '2024', ['2024', '2025']],
	['multi_select', 'Done, lost', ['d', 'lost'], labelled],
	['single_select', { id: 'o1', value: 'Open' }, 'Open', labelled],
	['single_select', { id: 'gone', label: 'Done' }, 'd', labelled],
	['multi_select', [{ name: 'Lost' }, 'd'], ['lost', 'd'], labelled],
	['multi_select', { value: 'd' }, ['d'], labelled],
	['single_select', 'Open', 1, [{ value: 1, text: 'Open' }]],
	['multi_select', 'Open; Done', ['Open', 'Done'], status],
	['multi_select', 'Open\r\nDone\n', ['Open', 'Done'], status],
	['multi_select', 'a; b', ['a; b'], ['a', 'b', 'a; b']],
	// Text is a label, and never the text of a number.
	['single_select', '20', '20', [SILVER, { id: 7, name: '20' }]],
	['multi_select', '["Open"]', ['Open'], status],
	['multi_select', 'a, b', ['a, b'], ['a, b', 'c']],
	['multi_select', 'Open, open,Done', ['Open', 'Done'], status],
	['single_select', 'Gro\u0308\u00dfe', 'Gr\u00f6\u00dfe', ['Gr\u00f6\u00dfe']],
	['json', '{"a":[1,null]}', { a: [1, null] }],
	['json', 'just text', 'just text'],
	['a type of the future', { any: 'thing' }, { any: 'thing' }],
])('%s: %j is sent as %j', (...[type, value, sent, options]) => {
	expect(convert(type, value, options)).toEqual(sent);
});

test.each<[string, unknown, RegExp, unknown[]?]>([
	...['text', 'email', 'number', 'boolean', 'date', 'datetime'].flatMap(
		(type): Array<[string, unknown, RegExp]> => [
			[type, { value: 'a' }, /This is an object\..*\.value.*JSON\.stringify/],
			[type, ['a', 'b'], /This is a list\..*\.join\(', '\)/],
			[type, [], /This is a list/],
		],
	),
	['number', true, /number/],
	['number', 363228830310334460, /too many digits.*Enter it as text/],
	['boolean', 2, /true or false/],
	['date', new Date('2026-03-31T10:00:00Z'), /toISODate/],
	['json', '{b:2}', /isn't valid JSON/],
	['single_select', { id: 9, name: 'Lost' }, /\.value.*Allowed values are 'Open'/, status],
	['single_select', { id: 'o1', name: 'Done' }, /Allowed values/, labelled],
	['single_select', '20', /^The number 20 is 'Silver', its text isn't/, [SILVER]],
	['multi_select', "['Open','Done']", /Allowed values/, status],
	['multi_select', 'Open; Lost', /Allowed values/, status],
	['number', '1,5', /with a decimal point/],
	['number', '1e400', /number/],
	['number', Infinity, /finite/],
	['number', '12345678901234567890', /text field/],
	['json', '{"id":12345678901234567890}', /quotes/],
	['multi_select', ',', /Allowed values are 'Open'.*empty list clears/, status],
	['boolean', 'yes', /true or false/],
	['boolean', '10', /true or false/],
	['date', '31.03.2026', /YYYY-MM-DD/],
	['date', '2026-03-04T99:99', /YYYY-MM-DD/],
	['text', 2 ** 60, /Enter it as text/],
	['date', 1774915200000, /YYYY-MM-DD/],
	['datetime', 'tomorrow', /ISO 8601/],
	['single_select', 'Opne', /^Did you mean 'Open'\? Allowed values are 'Open'/, status],
	['single_select', 'Lost', /^Allowed values are 'Open', 'In Work', 'Done'\.$/, status],
	['single_select', 'OPEN', /Allowed values/, ['Open', 'open']],
	['json', { a: [1, Infinity] }, /finite/],
	['text', NaN, /finite/],
	['text', new Date(NaN), /dates/],
	['date', new Date(NaN), /YYYY-MM-DD/],
	['multi_select', [new Date(NaN)], /dates/, []],
	['datetime', DateTime.invalid('x'), /ISO 8601/],
	['text', 10n, /finite/],
	['json', { a: [Symbol('a')] }, /Enter text/],
])('%s: %p is refused with what the field accepts', (...[type, value, expected, options]) => {
	expect(() => convert(type, value, options)).toThrow(refusal(/Field 'F' can't hold/, expected));
});

test.each([
	['2026-03-29T02:30', /^Clocks in the workflow's time zone skip this time.*offset/],
	['2026-03-29T24:00', /^Enter an ISO 8601/],
	['2026-03-29T02:60', /^Enter an ISO 8601/],
])('the time %s is refused where clocks go from 02:00 to 03:00', (time, expected) => {
	const skipping = { ...rules, zone: localTime({ getTimezone: () => 'Europe/Berlin' }) };
	expect(() => enter(field('F', 'datetime'), time, skipping)).toThrow(
		refusal(`Field 'F' can't hold "${time}"`, expected),
	);
});

test.each([
	[new Date(NaN), 'Invalid Date'],
	[{ a: [1, Infinity, 'x'] }, '{"a":[1,"Infinity","x"]}'],
	[Object.create(null, { n: { value: 0n, enumerable: true } }), '{"n":"0"}'],
	[['x'.repeat(100), 1n], `["${'x'.repeat(58)}…`],
])("a value that can't be sent is shown in the message: %#", (value, shown) => {
	expect(() => convert('text', value)).toThrow(`Field 'F' can't hold ${shown}`);
});

test.each(['text', 'number', 'single_select', 'a type of the future'])(
	'%s: a number that may have lost digits finds no record to change',
	(type) => {
		const put = (value: number, fits: boolean) =>
			enter(field('F', type), value, { ...rules, exact: true, fits });
		for (const fits of [false, true]) {
			expect(() => put(363228830310334464, fits)).toThrow(
				expect.objectContaining({ description: expect.stringContaining('Enter it as text') }),
			);
			expect(String(put(9_007_199_254_740_991, fits))).toBe('9007199254740991');
		}
	},
);

test.each<[string, EntryRules['formats'], number]>([
	['007', {}, 7],
	['-01', {}, -1],
	[' 01.50', {}, 1.5],
	['+49893334455', {}, 49893334455],
	['01067', { number: 'comma' }, 1067],
	['007,5', { number: 'comma' }, 7.5],
	['+49 351 123 456', { number: 'commaSpaced' }, 49351123456],
])('number: the text %j of an item (%j) may be a code, and is refused', (text, formats, number) => {
	for (const exact of [false, true]) {
		expect(() => enter(field('F', 'number'), text, { ...rules, formats, exact })).toThrow(
			expect.objectContaining({
				description: `As a number it would become ${number}. Use a text field for it.`,
			}),
		);
	}
	// Filters read it.
	if (!formats?.number) expect(convert('number', text)).toBe(number);
});

test.each<[string, number]>([
	['-0.50', -0.5],
	[' 0 ', 0],
])('number: the text %j of an item is %j', (text, number) => {
	expect(enter(field('F', 'number'), text, { ...rules, formats: {} })).toBe(number);
});

test('a long list of allowed values is cut', () => {
	const many = Array.from({ length: 50 }, (_, place) => `Option ${place}`);
	expect(() => convert('single_select', 'x', many)).toThrow(
		expect.objectContaining({ description: expect.stringContaining('and 30 more') }),
	);
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
				if (value !== null) expect(sent).not.toBeNull();
			} catch (error) {
				expect(error).toMatchObject({ name: 'InputError', description: expect.any(String) });
			}
		}),
	);
});

test('values of the right kind are sent unchanged', () => {
	const examples: Record<string, fc.Arbitrary<unknown>> = {
		text: fc.string({ unit: 'grapheme' }),
		// Beyond 2^53 an integer may have lost digits.
		number: fc.double({ noNaN: true, min: 1 - 2 ** 53, max: 2 ** 53 - 1 }),
		boolean: fc.boolean(),
		json: fc.dictionary(fc.constantFrom('a', '__proto__'), fc.jsonValue({ maxDepth: 2 })),
		single_select: fc.constantFrom(...status),
		multi_select: fc.subarray(status),
	};
	for (const [type, values] of Object.entries(examples)) {
		fc.assert(fc.property(values, (value) => expect(convert(type, value, status)).toEqual(value)));
	}
});
