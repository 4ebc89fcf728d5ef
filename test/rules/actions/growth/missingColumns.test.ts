/** Which fields and choices a card lacks for the values of a run. */
import {
	columnsOf,
	keptNames,
	missingChoices,
	missingColumns,
	type PlannedWrites,
} from '../../../../nodes/WorkspaceData/actions/growth/missingColumns';
import { FieldIndex, type FieldHint } from '../../../../nodes/WorkspaceData/model/fieldIndex';
import { field } from '../../model/fields';

type Entry = [string, unknown];

const writeOf = (
	entries: Entry[],
	hints: Array<[string, FieldHint]> = [],
): PlannedWrites[number] => ({
	columns: { entries, hints: new Map(hints), matchingKeys: [], label: 'Values' },
	options: {},
	request: {},
});

const columns = async (...writes: PlannedWrites) =>
	await columnsOf({ yieldToLoop: async () => {} }, writes);

test('the values of all items, by column, in the order in which columns come', async () => {
	const all = await columns(
		writeOf(
			[
				['B', 1],
				['A', 2],
			],
			[['B', { name: 'Bee' }]],
		),
		writeOf([
			['C', 3],
			['B', undefined],
		]),
	);
	expect([...all]).toEqual([
		['B', { values: [1, undefined], hint: { name: 'Bee' } }],
		['A', { values: [2], hint: undefined }],
		['C', { values: [3], hint: undefined }],
	]);
});

test('thousands of items share the event loop', async () => {
	let yields = 0;
	const writes = new Array<PlannedWrites[number]>(2_001).fill(writeOf([['A', 1]]));
	await columnsOf({ yieldToLoop: async () => void (yields += 1) }, writes);
	expect(yields).toBe(3);
});

describe('missing fields', () => {
	const index = new FieldIndex(
		[field('Title'), field('Twin', 'text', [], 't1'), field('Twin', 'text', [], 't2')],
		'Books',
	);
	const missing = async (entries: Entry[], hints: Array<[string, FieldHint]> = []) =>
		missingColumns(index, await columns(writeOf(entries, hints)));

	test.each<[string, Entry[], Array<[string, FieldHint]>, string[]]>([
		['a name that no field has', [['Pages', 1]], [], ['Pages']],
		['not a name that a field has', [['Title', 'a']], [], []],
		['not the ID of a field', [['id-Title', 'a']], [], []],
		['not a name that differs in case only', [['title', 'a']], [], []],
		[
			'not where the mapper knows which field it is',
			[
				['title', 'a'],
				['Title', 'b'],
			],
			[['title', { fieldId: 'id-Title' }]],
			[],
		],
		[
			'not the old name of a field that was renamed',
			[['Old', 'a']],
			[['Old', { fieldId: 'id-Title' }]],
			[],
		],
		['not an ambiguous name: its item says so', [['Twin', 'a']], [], []],
		[
			'not a blank name: no field can have it (M19)',
			[
				['', 'a'],
				[' ', 'b'],
			],
			[],
			[],
		],
		[
			'not an ID beside the column of its field',
			[
				['id-Title', 'a'],
				['Title', 'b'],
			],
			[],
			[],
		],
	])('%s', async (_, entries, hints, names) => {
		expect((await missing(entries, hints)).map(({ name }) => name)).toEqual(names);
	});

	test('with the values of all items', async () => {
		const all = await columns(writeOf([['Pages', 1]]), writeOf([['Pages', 2]]));
		expect(missingColumns(index, all)).toEqual([{ name: 'Pages', values: [1, 2] }]);
	});
});

test.each([
	['My Col', 'my_col', true],
	['My  Col', 'my-col', true],
	['my-col', 'my_col', true],
	['Café Bar', 'café_bar', true],
	['Price (€)', 'price', false],
	['Unit/Price (net)', 'unit_price_net', true],
	['Discount %', 'discount', false],
	['C#', 'c', false],
])('a column %s goes into a field that the service calls %s: %s (O5)', (column, name, isSame) => {
	const kept = keptNames(new FieldIndex([field(name)], 'Books'), [{ name: column, values: [] }]);
	expect(kept.has(column)).toBe(isSame);
});

describe('missing choices', () => {
	const status = field('Status', 'single_select', ['Open']);
	const index = new FieldIndex(
		[
			status,
			field('Title'),
			field('Twin', 'single_select', ['a'], 't1'),
			field('Twin', 'single_select', ['a'], 't2'),
		],
		'Books',
	);
	const missing = async (...entries: Entry[]) =>
		missingChoices(index, await columns(writeOf(entries)));

	test("are those that values name and the field doesn't have, by whatever name of the field", async () => {
		expect(await missing(['Status', 'Done'], ['id-Status', 'Later'])).toEqual([
			{ field: status, texts: ['Done', 'Later'] },
		]);
	});

	test.each<[string, Entry]>([
		['a choice that is there', ['Status', 'Open']],
		['a text field', ['Title', 'Done']],
		['an unknown field', ['Nope', 'Done']],
		['an ambiguous field', ['Twin', 'Done']],
	])('are none for %s', async (_, entry) => {
		expect(await missing(entry)).toEqual([]);
	});
});
