/** Which fields and choices a card lacks for the values of a run. */
import {
	valuesByColumn,
	missingChoices,
	missingColumns,
	storedNames,
} from '../../../../nodes/WorkspaceData/actions/newFields/missingColumns';
import { FieldIndex, type FieldHint } from '../../../../nodes/WorkspaceData/records/fieldIndex';
import { field } from '../../model/fields';

type Entry = [string, unknown];

/** The columns of items. @param renamed keys of which the mapper knows the field */
const columns = async (items: Entry[][], renamed: string[] = []) => {
	const hints = new Map(renamed.map((key): [string, FieldHint] => [key, { fieldId: 'id-Title' }]));
	const writes = items.map((entries) => ({ columns: { entries, hints } }));
	return await valuesByColumn({ yieldToLoop: async () => {} }, writes);
};

const twins = ['t1', 't2'].map((id) => field('Twin', 'text', [], id));
const index = new FieldIndex([field('Title'), ...twins], 'Books');

test.each<[string, string[], string[], string[]]>([
	['a name that no field has', ['Pages'], [], ['Pages']],
	['not a name that a field has', ['Title'], [], []],
	['not the ID of a field', ['id-Title'], [], []],
	['not a name that differs in case only', ['title'], [], []],
	['not where the mapper knows the field', ['title', 'Title'], ['title'], []],
	['not the old name of a field that was renamed', ['Old'], ['Old'], []],
	['not an ambiguous name: its item says so', ['Twin'], [], []],
	['not an empty name, which no field can have', ['', ' '], [], []],
])('missing fields: %s', async (_, keys, renamed, names) => {
	const missing = missingColumns(index, await columns([keys.map((key) => [key, 'a'])], renamed));
	expect(missing.map(({ name }) => name)).toEqual(names);
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
	const all = await columns([[['Status', 'Done']], [['id-Status', 'Later']]]);
	expect(missingChoices(new FieldIndex([status], 'Books'), all)).toEqual([
		{ field: status, labels: ['Done', 'Later'] },
	]);
});
