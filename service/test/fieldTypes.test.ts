/** Which values a field takes, at the edges. */
import { checkValue, type FieldType } from '../foundation/fieldTypes.ts';

const options = ['Africa', 'Asia', 'Europe'].map((name, n) => ({ id: `opt_${n}`, name }));
const takes = (type: FieldType, value: unknown) => checkValue(type, options, value).ok;
const stored = (type: FieldType, value: unknown) => {
	const checked = checkValue(type, options, value);
	return checked.ok ? checked.value : undefined;
};
const reason = (type: FieldType, value: unknown, of = options) => {
	const checked = checkValue(type, of, value);
	return checked.ok ? undefined : checked.detail;
};

test.each([
	...['2023-01-31', '2023-02-28', '2024-02-29', '2000-02-29', '2023-03-31', '2023-04-30'],
	...['2023-05-31', '2023-06-30', '2023-07-31', '2023-08-31', '2023-09-30', '2023-10-31'],
	...['2023-11-30', '2023-12-31', '2023-01-01', '0000-01-01', '9999-12-31'],
])('%s is a day', (day) => {
	expect([takes('date', day), takes('datetime', `${day}T00:00:00Z`)]).toEqual([true, true]);
});

test.each([
	...['2023-01-32', '2023-02-29', '1900-02-29', '2100-02-29', '2024-02-30', '2023-04-31'],
	...['2023-06-31', '2023-09-31', '2023-11-31', '2023-12-32', '2023-00-01', '2023-13-01'],
	...['2023-01-00', '2023-1-01', '20230101', ' 2023-01-01', '2023-01-01 ', '12023-01-01'],
	...['2023-01-001', ''],
])('%j is no day', (day) => {
	expect([takes('date', day), takes('datetime', `${day}T00:00:00Z`)]).toEqual([false, false]);
});

test.each([
	...['00:00:00Z', '23:59:59Z', '19:00:00Z', '20:00:00Z', '12:34:56.1Z', '12:34:56.123456789Z'],
	...['12:00:00+00:00', '12:00:00-23:59', '12:00:00+19:30', '12:00:00-05:30'],
])('T%s is a time', (time) => {
	expect(takes('datetime', `2024-01-01T${time}`)).toBe(true);
});

test.each([
	...['24:00:00Z', '12:60:00Z', '12:00:60Z', '12:00Z', '12:00:00', '12:00:00.Z'],
	...['12:00:00.1234567890Z', '12:00:00+24:00', '12:00:00+5:30', '12:00:00+05:60', '12:00:00z'],
	...['12:00:00ZZ', '1:00:00Z', '12:00:00+0530', '30:00:00Z'],
])('T%s is no time', (time) => {
	expect(takes('datetime', `2024-01-01T${time}`)).toBe(false);
});

test.each([
	['http://a', true],
	['https://a.example/b?c#d', true],
	['HTTPS://A', true],
	['ftp://a', false],
	['javascript:alert(1)', false],
	['//a', false],
	['http://', false],
	['a.example', false],
])('%s is an address: %p', (text, isOne) => {
	expect(takes('url', text)).toBe(isOne);
});

test.each([
	['a@b', true],
	['a.b+c@d.example', true],
	['a@b c', false],
	[' a@b', false],
	['a@b ', false],
	['a@@b', false],
	['@b', false],
	['a@', false],
	['ab', false],
])('%j is an e-mail address: %p', (text, isOne) => {
	expect(takes('email', text)).toBe(isOne);
});

test.each(['text', 'email', 'url'] as const)('%s ends at 10,000 characters', (type) => {
	const start = { text: '', email: 'a@', url: 'http://' }[type];
	expect(takes(type, start.padEnd(10_000, 'x'))).toBe(true);
	expect(reason(type, start.padEnd(10_001, 'x'))).toBe('is longer than 10000 characters');
});

test.each<[FieldType, unknown, string]>([
	['text', null, 'expected a string, got null'],
	['text', [], 'expected a string, got array'],
	['long_text', {}, 'expected a string, got object'],
	['number', '1', 'expected a number, got string'],
	['number', Infinity, 'is beyond the range of a double'],
	['boolean', 1, 'expected true or false, got number'],
	['date', 5, 'expected a date as YYYY-MM-DD, got number'],
	['date', 'x', 'expected a date as YYYY-MM-DD'],
	['datetime', 'x', 'expected an ISO 8601 timestamp with time zone'],
	['email', 'x', 'expected an e-mail address'],
	['url', 'x', 'expected an http or https address'],
	['single_select', 'x', 'expected one of the options: "Africa", "Asia", "Europe"'],
	['multi_select', 'Asia', 'expected an array, got string'],
	['multi_select', ['x'], 'expected an array of options: "Africa", "Asia", "Europe"'],
	['multi_select', ['Asia', 'Asia'], 'names an option twice'],
	['multi_select', ['Asia', 'opt_1'], 'names an option twice'],
	['multi_select', Array(4).fill('Asia'), 'has more entries than there are options'],
])('%s says why it does not take %j', (type, value, detail) => {
	expect(reason(type, value)).toBe(detail);
});

test('a name goes before an id, and what is kept is the name', () => {
	expect(stored('single_select', 'opt_2')).toBe('Europe');
	expect(stored('multi_select', ['opt_0', 'Asia'])).toEqual(['Africa', 'Asia']);
	const crossed = [
		{ id: 'a', name: 'b' },
		{ id: 'b', name: 'c' },
	];
	expect(checkValue('single_select', crossed, 'b')).toEqual({ ok: true, value: 'b' });
	expect(checkValue('multi_select', crossed, [])).toEqual({ ok: true, value: [] });
});
