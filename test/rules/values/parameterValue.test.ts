/** What parameters hold, as text and numbers. */
import fc from 'fast-check';
import { plainNumber, plainText } from '../../../nodes/WorkspaceData/values/messageText';

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
