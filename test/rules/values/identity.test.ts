/** Which stored values are the same value. */
import fc from 'fast-check';
import { isEmpty } from '../../../nodes/WorkspaceData/values/emptyValue';
import { identityOf } from '../../../nodes/WorkspaceData/values/identity';
import { readNumber } from '../../../nodes/WorkspaceData/values/decimal';
import { field } from './field';
import { zone } from './zone';

const OPTIONS = ['Open', 'In Work', 'Done'].map((name, place) => ({ id: `o${place + 1}`, name }));
const typed = (type: string) => field('F', type, type.endsWith('select') ? OPTIONS : []);
const isSame = (type: string, a: unknown, b: unknown): boolean =>
	identityOf(typed(type), a, zone) === identityOf(typed(type), b, zone);

test.each<[string, unknown, unknown, boolean]>([
	['number', 10, 'ten', false],
	['number', '12345678901234567890', '12345678901234567891', false],
	['number', '9007199254740992', 2 ** 53, true],
	['number', '0x7', 7, false],
	['datetime', 'N/A 1', 'n/a 1', false],
	['datetime', '2026-01-01T10:00:00.000001Z', '2026-01-01T10:00:00.000002Z', false],
	['datetime', '2026-01-01T10:00:00.050Z', '2026-01-01T04:30:00.05-05:30', true],
	['boolean', '0', false, true],
	['boolean', 0, false, true],
	['boolean', 1, true, true],
	['text', 'a', ' a', false],
	['text', 'é', 'e\u0301', false],
	['text', '7', 7, true],
	['json', '{"a":1}', { a: 1 }, true],
	['single_select', 'o1', 'Open', true],
	['single_select', 'removed', '"removed"', false],
	['multi_select', ['o1', 'Done'], ['done', 'open'], false],
	['multi_select', ['o1', 'removed'], ['removed', 'Open', 'o1'], true],
	['multi_select', ['o1', 'removed'], ['o1', 'other'], false],
	['a type of the future', 5, '5.0', false],
	['a type of the future', { id: 'f', url: 'a' }, { url: 'a', id: 'f' }, true],
	['json', '{"n":12345678901234567890}', '{"n":12345678901234567891}', false],
	['json', 'one note', 'another note', false],
	['text', [], undefined, true],
])('%s: %j and %j are the same value: %s', (type, a, b, same) => {
	expect(isSame(type, a, b)).toBe(same);
});

test.each([
	['single_select', OPTIONS, [{ id: 'o0', name: 'New' }, ...OPTIONS].reverse(), 'Done'],
	['single_select', ['Open', 'Done'], ['New', 'Done', 'Open'], 'Open'],
	['multi_select', OPTIONS, [{ id: 'o0', name: 'New' }, ...OPTIONS], ['o1', 'o3']],
])('%s: %j, now %j: a value stays the same when choices are added', (type, before, now, stored) => {
	const [then, since] = [field('F', type, before), field('F', type, now)];
	expect(identityOf(since, stored, zone)).toBe(identityOf(then, stored, zone));
	expect(identityOf(since, stored, zone)).not.toBe(identityOf(since, 'New', zone));
});

test('any value has an identity: reading it never throws, and tells the empty from the rest', () => {
	const types = ['text', 'number', 'date', 'datetime', 'multi_select', 'json', 'new'];
	fc.assert(
		fc.property(fc.constantFrom(...types), fc.jsonValue(), (type, value) => {
			expect(isSame(type, value, structuredClone(value))).toBe(true);
			expect(identityOf(typed(type), value, zone) === '').toBe(isEmpty(value));
		}),
	);
});

test.each<[unknown, unknown]>([
	['-12.50', -12.5],
	[' +1e3 ', 1000],
	['.5', 0.5],
	['5.', 5],
	['+9007199254740993', 9007199254740993n],
	[1e20, 10n ** 20n],
	['1e400', undefined],
	['.', undefined],
	['0x10', undefined],
	['Infinity', undefined],
	['1e', undefined],
	[' ', undefined],
	[true, undefined],
])('%j is the number %p', (value, number) => expect(readNumber(value)).toBe(number));
