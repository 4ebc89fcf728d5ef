/** How the people of a country spell numbers, days, and yes or no. */
import fc from 'fast-check';
import {
	inUsualSpelling,
	type Formats,
	type Formatted,
} from '../../../nodes/WorkspaceData/values/formats';
import { accepted, type EntryRules } from '../../../nodes/WorkspaceData/values/kinds/kind';
import { enter } from './sent';
import { cases } from '../../support/cases';
import { field } from '../model/fields';
import { zone } from './zone';
import { refusal } from '../refusal';

const comma: Formats = { number: 'comma' };
const dayFirst: Formats = { date: 'dayFirst' };
const monthFirst: Formats = { date: 'monthFirst' };
const excel: Formats = { date: 'excel' };
const words: Formats = { words: ['ja', 'nein'] };

test.each<[Formatted, Formats, unknown, unknown]>([
	['number', comma, '1234,5', '1234.5'],
	['number', comma, ' 12,50 ', '12.50'],
	['number', comma, 12.5, 12.5],
	['date', dayFirst, '2026-03-31', '2026-03-31'],
	['date', dayFirst, '03.02.1985 14:30', '1985-02-03T14:30:00'],
	['datetime', dayFirst, '3.2.1985, 9:05:07', '1985-02-03T09:05:07'],
	['datetime', monthFirst, '3/31/2026 2:05 PM', '2026-03-31T14:05:00'],
	['datetime', monthFirst, '3/31/2026 12:00 am', '2026-03-31T00:00:00'],
	['datetime', monthFirst, '3/31/2026 13:00 pm', undefined],
	['date', dayFirst, '3/2/85', undefined],
	['date', dayFirst, '03/31/2026', undefined],
	['date', dayFirst, '1.2-2026', undefined],
	['date', dayFirst, 46205, 46205],
	['date', { date: 'iso' }, '03.02.1985', '03.02.1985'],
	['date', excel, '46205', '2026-07-02'],
	['date', excel, 59, '1900-02-28'],
	['date', excel, 60, undefined],
	['date', excel, 2_958_466, undefined],
	['date', excel, 0, undefined],
	['date', excel, 46205.5, undefined],
	['datetime', excel, 46205.5, '2026-07-02T12:00:00'],
	['datetime', { ...excel, ...comma }, '46205,25', '2026-07-02T06:00:00'],
	['datetime', excel, 46205.999999, '2026-07-03T00:00:00'],
	['date', excel, '2026-07-02', '2026-07-02'],
	['date', excel, '02.07.2026', undefined],
	['boolean', words, 'Ja', 'true'],
	['boolean', words, ' NEIN ', 'false'],
	['boolean', words, 'TRUE', 'TRUE'],
	['boolean', words, '1', '1'],
	['boolean', words, 'yes', undefined],
	['boolean', { words: ['0', '1'] }, '0', 'true'],
])('%s in %j: %j is %j', (type, formats, given, expected) => {
	expect(inUsualSpelling(type, given, formats)).toBe(expected);
});

test.each<[NonNullable<Formats['number']>, string, string | undefined]>([
	...'12.50 0.123 1.2345 1,234.5 1.234.5 12, ,5 x 1e3'
		.split(' ')
		.map((text): ['comma', string, undefined] => ['comma', text, undefined]),
	['pointGrouped', '1,234.5', '1234.5'],
	['pointGrouped', '1,23,456.78', '123456.78'],
	['pointGrouped', '1,23', undefined],
	['pointGrouped', '1.234,5', undefined],
	['pointGrouped', '0,123', undefined],
	['commaSpaced', '1\u00a0234\u202f567,5', '1234567.5'],
	['commaSpaced', '1 23', undefined],
	['commaSpaced', '1234.5', undefined],
	['pointApostrophe', "1'234.50", '1234.50'],
	['pointApostrophe', '1’234', '1234'],
	['pointApostrophe', '1,234', undefined],
	['point', '1,234', '1,234'],
])('number in %s: %s is %s', (number, text, usual) => {
	expect(inUsualSpelling('number', text, { number })).toBe(usual);
});

test('every number comes back from its spelling with a comma', () => {
	const german = new Intl.NumberFormat('de-DE', { maximumFractionDigits: 6 });
	fc.assert(
		fc.property(
			fc.integer({ min: -1e12, max: 1e12 }),
			fc.integer({ min: 0, max: 4 }),
			(digits, places) => {
				const number = Number((digits / 10 ** places).toFixed(places));
				expect(Number(inUsualSpelling('number', german.format(number), comma))).toBe(number);
			},
		),
		cases(300),
	);
});

