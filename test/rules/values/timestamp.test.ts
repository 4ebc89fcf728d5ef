/** Days and timestamps as texts. */
import {
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

test.each<[unknown, object | undefined]>([
	['2026-03-31', { day: '2026-03-31', clock: undefined, fraction: '', offset: undefined }],
	[' 2026-03-31 ', { text: '2026-03-31', day: '2026-03-31' }],
	['2026-03-31t10:00:05.1200z', { clock: '10:00:05', fraction: '12', offset: 'z' }],
	['2026-03-31T10:00:05.000+02:00', { fraction: '', offset: '+02:00' }],
	['2026-03-31T10:00-0530', { offset: '-05:30' }],
	['2026-03-31 10:00:00+00', { clock: '10:00:00', offset: '+00:00' }],
	[new Date('2026-03-31T10:00:00Z'), { day: '2026-03-31', offset: 'Z' }],
	// An offset without a time, and other spellings.
	['2026-03-31Z', undefined],
	['2026-02-30T10:00', undefined],
	['2026-03-31T1:00', undefined],
	['2026-03-31T10:00+2', undefined],
	['on 2026-03-31', undefined],
	['2026-03-31T10:00 o’clock', undefined],
	[null, undefined],
])('%j is read as %j', (value, parts) => {
	const read = readTimestamp(value);
	if (parts === undefined) expect(read).toBeUndefined();
	else expect(read).toMatchObject(parts);
});

test.each<[string, string | undefined]>([
	['2026-03-31', '2026-03-30T22:00:00.000Z'],
	['2026-03-31T10:00', '2026-03-31T08:00:00.000Z'],
	['2026-03-31T10:00:05.123456+02:00', '2026-03-31T08:00:05.123456Z'],
	['2026-03-31T25:00', undefined],
	['2026-03-31T25:00Z', undefined],
	['2026-03-31T10:00+99:00', undefined],
])('%s is %s in UTC', (text, utc) => {
	const read = readTimestamp(text);
	expect(read && toUtcText(read, zone)).toBe(utc);
});

const TEN = Date.parse('2026-03-31T10:00:00Z');
test.each<[string, unknown]>([
	['2026-03-31T10:00Z', TEN],
	['2026-03-31T12:00', TEN],
	['2026-03-31T10:00:00.5Z', TEN + 500],
	['2026-03-31T10:00:00.1234Z', { near: TEN + 123, rest: '>4' }],
	['2026-03-31T12:00:00.0001', { near: TEN, rest: '>1' }],
	['2026-03-31T25:00Z', undefined],
])('%s is the instant %j', (text, instant) => {
	const read = readTimestamp(text);
	expect(read && instantOf(read, zone)).toEqual(instant);
});
