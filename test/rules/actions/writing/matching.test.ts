/** By which fields an item finds its record: exactly those, and never by an empty value. */
import { MatchingFields } from '../../../../nodes/WorkspaceData/actions/reading/matchIndex';
import { itemKey, matchingFields } from '../../../../nodes/WorkspaceData/actions/writing/matching';
import type { Columns } from '../../../../nodes/WorkspaceData/actions/writing/mapper';
import { FieldIndex, type FieldHint } from '../../../../nodes/WorkspaceData/records/fieldIndex';
import { field } from '../../model/fields';
import { zone } from '../../values/zone';
import { refusal } from '../../refusal';

const index = new FieldIndex([field('Key'), field('Pages', 'number')], 'Books');
const matchedBy = (matchingKeys: string[], hints: Array<[string, FieldHint]> = []) => {
	const columns: Columns = { entries: [], matchingKeys, label: 'Values', hints: new Map(hints) };
	return matchingFields({ zone }, columns, index).ids;
};

test.each<[string, string, FieldHint | undefined]>([
	['its name', 'Key', undefined],
	['its ID', 'id-Key', undefined],
	['its old name, where the mapper knows the ID', 'Old', { fieldId: 'id-Key' }],
	['its old name, where the mapper knows the new one', 'Old', { name: 'Key' }],
])('a field by %s', (_, key, hint) => {
	expect(matchedBy([key, 'Pages'], hint && [[key, hint]])).toEqual(['id-Key', 'id-Pages']);
});

test('no field, an unknown one, and a name that is only near are refused', () => {
	expect(() => matchedBy([])).toThrow("No field in 'Fields to match on'");
	expect(() => matchedBy(['key'])).toThrow(
		refusal(
			"'key' in 'Fields to match on' isn't exactly the name of a field",
			/Did you mean 'Key'\?/,
		),
	);
	expect(() => matchedBy(['key'], [['key', { fieldId: 'gone', name: 'Gone' }]])).toThrow('exactly');
});

test('the key is the same for the same values, whatever their form', () => {
	const keyOf = (data: Record<string, unknown>) =>
		itemKey(new MatchingFields(['id-Key', 'id-Pages'], index, zone), data);
	const key = keyOf({ 'id-Key': 'a', 'id-Pages': 7 });
	expect(keyOf({ 'id-Pages': '7.0', 'id-Key': 'a', other: 1 })).toBe(key);
	expect(keyOf({ 'id-Key': 'a', 'id-Pages': 8 })).not.toBe(key);
});

test('the part of a card that a key is, outlives another ID of the field', () => {
	const fresh = new FieldIndex([field('Key', 'text', [], 'new-id')], 'Books');
	const part = (id: string, value: string, listing = index) =>
		new MatchingFields([id], listing, zone).partOf({ [id]: value });
	expect(part('new-id', 'k', fresh)).toBe(part('id-Key', 'k'));
	expect(part('id-Key', 'k')).not.toBe(part('id-Pages', 'k'));
	expect(part('id-Key', 'k')).not.toBe(part('id-Key', 'l'));
	expect(part('gone', 'k')).toContain('gone');
});
