/** Types of fields from the values of a column: what is read back is what was given. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { Formats } from '../../../nodes/WorkspaceData/values/formats';
import { isBlank } from '../../../nodes/WorkspaceData/values/emptyValue';
import {
	inferType as infer,
	offeredName,
	offeredType,
} from '../../../nodes/WorkspaceData/values/kinds/inferType';
import { enter } from '../../../nodes/WorkspaceData/values/entry';
import { field as fieldOf } from './field';
import { zone } from './zone';
import { checkValue, type FieldType } from '../../../service/foundation/fieldTypes.ts';
import { workMs } from '../../support/cpuTime.mts';
import { anyColumn, givenBy, inJson } from './tables';
import { cases } from '../../support/cases';

const FITTING = { addsFields: true, formats: {}, zone } as const;
const inferType = (values: readonly unknown[], formats: Formats = {}) =>
	infer(values, formats, zone);

const many = <T>(values: T[], count = 24): T[] =>
	Array.from({ length: count }, (_, index) => values[index % values.length] as T);

test.each<[string, unknown[]]>([
	['boolean', [true, false, null]],
	['boolean', ['TRUE', 'false', 'True']],
	['number', [1, 2.5, -3, 1e300]],
	['number', ['12.50', '3', '100.00']],
	['date', ['2026-01-31', '2024-02-29', undefined]],
	['datetime', ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.123+02:00']],
	['text', ['ada@example.com', 'x.y+z@mail.example.org']],
	// As PostgreSQL gives days: midnight of UTC, or of the workflow's zone.
	['date', [new Date('2026-03-31T00:00:00Z'), new Date('2026-03-30T22:00:00Z')]],
	['datetime', [new Date('2026-03-31T00:00:00Z'), new Date('2026-03-30T22:30:00Z')]],
	['datetime', [DateTime.fromISO('2026-03-31T10:00:00Z').toUTC()]],
	// What no field can hold is refused, and doesn't decide.
	['number', [1, NaN, Infinity, 2 ** 63]],
	['number', ['1', 'Invalid DateTime']],
	['text', [NaN]],
	// Nothing is counted: a few texts again and again are texts.
	['text', many(['Open', 'Done'])],
	['number', ['12', ' ', '\u00a0', '7']],
	['json', [[1, 2], ['a']]],
	['text', [[1, 2], 'a']],
	['long_text', ['a\nb', 'c']],
	['long_text', ['x'.repeat(256)]],
	['text', ['x'.repeat(255)]],
	['text', []],
])('%s from %j', (type, values) => {
	expect(inferType(values).type).toBe(type);
});

test.each<[string, unknown[]]>([
	['identifiers of 17 digits that a double happens to keep', ['12345678901234560']],
	['times without an offset', many(['2026-01-31T10:00:00', '2026-01-31T11:00:00'])],
	['commas of groups alone', ['1,234', '1,234,567']],
	['yes and no among true', ['true', 'yes']],
	// Nothing depends on the name of the column.
	['codes with a zero in front', ['01067', '90210']],
])('never a type that loses something: %s', (_what, values) => {
	expect(inferType(values).type).toBe('text');
});

test.each<[unknown[], RegExp]>([
	[['12', 'N/A'], /'N\/A' isn't a number/],
	[['007', '008'], /'007' would change as a number/],
	[[1, 'a'], /'1' \(number\) and 'a' \(text\) are of different types/],
	[['true', true], /'true' \(text\) and 'true' \(boolean\) are of different types/],
	[['4.2.1985'], /^'4\.2\.1985' isn't a day like 2026-03-31: select 'Date Format'$/],
	[['12,50', '1.299,00'], /^'12,50' can be read as 12\.5: select 'Number Format'$/],
	[['1.234', '7'], /^'1\.234' is 1\.234 or 1234: select 'Number Format'$/],
	[["1'234.50"], /^'1'234\.50' can be read as 1234\.5: select 'Number Format'$/],
	[['ja', 'nein', 'Ja'], /^only 'ja' and 'nein': for true and false, enter 'Yes and No Words'$/],
	[['+49 30 1234', '030-99'], /^text$/],
	[['$1,234.50', '$2.00'], /^'\$1,234\.50' has '\$' next to the number$/],
	[['2026-01-31T10:00:00'], /^times without an offset stay text: set 'Field Types'$/],
	[[null], /no item has a value/],
	[[false, true], /^each is true or false, such as false$/],
	[['12.50'], /^each is a number, such as '12\.50' \(12\.5\)$/],
	[['2026-01-31'], /^each is a day, such as '2026-01-31'$/],
	[['2026-01-31T10:00:00Z'], /^each is a time with an offset, such as '2026-01-31T10:00:00Z'$/],
	[[[1], ['a']], /^lists$/],
	[[[1], { a: 1 }], /^objects or lists$/],
])('%j: says why', (values, why) => {
	expect(inferType(values).why).toMatch(why);
});

describe('in the chosen formats', () => {
	const comma = { number: 'comma' } as const;
	const dayFirst = { date: 'dayFirst' } as const;
	const words = { words: ['ja', 'nein'] } as const;
	const excel = { date: 'excel' } as const;

	test.each<[string, unknown[], Formats]>([
		['text', ['01067', '10115'], comma],
		// One value that can be read in one way only tells the format.
		['number', ['1.234', '12.5'], {}],
		['number', ['1.234', '7'], { number: 'point' }],
		['date', ['03.02.1985', '31/12/1999', '2026-01-31'], dayFirst],
		['date', ['12/31/1999'], { date: 'monthFirst' }],
		['boolean', ['true', 'nein'], words],
		// Day numbers of Excel are amounts, unless 'Field Types' says otherwise.
		['number', [46205, 46206], excel],
	])('%s for %j in %j', (type, values, formats) => {
		expect(inferType(values, formats).type).toBe(type);
	});

	test.each<[unknown[], Formats, string]>([
		[['12,50'], comma, "each is a number, such as '12,50' (12.5)"],
		[['03.02.1985'], dayFirst, "each is a day, such as '03.02.1985' (1985-02-03)"],
		[['ja', 'nein'], words, "each is true or false, such as 'ja' (true)"],
		[['12,5', '12.50'], comma, "'12.50' doesn't fit the selected 'Number Format'"],
		[['12/31/1999'], dayFirst, "'12/31/1999' doesn't fit the selected 'Date Format'"],
		[['yes', 'no', 'yes'], words, 'text'],
		[
			['04/15/2026 01:28:06'],
			{ date: 'monthFirst' },
			"times without an offset stay text: set 'Field Types'",
		],
		[['(12,00)'], comma, "'(12,00)' has '(' and ')' next to the number"],
	])('%j in %j: the reason shows a value, and names no option that is selected', (...given) => {
		const [values, formats, why] = given;
		expect(inferType(values, formats).why).toBe(why);
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
		for (const text of texts) {
			expect(inferType([text]).type).toBe(text.trim() === '' ? 'text' : 'long_text');
		}
	});
	// A pattern that goes back at each character would take minutes.
	expect(work).toBeLessThan(5_000);
});

test.each<[string, string[], string]>([
	['number', ['TEXT', 'INTEGER', 'Number'], 'Number'],
	['number', ['text', 'integer', 'percent'], 'text'],
	['boolean', ['string', 'checkbox'], 'checkbox'],
	['json', ['text', 'long_text'], 'long_text'],
	['boolean', ['long_text'], 'long_text'],
	['text', ['emoji'], 'text'],
])('%s among the types %j that a service offers is %s', (type, offered, name) => {
	expect(offeredType(type, offered)).toBe(name);
});

test.each<[string, string[], string | undefined]>([
	['Single Select', ['single_select'], 'single_select'],
	['dropdown', ['TEXT', 'Select'], 'Select'],
	['email', ['text'], undefined],
	['email', ['text', 'E-Mail'], 'E-Mail'],
])('%s as somebody enters it, among %j, is %s', (type, offered, name) => {
	expect(offeredName(type, offered)).toBe(name);
});

/** A whole number of 17 digits and more, as JSON.parse leaves it. */
const mayHaveLostDigits = (value: unknown): boolean =>
	typeof value === 'number' && Math.abs(value) > 2 ** 53 - 1 && /^-?\d+$/.test(String(value));

test('random columns: each value is accepted by the service, and read back as it was given', () => {
	fc.assert(
		fc.property(anyColumn, (values) => {
			const { type } = inferType(values);
			const field = { ...fieldOf('Column', type), isNew: true };
			for (const value of values) {
				if (mayHaveLostDigits(value)) {
					expect(() => enter(field, value, FITTING)).toThrow("can't hold");
					continue;
				}
				const sent = enter(field, value, FITTING);
				if (sent === undefined || sent === null) {
					// Nothing was said, or an empty text where the field holds no text.
					expect(isBlank(value)).toBe(true);
					continue;
				}
				// As JSON carries it.
				const checked = checkValue(type as FieldType, [], inJson(sent));
				expect(checked).toEqual({ ok: true, value: expect.anything() });
				if (!checked.ok) continue;
				expect(givenBy(checked.value, value)).toEqual(inJson(value));
			}
		}),
		cases(1_000),
	);
});
