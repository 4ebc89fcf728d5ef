/** How the people of a country spell numbers, days, and yes or no. */
import { enter } from '../../../nodes/WorkspaceData/values/entry';
import {
	toBooleanText,
	toNumberText,
	toTimeText,
	type Formats,
} from '../../../nodes/WorkspaceData/values/formats';
import { refusal } from '../refusal';
import { field } from './field';
import { zone } from './zone';

const comma: Formats = { number: 'comma' };
const dayFirst: Formats = { date: 'dayFirst' };
const monthFirst: Formats = { date: 'monthFirst' };
const excel: Formats = { date: 'excel' };
const words: Formats = { words: ['ja', 'nein'] };

test.each<[Formats, unknown, unknown]>([
	[dayFirst, '2026-03-31', '2026-03-31'],
	[dayFirst, '03.02.1985 14:30', '1985-02-03T14:30:00'],
	[dayFirst, '3.2.1985, 9:05:07', '1985-02-03T09:05:07'],
	[dayFirst, '1/2/2026', '2026-02-01'],
	[monthFirst, '1-2-2026', '2026-01-02'],
	[monthFirst, '3/31/2026 2:05 PM', '2026-03-31T14:05:00'],
	[monthFirst, '3/31/2026 12:00 am', '2026-03-31T00:00:00'],
	[monthFirst, '3/31/2026 13:00 pm', undefined],
	[dayFirst, '3/2/85', undefined],
	[dayFirst, '03/31/2026', undefined],
	[dayFirst, '1.2-2026', undefined],
	[dayFirst, 46205, 46205],
	[{ date: 'iso' }, '03.02.1985', '03.02.1985'],
	[excel, '46205', '2026-07-02'],
	[excel, 59, '1900-02-28'],
	[excel, 60, undefined],
	[excel, 61, '1900-03-01'],
	[excel, 2_958_465, '9999-12-31'],
	[excel, 2_958_466, undefined],
	[excel, 0, undefined],
	[excel, 46205.5, '2026-07-02T12:00:00'],
	[{ ...excel, ...comma }, '46205,25', '2026-07-02T06:00:00'],
	[excel, 46205.999999, '2026-07-03T00:00:00'],
	[excel, '2026-07-02', '2026-07-02'],
	[excel, '02.07.2026', undefined],
])('a time in %j: %j is %j', (formats, given, expected) => {
	expect(toTimeText(given, formats)).toBe(expected);
});

test.each<[Formats, string, string | undefined]>([
	[words, 'Ja', 'true'],
	[words, ' NEIN ', 'false'],
	[words, 'TRUE', 'TRUE'],
	[words, '1', '1'],
	[words, 'yes', undefined],
	[{ words: ['0', '1'] }, '0', 'true'],
	[{}, 'yes', 'yes'],
])('yes or no in %j: %j is %j', (formats, given, expected) => {
	expect(toBooleanText(given, formats)).toBe(expected);
});

test.each<[NonNullable<Formats['number']>, string, string | undefined]>([
	...'12.50 0.123 1.2345 1,234.5 1.234.5 12, ,5 x 1e3'
		.split(' ')
		.map((text): ['comma', string, undefined] => ['comma', text, undefined]),
	['comma', ' 12,50 ', '12.50'],
	['comma', '-1.234.567,5', '-1234567.5'],
	['comma', '+1234', '+1234'],
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
])('a number in %s: %s is %s', (number, text, usual) => {
	expect(toNumberText(text, { number })).toBe(usual);
});

describe('a field with formats', () => {
	const enterIn = (type: string, entered: unknown, formats?: Formats) =>
		enter(field('F', type), entered, { zone, ...(formats && { formats }) });

	test.each<[string, unknown, Formats, unknown]>([
		['number', '1.299,00', comma, 1299],
		['number', 12.5, comma, 12.5],
		['date', '03.02.1985', dayFirst, '1985-02-03'],
		['date', '03.02.1985 14:30', dayFirst, '1985-02-03'],
		['boolean', 'Nein', words, false],
		// The zone of these tests is two hours ahead of UTC.
		['datetime', '03.02.1985 14:30', dayFirst, '1985-02-03T12:30:00.000Z'],
		['datetime', 46205.5, excel, '2026-07-02T10:00:00.000Z'],
		['text', '1.299,00', comma, '1.299,00'],
	])('%s: %j in %j is sent as %j', (type, entered, formats, sent) => {
		expect(enterIn(type, entered, formats)).toBe(sent);
	});

	test.each<[string, unknown, Formats, RegExp]>([
		['number', '12.50', comma, /^'Number Format' is '1\.234,5': .*1\.234,5 or 1234,5\.$/],
		['number', '1,5', { number: 'pointApostrophe' }, /is '1'234\.5': .* or 1234\.5\.$/],
		['number', '12,50', {}, /^Enter a number .* '12,50' can be read as 12\.5: select 'Number F/],
		['number', '1,234', {}, /'1,234' is 1\.234 or 1234: select 'Number Format'\.$/],
		['number', 'twelve', {}, /^Enter a number[^']*$/],
		[
			'number',
			'$1,234.50',
			{ number: 'pointGrouped' },
			/'\$1,234\.50' has '\$' next to the number/,
		],
		['number', '-9,13 €', comma, /'-9,13 €' has '€' next to/],
		['number', '2.5%', {}, /'2\.5%' has '%' next to/],
		['number', '(12.00)', {}, /has '\(' and '\)' next to/],
		['number', 'EUR 12', {}, /has 'EUR' next to/],
		['date', '3/2/85', dayFirst, /^'Date Format' is 'Day First': .*31\.03\.2026/],
		['date', '03/04/2026', {}, /^Enter a date .* select it in 'Date Format'\.$/],
		[
			'date',
			46205,
			{},
			/Excel's number for 2026-07-02\. Select 'Excel Day Numbers' in 'Date Format'/,
		],
		['date', 46205.5, excel, /'Excel Day Numbers': enter a whole number/],
		['date', 12, {}, /^Enter a date[^']*$/],
		['boolean', 'oui', words, /^Enter 'ja' or 'nein', as in 'Yes and No Words', or true or f/],
		['boolean', 'ja', {}, /'Yes and No Words'/],
	])('%s: %j in %j is refused by the label', (type, entered, formats, advice) => {
		const message = `Field 'F' can't hold ${JSON.stringify(entered)}`;
		expect(() => enterIn(type, entered, formats)).toThrow(refusal(message, advice));
		// One phrase for one thing, and none that gives null for text that isn't a date.
		expect(() => enterIn(type, entered, formats)).not.toThrow(
			expect.objectContaining({ description: expect.stringMatching(/the option|toISODate/) }),
		);
	});

	test.each([
		['number', '12,50'],
		['date', 46205],
		['boolean', 'ja'],
	])('%s: filters have no formats, so their advice for %j names none', (type, entered) => {
		expect(() => enterIn(type, entered)).toThrow(
			expect.objectContaining({ description: expect.not.stringMatching(/Format|Words/) }),
		);
	});
});
