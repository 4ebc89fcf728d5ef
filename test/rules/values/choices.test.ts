/** The choices of a field: read from a listing, and added to it. */
import { choiceListOf, readOptions } from '../../../nodes/WorkspaceData/values/choiceList';
import {
	addingChoices,
	newChoices,
	storedChoice,
} from '../../../nodes/WorkspaceData/values/choices';
import { field } from './field';

const open = { id: 'o1', name: 'Open', color: 'red' };

test.each<[string, unknown, unknown]>([
	['texts', ['Open'], [{ label: 'Open', stored: 'Open' }]],
	['numbers', [7], [{ label: '7', stored: 7 }]],
	['names with IDs', [open], [{ label: 'Open', stored: 'Open', id: 'o1' }]],
	['labels with values', [{ value: 1, label: 'Low' }], [{ label: 'Low', stored: 1 }]],
	['the member choices', { choices: ['Open'], other: 1 }, [{ label: 'Open', stored: 'Open' }]],
	['an object without choices', { allowed: ['Open'] }, []],
	['entries of another form', [['Open'], { text: 'Open' }, null], []],
	['none', null, []],
])('%s', (_what, options, expected) => {
	expect(readOptions(choiceListOf({ options }))).toEqual(expected);
});

test.each<[unknown, unknown, unknown]>([
	[['Open'], { options: ['Open', 'Late'] }, 'texts'],
	[[open], { options: [open, { name: 'Late' }] }, 'objects with names'],
	[[{ label: 'Open' }], { options: [{ label: 'Open' }, { label: 'Late' }] }, 'with labels'],
	[null, { options: ['Late'] }, 'none yet'],
	[
		{ choices: ['Open'], sorted: true },
		{ options: { choices: ['Open', 'Late'], sorted: true } },
		'',
	],
])('Late is added to %j: those that are there stay as they came', (options, change) => {
	expect(addingChoices({ raw: { id: 's', options } }, ['Late'])).toEqual(change);
});

const RATED = [0, 1].map((value) => ({ value, id: `r${value}`, label: String(1 - value) }));

test.each<[unknown, string | undefined]>([
	[0, '1'],
	['r1', '0'],
	['1', '1'],
	['2', undefined],
	[{ value: 0 }, undefined],
	[null, undefined],
])('a record that holds %j has the choice %j: by value, ID, then label', (stored, label) => {
	expect(storedChoice(readOptions(RATED), stored)?.label).toBe(label);
});

test.each<[string, unknown, unknown[], string[]]>([
	['select', ['Open', 'open'], ['OPEN', 'open', 'Late'], ['Late']],
	[
		'select',
		[open],
		['Open', 'open ', 'o1', 'Late', 'late', ' Late', '', ' ', null, undefined, {}, 7],
		['Late', '7'],
	],
	[
		'multi_select',
		['red, white', 'home'],
		['red, white', ['home', 'x, y'], '["z"]', 5],
		['x, y', 'z', '5'],
	],
	['multi_select', ['a'], ['b; c\nd, a'], ['b', 'c', 'd']],
	['select', [10, 20].map((id) => ({ id, name: `L${id}` })), ['20', 20], ['20']],
	['text', [], ['a'], []],
])('%s of %j: the new choices in %j are %j', (type, options, values, added) => {
	expect(newChoices(field('F', type, options), values)).toEqual(added);
});

test('text that nobody means as a choice is never added', () => {
	const none = ['red\nblue', 'null', 'undefined', 'NaN', '{"a":1}', "['red','blue']", '[1,2'];
	for (const type of ['select', 'multi_select'])
		expect(newChoices(field('F', type, ['red', 'blue']), none)).toEqual([]);
});
