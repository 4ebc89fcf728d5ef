/** Types of fields from the values of a column: what is read back is what was given. */
import fc from 'fast-check';
import { readField } from '../../../../nodes/WorkspaceData/model/response/field';
import type { Formats } from '../../../../nodes/WorkspaceData/model/value/formats';
import { inferType, offeredType } from '../../../../nodes/WorkspaceData/model/value/inferType';
import { enter } from './sent';
import { zone } from './zone';
import { checkValue, type FieldType } from '../../../../service/foundation/fieldTypes.ts';
import { workMs } from '../../../support/cpuTime.mts';
import { anyColumn, givenBy, inJson } from './tables';
import { cases } from '../../../support/cases';

const FITTING = { emptyValues: 'send', fits: true, whole: true, zone } as const;

const many = <T>(values: T[], count = 24): T[] =>
	Array.from({ length: count }, (_, index) => values[index % values.length] as T);

test.each<[string, unknown[]]>([
	['boolean', [true, false, null]],
	['boolean', ['true', 'false', '']],
	['boolean', ['TRUE', 'FALSE']],
	['boolean', ['True', 'False']],
	['number', [1, 2.5, -3, 1e300]],
	['number', ['0', '12', '-7', '0.25']],
	// Amounts: the zeros at the end are known from the others.
	['number', ['12.50', '3.99', '100.00']],
	['date', ['2026-01-31', '2024-02-29', undefined]],
	['datetime', ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.123+02:00']],
	['email', ['ada@example.com', 'x.y+z@mail.example.org']],
	['url', ['https://example.com/a?b=c', 'http://127.0.0.1:8080/']],
	['single_select', many(['Open', 'Done', 'In work'])],
	['single_select', many(['🔴 late', 'on time'], 20)],
	['single_select', many(['A1', 'B2'])],
	['single_select', many(['+', '-'])],
	['multi_select', many([['home', 'garden'], ['office'], []], 33)],
	['multi_select', many([['home', 'garden'], ['office']], 20)],
	['json', many([['home', 'garden'], ['office']], 19)],
	['json', [...many([['home', 'garden'], ['office']]), [1]]],
	['json', many([[1], [2]])],
	['json', [...many([['home', 'garden'], ['office']]), { a: 1 }]],
	['json', [{ a: 1 }, { b: [2] }]],
	['json', [[1, 2], ['a']]],
	['json', [['a', 'b'], ['c']]],
	['long_text', ['a\nb', 'c']],
	['email', [`${'a'.repeat(242)}@example.com`]],
	['text', [`${'a'.repeat(243)}@example.com`]],
	['text', ['Ada: ada@example.com']],
	['text', ['ada@example.com (office)']],
	['text', ['ada@exam ple.com']],
	['text', ['ada@mail.exam ple']],
	['email', ['ada@4you.example', 'ada@mail.4you.x7']],
	['long_text', ['x'.repeat(256)]],
	['text', ['x'.repeat(255)]],
	['text', ['Ada', 'Grace']],
	['text', ['Ada', undefined, null]],
	['text', []],
	['text', [null, '', undefined]],
])('%s from %j', (type, values) => {
	expect(inferType('Column', values).type).toBe(type);
});

describe('never a type that loses something', () => {
	test.each<[string, unknown[]]>([
		['leading zeros', ['007', '12']],
		['leading zeros, as often as choices', many(['01', '02', '03'])],
		['a plus sign', ['+4930123456', '+15551234567']],
		['digits with separators', ['030 123456', '555-1234']],
		['identifiers of 17 digits', ['12345678901234567', '12345678901234560']],
		['identifiers of 17 digits that a double happens to keep', ['12345678901234560']],
		['N/A among numbers', ['12', 'N/A', '7']],
		['N/A among few different numbers', many(['1', '2', 'N/A'])],
		['dates in two spellings', ['2026-01-31', '31.01.2026']],
		['days and times', ['2026-01-31', '2026-01-31T10:00:00Z']],
		['times without an offset', many(['2026-01-31T10:00:00', '2026-01-31T11:00:00'])],
		["days that don't exist", ['2026-02-30']],
		['a decimal comma', ['12,5']],
		['exponents', ['1e5', '2E3']],
		['versions', ['1.9', '1.10']],
		['minus zero', ['-0', '1']],
		['spaces around', [' 12', '13']],
		['true in two spellings', ['true', 'FALSE']],
		['true and false in two spellings', ['True', 'false']],
		['true and false, one of them in capitals', ['TRUE', 'False']],
		['yes and no among true', ['true', 'yes']],
		['numbers and texts', [1, '2']],
		['numbers and booleans', [1, true]],
		['objects and texts', [{ a: 1 }, 'a']],
		['numbers that are none', [1, NaN]],
	])('%s', (_what, values) => {
		expect(inferType('Column', values).type).toBe('text');
	});

	test.each([
		...['Phone', 'phoneNumber', 'Mobile Phone', 'zip_code', 'PLZ', 'ISBN', 'Home Phone', 'Zipcode'],
		...['ZIPCode', 'Postleitzahl', 'Telefonnummer', 'Phonenumber', 'Postalcode', 'Faxnummer'],
	])('digits under the name %s stay a text', (name) => {
		expect(inferType(name, ['10115', '90210']).type).toBe('text');
		expect(inferType('Population', ['10115', '90210']).type).toBe('number');
		// Numbers are numbers, whatever their name.
		expect(inferType(name, [10115, 90210]).type).toBe('number');
	});

	test.each(['Microphones', 'Hotel', 'Faxes'])('digits under the name %s are amounts', (name) => {
		expect(inferType(name, ['10115', '90210']).type).toBe('number');
	});

	test.each([
		['too few', many(['a', 'b'], 19)],
		['too many different', many('abcdefghijklm'.split(''), 26)],
		['too long', many(['x'.repeat(41), 'y'])],
		['told apart by case only', many(['open', 'Open'])],
		['spaces around', many(['open ', 'done'])],
	])('texts that are no choices: %s', (_what, values) => {
		expect(inferType('Column', values).type).toBe('text');
	});

	test('lists that name a text twice stay lists', () => {
		expect(inferType('Column', many([['a', 'a'], ['b']])).type).toBe('json');
	});
});

test.each<[unknown[], RegExp]>([
	[['12', 'N/A'], /'N\/A' isn't a number/],
	[['007', '008'], /'007' would change as a number/],
	[[1, 'a'], /'1' \(number\) and 'a' \(text\) are of different types/],
	[['true', true], /'true' \(text\) and 'true' \(boolean\) are of different types/],
	[[1, [1]], /'\[1\]' \(list or object\) are of different types/],
	[['1.9', '1.10'], /spelled in different ways/],
	[['2026-01-31', '31.01.2026'], /'31\.01\.2026' isn't a day/],
	[['03.02.1985', '4.2.1985'], /^'03\.02\.1985' isn't a day like 2026-03-31: see 'Date Format'$/],
	[['2/13/1985'], /^'2\/13\/1985' isn't a day like 2026-03-31: see 'Date Format'$/],
	[['12,50', '1.299,00'], /^'12,50' has a decimal comma: see 'Number Format'$/],
	[['12', '12,50'], /^'12,50' isn't a number like 12\.5$/],
	[['ja', 'nein', 'Ja'], /^only 'ja' and 'nein': for true and false, see 'Yes and No Words'$/],
	[['+49 30 1234', '030-99'], /^mixed values$/],
	[['Ada', 'Grace', 'José'], /^mixed values$/],
	[[null], /no item has a value/],
	[[1, 2], /^each is a number like 12\.5$/],
	[[[1], ['a']], /^lists$/],
	[[[1], { a: 1 }], /^objects or lists$/],
	[[{ a: 1 }], /^objects or lists$/],
])('%j: says why', (values, why) => {
	expect(inferType('Column', values).why).toMatch(why);
});

describe('in the chosen formats', () => {
	const comma = { number: 'comma' } as const;
	const dayFirst = { date: 'dayFirst' } as const;
	const words = { words: ['ja', 'nein'] } as const;
	const excel = { date: 'excel' } as const;

	test.each<[string, string, unknown[], Formats]>([
		['number', 'Price', ['12,50', '1.299,00', '0,99'], comma],
		['number', 'Pieces', ['1.234', '7'], comma],
		['number', 'Price', [12.5, 3], comma],
		['text', 'Price', ['12.50', '3.99'], comma],
		['text', 'PLZ', ['01067', '10115'], comma],
		['text', 'Price', ['12,50', '1.299,00'], {}],
		['date', 'Born', ['03.02.1985', '31/12/1999', '2026-01-31'], dayFirst],
		['text', 'Born', ['12/31/1999'], dayFirst],
		['date', 'Born', ['12/31/1999'], { date: 'monthFirst' }],
		['text', 'Seen', ['03.02.1985 14:30'], dayFirst],
		['boolean', 'Active', ['ja', 'Nein', 'JA'], words],
		['boolean', 'Active', ['true', 'nein'], words],
		['text', 'Active', ['ja', 'vielleicht'], words],
		['date', 'Due date', [46205, 46206], excel],
		['date', 'Rechnungsdatum', ['46205', '46206'], excel],
		['datetime', 'Start', [46205.5, 46206], excel],
		['number', 'Amount', [46205, 46206], excel],
		['number', 'Due date', [46205, 300], excel],
		['number', 'Last update', [46205], excel],
		['number', 'Due date', [46205], {}],
	])('%s for %s: %j', (type, name, values, formats) => {
		expect(inferType(name, values, formats).type).toBe(type);
	});

	test("a reason is true of the format: Excel's days, and values of another format", () => {
		expect(inferType('Due', [46205], excel).why).toBe("each is Excel's number for a day");
		expect(inferType('Price', ['12,5', '12.50'], comma).why).toBe(
			"'12.50' isn't a number like 12.5",
		);
	});
});

test('long texts of any kind take no longer than their length', async () => {
	const long = 200_000;
	const texts = ['1', 'a', ' ', '-', '.', '@', 'a@b.', 'http://', '1.', '"', ','].flatMap(
		(part) => [
			part.repeat(long / part.length),
			`${part.repeat(long / part.length)}!`,
			`${part.repeat(long / part.length)}x`,
		],
	);
	const work = await workMs(() => {
		for (const text of texts) expect(inferType('Phone', [text]).type).toBe('long_text');
	});
	// A pattern that goes back at each character would take minutes.
	expect(work).toBeLessThan(5_000);
});

test('the choices are in the order of the values', () => {
	expect(inferType('Column', many(['b', 'a', 'c'])).choices).toEqual(['b', 'a', 'c']);
});

describe('types that a service offers', () => {
	test.each<[string, string[], string, string]>([
		['number', ['TEXT', 'INTEGER', 'Number'], 'number', 'Number'],
		['number', ['text', 'integer', 'percent'], 'text', 'text'],
		['boolean', ['string', 'checkbox'], 'boolean', 'checkbox'],
		['single_select', ['string', 'single-select'], 'single_select', 'single-select'],
		['single_select', ['string', 'number'], 'text', 'string'],
		['multi_select', ['text', 'json'], 'json', 'json'],
		['multi_select', ['string'], 'text', 'string'],
		['json', ['text', 'long text'], 'long_text', 'long text'],
		['email', ['text'], 'text', 'text'],
		['email', ['string'], 'text', 'string'],
		['text', ['long_text'], 'long_text', 'long_text'],
		['boolean', ['long_text'], 'long_text', 'long_text'],
		['text', ['emoji'], 'text', 'text'],
	])('%s among %j is %s, called %s', (type, offered, expected, name) => {
		expect(offeredType(type, offered)).toEqual({ type: expected, name });
	});
});

test.each<[string, string]>([
	['email', 'ada@example.com'],
	['url', 'https://example.com'],
])('%s: leaves out an empty cell, which the field would refuse', (type, value) => {
	const values = [value, ''];
	expect(inferType('Column', values).type).toBe(type);
	const field = readField({ id: 'f', name: 'Column', type });
	if (!field) throw new Error('not a field');
	expect(values.map((cell) => enter(field, cell, FITTING))).toEqual([value, undefined]);
});

test('random columns: each value is accepted by the service, and read back as it was given', () => {
	fc.assert(
		fc.property(anyColumn, fc.constantFrom('Column', 'Phone'), (values, name) => {
			const { type, choices = [] } = inferType(name, values);
			const options = choices.map((choice, index) => ({ id: `opt_${index}`, name: choice }));
			const field = readField({ id: 'f', name, type, options });
			if (!field) throw new Error('not a field');
			for (const value of values) {
				const sent = enter(field, value, FITTING);
				if (sent === undefined || sent === null) {
					// Nothing was said, or an empty text where the field holds no text.
					expect([undefined, null, '']).toContain(value);
					continue;
				}
				// As JSON carries it.
				const checked = checkValue(type as FieldType, options, inJson(sent));
				expect(checked).toEqual({ ok: true, value: expect.anything() });
				if (!checked.ok) continue;
				expect(givenBy(checked.value, value, values)).toEqual(inJson(value));
			}
		}),
		cases(1_000),
	);
});
