import { showValue } from '../../../nodes/WorkspaceData/values/messageText';
import {
	canonicalJson,
	isSendable,
	jsonForm,
	textOf,
} from '../../../nodes/WorkspaceData/values/serialization';

const date = new Date('2026-03-31T10:00:00Z');
const invalid = new Date(NaN);

test('a value as text loses nothing', () => {
	expect([null, undefined, 5, true, 'a', [1, 'a'], { a: null }, date].map(textOf)).toEqual([
		...['null', 'undefined', '5', 'true', 'a', '[1,"a"]', '{"a":null}'],
		'2026-03-31T10:00:00.000Z',
	]);
	expect([date, 5, { toJSON: 1 }, null].map(jsonForm)).toEqual([
		...[date.toISOString(), 5, { toJSON: 1 }, null],
	]);
});

test('JSON with the keys of objects in order, those of objects in lists, too', () => {
	expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
	expect(canonicalJson([2, 1])).toBe('[2,1]');
	expect(canonicalJson(undefined)).toBe('null');
});

test.each<[unknown, boolean]>([
	[undefined, true],
	[null, true],
	[NaN, false],
	[date, true],
	[invalid, false],
	[{ toJSON: () => NaN }, false],
	[{ toJSON: () => 'x' }, true],
	[{ a: [1, { b: NaN }] }, false],
	[[undefined], true],
	[10n, false],
	[[() => 1], false],
])('JSON can carry %p: %s', (value, sendable) => {
	expect(isSendable(value)).toBe(sendable);
});

test.each<[unknown, string]>([
	['a', '"a"'],
	[undefined, 'undefined'],
	['x'.repeat(58), `"${'x'.repeat(58)}"`],
	['x'.repeat(59), `"${'x'.repeat(59)}…`],
])('%p is shown as %s', (value, shown) => {
	expect(showValue(value)).toBe(shown);
});
