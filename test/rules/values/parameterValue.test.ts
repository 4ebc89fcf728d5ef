/** What parameters hold, as texts, numbers and names. */
import fc from 'fast-check';
import {
	plainNames,
	plainNumber,
	plainText,
} from '../../../nodes/WorkspaceData/values/parameterValue';

test('every value has a text, objects with odd properties, too', () => {
	expect([null, undefined, 5, true].map(plainText)).toEqual(['null', 'undefined', '5', 'true']);
	expect(plainText({ toString: 0 })).toBe('{"toString":0}');
	expect(plainText([1, 'a'])).toBe('[1,"a"]');
	fc.assert(fc.property(fc.jsonValue(), (value) => void plainText(value)));
});

test('numbers, also as text', () => {
	expect([5, '5', ' 5.5 '].map(plainNumber)).toEqual([5, 5, 5.5]);
	for (const value of ['five', undefined, {}, [5]]) expect(plainNumber(value)).toBeNaN();
});

test.each<[unknown, string[]]>([
	['a, b ,c', ['a', 'b', 'c']],
	[' a b ', ['a b']],
	[',a,, ', ['a']],
	[null, []],
	[7, ['7']],
	// Names in a list may have outer spaces and commas.
	[
		[' a,b', '', ' ', 5],
		[' a,b', '5'],
	],
])('the names in %j are %j', (value, names) => {
	expect(plainNames(value)).toEqual(names);
});
