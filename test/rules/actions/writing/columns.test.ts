/** Which keys of an item are columns: the one rule for Map Automatically, Create From Items and new fields. */
import { columnsOf } from '../../../../nodes/WorkspaceData/actions/writing/columns';
import { FieldIndex } from '../../../../nodes/WorkspaceData/records/fieldIndex';
import type { JsonObject } from '../../../../nodes/WorkspaceData/model/response/jsonObject';
import { field } from '../../model/fields';
import { refusal } from '../../refusal';

const fieldsOf = (names: string): FieldIndex => {
	const fields = names.split(',').map((name) => field(name));
	return new FieldIndex(fields, 'Books');
};
/** @param names the fields of the card; undefined for a new one */
const namesOf = (item: JsonObject, names?: string): string =>
	columnsOf(item, names === undefined ? undefined : fieldsOf(names))
		.map(([name]) => name)
		.join(' ');

const record = { A: 1, id: 'r', created_at: 't' };
const event = { event: 'e', timestamp: 't', workspace_id: 'w', card_id: 'c', card_name: 'n' };
const delivery = { A: 1, ...event, record_id: 'r', delivery_key: 'k', caught_up: true, extra: {} };
const changed = { ...record, action: 'updated', before: {}, changes: {}, deleted: false };
const dry = { A: 1, dry_run: true };
const odd = JSON.parse('{"__proto__":1,"constructor":2}') as JsonObject;

/** The item, the fields of the card, and the columns: for a card that exists, and for a new one. */
test.each<[string, JsonObject, string, string, string]>([
	['each key is a column', { A: 1, b: 2, '': 3 }, 'A', 'A b ', 'A b '],
	['fields.<name> is the field <name>', { 'fields.id': 1, 'fields.x': 2 }, 'A', 'id x', 'id x'],
	['a field called fields.x', { 'fields.fields.x': 1 }, 'fields.x', 'fields.x', 'fields.x'],
	['the keys of a record', record, 'A', 'A', 'A id created_at'],
	['all keys of a written record', changed, 'A', 'A', Object.keys(changed).join(' ')],
	['a field of that name', { ...record, deleted: true }, 'A,id,deleted', 'A id deleted', '-'],
	['the ID of a field called id next to id', { 'id-id': 7, ...record }, 'A,id', 'id-id A', '-'],
	['fields.id next to id', { 'fields.id': 7, ...record }, 'A,id', 'id A', 'id A created_at'],
	['the keys of an event', delivery, 'A', 'A', '-'],
	['keys of an event without delivery_key', event, 'A', Object.keys(event).join(' '), '-'],
	['dry_run: false is left out', { A: 1, dry_run: false }, 'A', 'A', 'A dry_run'],
	['a field called dry_run', dry, 'A,dry_run', 'A dry_run', '-'],
	['names of every object', odd, 'A', '__proto__ constructor', '-'],
	['a field ID in another case isn’t near with its own key', { ID: 1, id: 'r' }, 'ID', 'ID', '-'],
	['nor with fields.ID', { 'fields.ID': 1, id: 'r' }, 'ID', 'ID', '-'],
])('%s', (_, item, fields, columns, newColumns) => {
	expect(namesOf(item, fields)).toBe(columns);
	if (newColumns !== '-') expect(namesOf(item)).toBe(newColumns);
});

test('values stay, and neither the order of keys nor an empty value decides', () => {
	const values = { id: null, B: null, deleted: '', A: undefined, created_at: 0 };
	expect(columnsOf(values, fieldsOf('A,B'))).toEqual([
		['B', null],
		['A', undefined],
	]);
	const reversed = Object.fromEntries(Object.entries(changed).reverse());
	expect(namesOf(reversed, 'A,before')).toBe('before A');
});

test('an item of a dry run is refused, unless the card has a field called dry_run', () => {
	for (const names of ['A', undefined]) {
		expect(() => namesOf(dry, names)).toThrow('This item comes from a dry run');
	}
});

test('a key of the nodes that differs from a field only in case is refused', () => {
	expect(() => namesOf(record, 'A,ID')).toThrow(
		refusal("'Map Automatically' doesn't use 'id' for field 'ID'", /Rename it to 'ID'/),
	);
	expect(() => namesOf({ ...delivery, delivery_key: 'k' }, 'Event')).toThrow("field 'Event'");
	expect(namesOf(event, 'Event')).toContain('event');
});
