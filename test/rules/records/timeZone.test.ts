/** Days and times as people in the workflow's time zone mean them. */
import { DateTime, Settings } from 'luxon';
import { localTime } from '../../../nodes/WorkspaceData/records/timeZone';

const zoneOf = (name: string) => localTime({ getTimezone: () => name });
const berlin = zoneOf('Europe/Berlin');

test.each<[string, string | undefined]>([
	['2026-03-31', '2026-03-30T22:00:00.000Z'],
	['2026-03-31T14:30', '2026-03-31T12:30:00.000Z'],
	['0001-01-01T12:00', '0001-01-01T11:06:32.000Z'],
	// Clocks go from 02:00 to 03:00: these would be other times.
	['2026-03-29T01:59', '2026-03-29T00:59:00.000Z'],
	['2026-03-29T02:00', undefined],
	['2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
	['2026-02-30', undefined],
])('%s in Berlin is %s', (local, utc) => {
	expect(berlin.toUtc(local)).toBe(utc);
});

describe('days from today', () => {
	const { now } = Settings;
	// Still the 30th in New York, the 31st in Berlin, and in Tokyo, too.
	beforeAll(() => {
		Settings.now = () => Date.parse('2026-03-30T23:30:00Z');
	});
	afterAll(() => {
		Settings.now = now;
	});

	test.each<[string, number, string | undefined]>([
		['Europe/Berlin', 0, '2026-03-31'],
		['America/New_York', 0, '2026-03-30'],
		['Europe/Berlin', 1, '2026-04-01'],
		['Europe/Berlin', -31, '2026-02-28'],
		// Across the change of clocks, a day is a day.
		['Europe/Berlin', -3, '2026-03-28'],
		['Europe/Berlin', 1e9, undefined],
		['Nowhere/None', 0, undefined],
	])('in %s, %d days after today is %s', (zone, offset, day) => {
		expect(zoneOf(zone).day(offset)).toBe(day);
	});

	test('the years of four digits, and no others', () => {
		const today = DateTime.fromISO('2026-03-31');
		const daysTo = (day: string) => Math.round(DateTime.fromISO(day).diff(today, 'days').days);
		expect(berlin.day(daysTo('9999-12-31'))).toBe('9999-12-31');
		expect(berlin.day(daysTo('9999-12-31') + 1)).toBeUndefined();
		expect(berlin.day(daysTo('0001-01-01'))).toBe('0001-01-01');
		expect(berlin.day(daysTo('0001-01-01') - 1)).toBeUndefined();
	});
});
