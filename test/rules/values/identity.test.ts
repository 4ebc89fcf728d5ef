/** Which stored values are the same value: what laws.test.ts doesn't generate. */
import fc from 'fast-check';
import { isEmpty } from '../../../nodes/WorkspaceData/values/emptyValue';
import { keyOf } from '../../../nodes/WorkspaceData/values/identity';
import { field } from '../model/fields';
import { zone } from './zone';

const OPTIONS = ['Open', 'In Work', 'Done'].map((name, place) => ({ id: `o${place + 1}`, name }));
const typed = (type: string) => field('F', type, type.endsWith('select') ? OPTIONS : []);

test.each<[string, unknown, unknown, boolean]>([
	['number', 10, 'ten', false],
	['number', '12345678901234567890', '12345678901234567891', false],
	['datetime', 'N/A 1', 'n/a 1', false],
	['number', '1e-400', 0, false],
	['number', '0x7', 7, false],
	['single_select', 'o1', 'Open', true],
	['multi_select', ['o1', 'Done'], ['done', 'open'], false],
	['multi_select', ['o1', 'removed'], ['removed', 'Open'], true],
	['multi_select', ['"o1"'], ['o1'], false],
	['a type of the future', 5, '5.0', false],
	// The address of a file is signed anew with each listing.
	['a type of the future', { id: 'f', url: 'a' }, { url: 'b', id: 'f' }, true],
	['a type of the future', [{ id: 1, url: 'a' }], [{ id: 1, url: 'b' }], true],
	['a type of the future', [{ id: 1 }, { id: 2 }], [{ id: 1 }], false],
	['a type of the future', { id: 'f' }, { id: 'g' }, false],
	['json', { id: 1, url: 'a' }, { id: 1, url: 'b' }, false],
	['json', 'one note', 'another note', false],
	['multi_select', ['o1', 'removed'], ['o1', 'other'], false],
	['text', [], undefined, true],
])('%s: %j and %j are the same value: %s', (type, a, b, same) => {
	expect(keyOf(typed(type), a, zone) === keyOf(typed(type), b, zone)).toBe(same);
});

const NEW = { id: 'o0', name: 'New' };

test.each<[string, unknown[], unknown[], unknown]>([
	['single_select', OPTIONS, [NEW, ...OPTIONS].reverse(), 'Done'],
	['single_select', ['Open', 'Done'], ['New', 'Done', 'Open'], 'Open'],
	['single_select', [{ name: 'Open' }], [{ name: 'New' }, { name: 'Open' }], 'Open'],
	['multi_select', OPTIONS, [NEW, ...OPTIONS], ['o1', 'o3']],
])('%s of %j, now %j: %j is still the same value, and not another', (type, before, now, stored) => {
	const [then, since] = [field('F', type, before), field('F', type, now)];
	expect(keyOf(since, stored, zone)).toBe(keyOf(then, stored, zone));
	expect(keyOf(since, stored, zone)).not.toBe(keyOf(since, 'New', zone));
});

test('an object where a choice is expected is the same value whatever the order of its keys, and is no text', () => {
	const open = field('Open', 'single_select');
	const key = keyOf(open, { a: 1, b: 2 }, zone);
	expect(key).toBe(keyOf(open, { b: 2, a: 1 }, zone));
	expect(key).not.toBe(keyOf(open, '{"a":1,"b":2}', zone));
});

test('any value has an identity: reading it never throws, and tells the empty from the rest', () => {
	fc.assert(
		fc.property(
			fc.constantFrom('text', 'number', 'date', 'datetime', 'multi_select', 'json', 'new'),
			fc.jsonValue(),
			(type, value) => {
				expect(keyOf(typed(type), value, zone)).toBe(
					keyOf(typed(type), structuredClone(value), zone),
				);
				expect(keyOf(typed(type), value, zone) === '').toBe(isEmpty(value));
			},
		),
	);
});
