/** New choices of a field, in each shape that options can have. */
import {
	addingChoices,
	newChoices,
	settingChoices,
} from '../../../nodes/WorkspaceData/values/newChoices';
import { field as fieldOf } from '../model/fields';

const field = (type: string, options: unknown) => fieldOf('Status', type, options);

const open = { id: 'o1', name: 'Open', color: 'red' };
const first = { value: 1, text: 'Open' };

test.each([
	['texts', ['Open'], ['Open', 'Late']],
	['names with IDs, and more', [open], [open, { name: 'Late' }]],
	['titles', [{ id: 1, title: 'Open' }], [{ id: 1, title: 'Open' }, { title: 'Late' }]],
	['values with texts', [first], [first, { value: 'Late', text: 'Late' }]],
	['bare values', [{ value: 'Open' }], [{ value: 'Open' }, { value: 'Late' }]],
	['none yet', [], ['Late']],
	['null', null, ['Late']],
])(
	'%s: those that are there stay as they came, new ones take their shape',
	(_what, had, expected) => {
		expect(addingChoices(field('select', had), ['Late'])).toEqual({ options: expected });
	},
);

test('a new list has what was entered: another case is another choice, as people may want to rename one', () => {
	const had = [{ id: 'o2', name: 'Done' }];
	expect(settingChoices(field('select', had), ['done'])).toEqual({ options: [{ name: 'done' }] });
});

test('a text that two choices have is refused: keeping one of them would be a guess', () => {
	const had = [
		{ id: 'o1', name: 'Done' },
		{ id: 'o2', name: 'Done' },
	];
	expect(() => settingChoices(field('select', had), ['Done'])).toThrow("'Done' matches 2 choices");
});

test('a third spelling of two choices is no new one: their field refuses it', () => {
	expect(newChoices(field('select', ['Open', 'open']), ['OPEN', 'open', 'Late'])).toEqual(['Late']);
});

test('each new choice once; known choices in any spelling, empty values and other types add none', () => {
	const status = field('select', [{ id: 'o1', name: 'Open' }]);
	const values = ['Open', 'open ', 'o1', 'Late', 'late', ' Late', '', ' ', null, undefined, {}, 7];
	expect(newChoices(status, values)).toEqual(['Late', '7']);
	const tags = field('multi_select', ['red, white', 'home']);
	const given = ['red, white, new', ['home', 'x, y'], '["z"]', '"a, b"', 5];
	expect(newChoices(tags, given)).toEqual(['new', 'x, y', 'z', 'a, b', '5']);
});

test('text that nobody means as a choice is never added', () => {
	const none = ['red\nblue', 'null', 'undefined', 'NaN', '{"a":1}', "['red','blue']", '[1,2'];
	for (const type of ['select', 'multi_select']) {
		expect(newChoices(field(type, ['red', 'blue']), [...none, 'red; blue'])).toEqual([]);
	}
});

test('the text of a number that identifies another choice is a new choice', () => {
	const levels = [10, 20, 30].map((id) => ({ id, name: `L${id}` }));
	expect(newChoices(field('select', levels), ['20', 20])).toEqual(['20']);
});
