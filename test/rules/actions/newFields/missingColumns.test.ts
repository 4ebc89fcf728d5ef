/** Which fields and choices a card lacks for the values of a run. */
import {
	valuesByColumn,
	missingChoices,
	missingColumns,
	storedNames,
} from '../../../../nodes/WorkspaceData/actions/newFields/missingColumns';
import { FieldIndex, type FieldHint } from '../../../../nodes/WorkspaceData/model/fieldIndex';
import { field } from '../../model/fields';

type Entry = [string, unknown];

const writeOf = (entries: Entry[], hints: Array<[string, FieldHint]> = []) => ({
	columns: { entries, hints: new Map(hints) },
});

const columns = async (...writes: Array<ReturnType<typeof writeOf>>) =>
	await valuesByColumn({ yieldToLoop: async () => {} }, writes);

describe('missing fields', () => {
	const index = new FieldIndex(
		[field('Title'), field('Twin', 'text', [], 't1'), field('Twin', 'text', [], 't2')],
		'Books',
	);
	const missing = async (entries: Entry[], hints: Array<[string, FieldHint]> = []) =>
		missingColumns(index, await columns(writeOf(entries, hints)));

	const renamed: FieldHint = { fieldId: 'id-Title' };
	test.each<[string, string[], Array<[string, FieldHint]>, string[]]>([
		['a name that no field has', ['Pages'], [], ['Pages']],
		['not a name that a field has', ['Title'], [], []],
		['not the ID of a field', ['id-Title'], [], []],
		['not a name that differs in case only', ['title'], [], []],
		['not where the mapper knows the field', ['title', 'Title'], [['title', renamed]], []],
		['not the old name of a field that was renamed', ['Old'], [['Old', renamed]], []],
		['not an ambiguous name: its item says so', ['Twin'], [], []],
		['not an empty name, which no field can have', ['', ' '], [], []],
	])('%s', async (_, keys, hints, names) => {
		const entries = keys.map((key): Entry => [key, 'a']);
		expect((await missing(entries, hints)).map(({ name }) => name)).toEqual(names);
	});
});

test.each([
	['My Col', 'my_col', true],
	['my-col', 'my_col', true],
	['Café Bar', 'café_bar', true],
	['Price (€)', 'price', false],
	['Unit/Price (net)', 'unit_price_net', true],
	['C#', 'c', false],
])('a column %s goes into a field that the service calls %s: %s', (column, name, isSame) => {
	const stored = storedNames(new FieldIndex([field(name)], 'Books'), [{ name: column }]);
	expect(stored.has(column)).toBe(isSame);
});

test('missing choices are the ones that values name, whichever name the field goes by', async () => {
	const status = field('Status', 'single_select', ['Open']);
	const all = await columns(writeOf([['Status', 'Done']]), writeOf([['id-Status', 'Later']]));
	expect(missingChoices(new FieldIndex([status], 'Books'), all)).toEqual([
		{ field: status, labels: ['Done', 'Later'] },
	]);
});
