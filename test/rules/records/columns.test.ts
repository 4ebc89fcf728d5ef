/** Which keys of an item are columns: the one rule for Map Automatically, Create From Items and new fields. */
import {
	columnsOf,
	mapsNothing,
	readColumns,
	readMapper,
} from '../../../nodes/WorkspaceData/records/columns';
import { FieldIndex } from '../../../nodes/WorkspaceData/records/fieldIndex';
import type { JsonObject } from '../../../nodes/WorkspaceData/values/json';
import { field } from './fields';

const fieldsOf = (names: string): FieldIndex =>
	new FieldIndex(
		names.split(',').map((name, place, all) => {
			const isDouble = all.indexOf(name) < place;
			return field(name, 'text', [], isDouble ? `id-${name}-2` : undefined);
		}),
		'Books',
	);
/** @param names the fields of the card; undefined for a new one */
const namesOf = (item: JsonObject, names?: string): string =>
	columnsOf(item, names === undefined ? undefined : fieldsOf(names))
		.map(([name]) => name)
		.join(' ');

const record = { A: 1, id: 'r', created_at: 't' };
const event = { event: 'e', timestamp: 't', workspace_id: 'w', card_id: 'c', card_name: 'n' };
const delivery = { A: 1, ...event, record_id: 'r', delivery_key: 'k', extra: {} };
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
	['a field of that name in another case', record, 'A,ID', 'A', '-'],
	['the ID of a field called id next to id', { 'id-id': 7, ...record }, 'A,id', 'id-id A', '-'],
	['two fields called id', { 'id-id': 7, ...record }, 'A,id,id', 'id-id A', '-'],
	['fields.id next to id', { 'fields.id': 7, ...record }, 'A,id', 'id A', 'id A created_at'],
	['the keys of an event', delivery, 'A', 'A', '-'],
	['keys of an event without delivery_key', event, 'A', Object.keys(event).join(' '), '-'],
	['dry_run: false is left out', { A: 1, dry_run: false }, 'A', 'A', 'A dry_run'],
	['a field called dry_run', dry, 'A,dry_run', 'A dry_run', '-'],
	['names of every object', odd, 'A', '__proto__ constructor', '-'],
])('%s', (_, item, fields, columns, newColumns) => {
	expect(namesOf(item, fields)).toBe(columns);
	if (newColumns !== '-') expect(namesOf(item)).toBe(newColumns);
	const reversed = Object.fromEntries(Object.entries(item).reverse());
	expect(namesOf(reversed, fields).split(' ').sort()).toEqual(columns.split(' ').sort());
});

test.each(['A', undefined])('an item of a dry run is refused: %s', (names) => {
	expect(() => namesOf(dry, names)).toThrow('This item comes from a dry run');
});

test('by hand: without what the editor hides, and with the IDs that it kept', () => {
	const schema = [
		{ id: 'A', fieldId: 'id-A' },
		{ id: 'B', removed: true },
	];
	const mapper = { mappingMode: 'defineBelow', value: { A: 1, B: false, C: undefined }, schema };
	const { entries, isAutomatic } = readColumns(mapper, {}, fieldsOf('A'));
	expect([entries, isAutomatic]).toEqual([[['A', 1]], false]);
	const { matchingKeys, fieldIds } = readMapper({ ...mapper, matchingColumns: ['A', 5] });
	expect([matchingKeys, fieldIds.get('A')]).toEqual([['A'], 'id-A']);
	expect(mapsNothing(null, { A: 1 })).toBe(true);
});
