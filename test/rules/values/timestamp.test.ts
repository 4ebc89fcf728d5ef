/** Days and timestamps as texts. */
import {
	dayOf,
	instantOf,
	isDay,
	readTimestamp,
	toUtcText,
} from '../../../nodes/WorkspaceData/values/timestamp';
import { zone } from './zone';

test.each<[string, boolean]>([
	['2026-03-31', true],
	['2026-02-29', false],
	['2026-00-10', false],
	['2026-1-10', false],
	[' 2026-01-10', false],
	['x2026-01-10', false],
	['0000-01-28', true],
])('%s is a day: %s', (text, is) => expect(isDay(text)).toBe(is));

test.each<[unknown, object]>([
	['2026-03-31', { day: '2026-03-31', clock: undefined, fraction: '', offset: undefined }],
	['2026-03-31t10:00:05.1200z', { clock: '10:00:05', fraction: '.1200', offset: 'Z' }],
	[' 2026-03-31T10:00-0530 ', { clock: '10:00:00', offset: '-05:30' }],
	['2026-03-31 10:00:00+00', { clock: '10:00:00', offset: '+00:00' }],
	[new Date('2026-03-31T10:00:00Z'), { day: '2026-03-31', offset: 'Z' }],
])('%j is read as %j', (value, parts) => expect(readTimestamp(value)).toMatchObject(parts));

test.each([
	...['2026-03-31Z', '2026-02-30T10:00', '2026-03-31T1:00', '2026-03-31T10:00+2'],
	...['on 2026-03-31', '2026-03-31T10:00 o’clock', '2026-03-31T24:00', '2026-03-31T10:60Z'],
	...['2026-03-31T10:00+99:00', null, 20_260_331, new Date(NaN)],
])('%p is no timestamp', (value) => expect(readTimestamp(value)).toBeUndefined());

test.each([
	['2026-03-31', '2026-03-30T22:00:00.000Z', '2026-03-30T22:00:00'],
	['2026-03-31T10:00', '2026-03-31T08:00:00.000Z', '2026-03-31T08:00:00'],
	[
		'2026-03-31T10:00:05.12345600+02:00',
		'2026-03-31T08:00:05.12345600Z',
		'2026-03-31T08:00:05.123456',
	],
	['2026-03-31T10:00:10.5Z', '2026-03-31T10:00:10.500Z', '2026-03-31T10:00:10.5'],
])('%s is %s in UTC, and compared as %s', (text, utc, form) => {
	const read = readTimestamp(text);
	expect(read && [toUtcText(read, zone), instantOf(read, zone)]).toEqual([utc, form]);
});

test.each([
	['2026-03-31T00:00:00Z', '2026-03-31'],
	['2026-03-30T22:00:00Z', '2026-03-31'],
	['2026-03-31T10:00:00Z', undefined],
	['no day', undefined],
])('a Date at %s is the day %s', (text, day) => expect(dayOf(new Date(text), zone)).toBe(day));
