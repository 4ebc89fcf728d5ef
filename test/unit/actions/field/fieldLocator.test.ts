/** Which field was chosen, where fields have been renamed, replaced or deleted since. */
import {
	locateExactField,
	locateField,
	fieldPath,
} from '../../../../nodes/WorkspaceData/actions/field/fieldLocator';
import { readFieldOptions } from '../../../../nodes/WorkspaceData/actions/field/create.operation';
import type { Run } from '../../../../nodes/WorkspaceData/actions/run/run';
import { indexFields } from '../../../../nodes/WorkspaceData/model/fieldIndex';
import type { Locator } from '../../../../nodes/WorkspaceData/model/locator';
import { field } from '../../../rules/model/fields';

const card = { id: 'c1', name: 'Books' };
const cardLocator: Locator = { mode: 'id', value: 'c1' };

/** A run whose card has these fields now, by ID. */
function runOf(names: Record<string, string>) {
	const fields = Object.entries(names).map(([id, name]) => field(name, 'text', [], id));
	const asked: string[] = [];
	const run = {
		cards: {
			find: async () => (asked.push('card'), card),
			findExact: async () => (asked.push('exact card'), card),
		},
		fields: { of: async () => indexFields(fields, card.name) },
	} as unknown as Run;
	return { run, asked };
}

const fromList = (value: string, cachedResultName?: string): Locator => ({
	mode: 'list',
	value,
	...(cachedResultName !== undefined && { cachedResultName }),
});
const byName = (value: string): Locator => ({ mode: 'name', value });
const byId = (value: string): Locator => ({ mode: 'id', value });

describe('a field that is read or changed', () => {
	test.each<[string, Locator, Record<string, string>, string]>([
		['is the one with the ID', byId('f1'), { f1: 'Title', f2: 'Pages' }, 'f1'],
		['is the same after it was renamed', fromList('f1', 'Old'), { f1: 'New', f2: 'Old' }, 'f1'],
		[
			'is found by its name where its ID has changed',
			fromList('f1', 'Title'),
			{ f9: 'Title' },
			'f9',
		],
		['is found by its name', byName('Title'), { f1: 'Title' }, 'f1'],
		['is found by a name that differs in case', byName('title'), { f1: 'Title' }, 'f1'],
	])('%s', async (_, locator, names, id) => {
		const { run, asked } = runOf(names);
		expect(await locateField(run, cardLocator, locator)).toMatchObject({ card, field: { id } });
		expect(asked).toEqual(['card']);
	});

	test.each<[string, Locator]>([
		['its ID has changed and its name is not known', fromList('f1')],
		['its ID is a name', byId('Title')],
		['neither its ID nor its name is there', fromList('f1', 'Gone')],
	])('is not found where %s; the message names the fields', async (_, locator) => {
		const { run } = runOf({ f8: 'Title', f9: 'Pages' });
		const names =
			"Field IDs can change. Choose the field again, or use 'By Name': 'Title', 'Pages'.";
		await expect(locateField(run, cardLocator, locator)).rejects.toMatchObject({
			message: `Card 'Books' has no field with the ID '${String(locator.value)}'`,
			description: names,
		});
	});

	test.each([
		[20, /'Name 19'\.$/],
		[21, /'Name 19' and 1 more\.$/],
	])('of a card with %d fields: the message names twenty', async (count, description) => {
		const entries = Array.from({ length: count }, (_, n) => [`f${n}`, `Name ${n}`] as const);
		const { run } = runOf(Object.fromEntries(entries));
		await expect(locateField(run, cardLocator, byId('x'))).rejects.toMatchObject({
			description: expect.stringMatching(description),
		});
	});

	test('that nobody chose stops before the card is looked for', async () => {
		const { run, asked } = runOf({ f1: 'Title' });
		await expect(locateField(run, cardLocator, byId(' '))).rejects.toThrow("'Field' is empty");
		await expect(locateExactField(run, cardLocator, byId(''))).rejects.toThrow("'Field' is empty");
		expect(asked).toEqual([]);
	});
});

describe('a field that is deleted', () => {
	test.each<[string, Locator, Record<string, string>, string]>([
		['is the one with the ID', byId('f1'), { f1: 'Title', f2: 'Pages' }, 'f1'],
		['is the one with the ID, whatever it is called', byId('f1'), { f1: 'f2', f2: 'f1' }, 'f1'],
		['is the chosen one', fromList('f1', 'Title'), { f1: 'Title', f2: 'Pages' }, 'f1'],
		[
			'is the chosen one beside a field of the same name',
			fromList('f1', 'Title'),
			{ f1: 'Title', f2: 'Title' },
			'f1',
		],
		[
			'is the chosen one after it was renamed',
			fromList('f1', 'Old'),
			{ f1: 'New', f2: 'Pages' },
			'f1',
		],
		['is the one of exactly the name', byName('Title'), { f1: 'Title', f2: 'title' }, 'f1'],
	])('%s', async (_, locator, names, id) => {
		const { run, asked } = runOf(names);
		expect(await locateExactField(run, cardLocator, locator)).toMatchObject({
			card,
			field: { id },
		});
		expect(asked).toEqual(['exact card']);
	});

	test('is in doubt where the chosen one has left its name to another', async () => {
		const { run } = runOf({ f1: 'New', f2: 'Old' });
		await expect(locateExactField(run, cardLocator, fromList('f1', 'Old'))).rejects.toMatchObject({
			message: "The chosen field 'Old' is now called 'New', and another field has the old name",
			description: "Nothing was deleted. Choose the field again: f1 is 'New', f2 is 'Old'.",
		});
	});

	test.each<[string, Locator]>([
		['its ID has changed', fromList('f1', 'Title')],
		['the name differs in case', byName('TITLE')],
		['the name has outer spaces', byName(' Title ')],
	])('is not found where %s', async (_, locator) => {
		const { run } = runOf({ f9: 'Title' });
		await expect(locateExactField(run, cardLocator, locator)).rejects.toThrow(
			/has no field|no field/,
		);
	});
});

test('the path of a field', () => {
	expect(fieldPath('c1', 'f1')).toEqual([
		'cards',
		{ value: 'c1', parameter: 'Card' },
		'fields',
		{ value: 'f1', parameter: 'Field' },
	]);
});

test.each<[object, object]>([
	[{}, {}],
	[{ choices: '' }, {}],
	[{ choices: ' a , b ,, a ' }, { options: ['a', 'b'] }],
	[{ choices: ['a', null, 5, 'a', ' '] }, { options: ['a', '5'] }],
	[{ options: '["x"]' }, { options: ['x'] }],
	[{ options: [] }, { options: [] }],
	[{ options: '[]', choices: 'a' }, { options: ['a'] }],
])('the options %j are sent as %j', (entered, sent) => {
	expect(readFieldOptions(entered)).toEqual(sent);
});

test.each([[{ options: '["x"]', choices: 'a' }], [{ options: '{}', choices: 'a' }]])(
	'%j is entered twice',
	(entered) => {
		expect(() => readFieldOptions(entered)).toThrow('are both filled in');
	},
);

test('choices get the shape that the field has them in, and known ones may have commas', () => {
	const { options } = field('Colour', 'single_select', ['Red, white', 'Blue']);
	const shape = (texts: string[]) => ({ settings: { choices: texts } });
	expect(readFieldOptions({ choices: 'Red, white, Green' }, shape, options)).toEqual({
		settings: { choices: ['Red, white', 'Green'] },
	});
});