test('every day comes back from each of its spellings, and Excel counts the days between two', () => {
	const days = fc.integer({ min: 61, max: 2_958_465 });
	fc.assert(
		fc.property(days, fc.constantFrom('.', '/', '-'), (count, separator) => {
			const iso = new Date(Date.UTC(1899, 11, 30) + count * 86_400_000).toISOString().slice(0, 10);
			const [year, month, day] = iso.split('-');
			const spelled = (...parts: unknown[]) => parts.map(String).join(separator);
			expect(inUsualSpelling('date', spelled(day, Number(month), year), dayFirst)).toBe(iso);
			expect(inUsualSpelling('date', spelled(Number(month), day, year), monthFirst)).toBe(iso);
			expect(inUsualSpelling('date', count, excel)).toBe(iso);
		}),
		cases(300),
	);
});

describe('a field with formats', () => {
	const rules = (formats: Formats): EntryRules => ({ emptyValues: 'send', zone, formats });
	const sent = (type: string, entered: unknown, formats: Formats) =>
		enter(field('F', type), entered, rules(formats));

	test('sends what the text means', () => {
		expect(sent('number', '1.299,00', comma)).toBe(1299);
		expect(sent('date', '03.02.1985', dayFirst)).toBe('1985-02-03');
		expect(sent('boolean', 'Nein', words)).toBe(false);
		// The zone of these tests is two hours ahead of UTC.
		expect(sent('datetime', '03.02.1985 14:30', dayFirst)).toBe('1985-02-03T12:30:00.000Z');
		expect(sent('datetime', 46205.5, excel)).toBe('2026-07-02T10:00:00.000Z');
		expect(sent('text', '1.299,00', comma)).toBe('1.299,00');
	});

	test.each<[string, unknown, Formats, RegExp]>([
		['number', '12.50', comma, /^'Number Format' is '1\.234,5': .*1\.234,5 or 1234,5\.$/],
		['number', '1,5', { number: 'pointApostrophe' }, /is '1'234\.5': .* or 1234\.5\.$/],
		['number', '12,50', {}, /^Enter a number .* '12,50' can be read as 12\.5: select 'Number F/],
		['number', '1,234', {}, /'1,234' is 1\.234 or 1234: select 'Number Format'\.$/],
		['number', 'twelve', {}, /^Enter a number[^']*$/],
		['date', '3/2/85', dayFirst, /^'Date Format' is 'Day First': .*31\.03\.2026/],
		['date', '03/04/2026', {}, /^Enter a date .* set the option 'Date Format'\.$/],
		['date', 46205, {}, /Excel's number for 2026-07-02.*'Excel Day Numbers'.*\{\{ .*days: 46205/],
		['date', 46205.5, excel, /'Excel Day Numbers': .* without decimals/],
		['date', 12, {}, /^Enter a date[^']*$/],
		['boolean', 'oui', words, /^Enter 'ja' or 'nein', as 'Yes and No Words' says, or true or f/],
		['boolean', 'ja', {}, /'Yes and No Words'/],
	])('%s: %j in %j is refused by the label', (type, entered, formats, advice) => {
		const message = `Field 'F' can't hold ${JSON.stringify(entered)}`;
		expect(() => sent(type, entered, formats)).toThrow(refusal(message, advice));
	});

	test('times get no offset where records have none; that is looked up for other formats, too', () => {
		const { kind } = field('F', 'datetime');
		const asked = ['3.2.1985 14:30', 46205.5, '2026-01-01T10:00:00', '2026-01-01T10:00:00Z', 'x'];
		expect(asked.map((entered) => kind.dependsOnRecords?.(entered))).toEqual([
			...[true, true, true, false, false],
		]);
		const local = { ...field('F', 'datetime'), habit: 'noOffset' } as const;
		expect(enter(local, '3.2.1985 14:30', rules(dayFirst))).toBe('1985-02-03T14:30:00');
	});

	test('filters have no formats: their advice names no option', () => {
		expect(accepted(field('F', 'number'), '12,50')).not.toContain('option');
		expect(accepted(field('F', 'date'), 46205)).not.toContain('option');
	});
});
