/** New choices of a field, in each shape that options can have. */
import {
	addingChoices,
	newChoices,
	settingChoices,
} from '../../../../nodes/WorkspaceData/model/value/newChoices';
import { readField } from '../../../../nodes/WorkspaceData/model/response/field';

function field(type: string, options: unknown, key = 'options') {
	const read = readField({ id: 'f', name: 'Status', type, [key]: options });
	if (!read) throw new Error('not a field');
	return read;
}

test.each([
	['texts', ['Open'], ['Open', 'Late']],
	[
		'names with IDs, and more',
		[{ id: 'o1', name: 'Open', color: 'red' }],
		[{ id: 'o1', name: 'Open', color: 'red' }, { name: 'Late' }],
	],
	[
		'values with labels',
		[{ value: 'open', label: 'Open' }],
		[
			{ value: 'open', label: 'Open' },
			{ value: 'Late', label: 'Late' },
		],
	],
	['titles', [{ id: 1, title: 'Open' }], [{ id: 1, title: 'Open' }, { title: 'Late' }]],
	['bare values', [{ value: 'Open' }], [{ value: 'Open' }, { value: 'Late' }]],
	['none yet', [], ['Late']],
	['nothing', undefined, ['Late']],
	['null', null, ['Late']],
])(
	'%s: those that are there stay as they came, new ones take their shape',
	(_what, had, expected) => {
		expect(addingChoices(field('select', had), ['Late'])).toEqual({ options: expected });
	},
);

test('a list inside an object stays in it, and one under another key stays there (H3)', () => {
	const inside = { choices: [{ id: 'o1', name: 'Open' }], allowOther: false };
	expect(addingChoices(field('select', inside), ['Late'])).toEqual({
		options: { choices: [{ id: 'o1', name: 'Open' }, { name: 'Late' }], allowOther: false },
	});
	expect(addingChoices(field('select', ['Open'], 'choices'), ['Late'])).toEqual({
		choices: ['Open', 'Late'],
	});
});

test('a new list keeps the objects of choices that stay, and drops the others', () => {
	const had = [
		{ id: 'o1', name: 'Open' },
		{ id: 'o2', name: 'Done' },
	];
	expect(settingChoices(field('select', had), ['Late', 'Done'])).toEqual({
		options: [{ name: 'Late' }, { id: 'o2', name: 'Done' }],
	});
});

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

test.each<[string, unknown]>([
	['an object without a list', { o1: 'Open' }],
	['a text', 'Open,Done'],
	['a list with a choice that has no text', [{ id: 'o1', name: 'Open' }, { colour: 'red' }]],
])('%s: nothing is sent, as the choices that are there could be lost', (_what, had) => {
	const shown = "The choices of field 'Status' are in a form that this node doesn't know";
	expect(() => addingChoices(field('select', had), ['Late'])).toThrow(shown);
	expect(() => settingChoices(field('select', had), ['Late'])).toThrow(shown);
});

test('a third spelling of two choices is no new one: their field refuses it', () => {
	expect(newChoices(field('select', ['Open', 'open']), ['OPEN', 'open', 'Late'])).toEqual(['Late']);
});

test('each new choice once; known choices in any spelling, empty values and other types add none', () => {
	const status = field('select', [{ id: 'o1', name: 'Open' }]);
	const values = ['Open', 'open ', 'o1', 'Late', 'late', ' Late', '', ' ', null, undefined, {}, 7];
	expect(newChoices(status, values)).toEqual(['Late', '7']);
	const tags = field('multi_select', ['red, white', 'home']);
	expect(newChoices(tags, ['red, white, new', ['home', 'x, y'], '["z"]', '"a, b"', 5])).toEqual([
		'new',
		'x, y',
		'z',
		'a, b',
		'5',
	]);
});
