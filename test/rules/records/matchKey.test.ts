/** By which fields an item finds its record: exactly those, and never by an empty value. */
import { FieldIndex } from '../../../nodes/WorkspaceData/records/fieldIndex';
import { MatchKey } from '../../../nodes/WorkspaceData/records/matchKey';
import { field } from './fields';
import { refusal } from '../refusal';
import { zone } from '../values/zone';

const index = new FieldIndex([field('Key'), field('Pages', 'number')], 'Books');
const keyBy = (matchingKeys: string[], savedId?: string, ignoresCase = false) => {
	const fieldIds = new Map(savedId ? [[matchingKeys[0] ?? '', savedId]] : []);
	return new MatchKey(
		{ by: 'key', matching: { matchingKeys, fieldIds }, ignoresCase },
		index,
		zone,
	);
};

test.each<[string, string, string | undefined]>([
	['its name', 'Key', undefined],
	['its ID', 'id-Key', undefined],
	['its old name, where the mapper knows the ID', 'Old', 'id-Key'],
])('a field by %s', (_, key, savedId) => {
	expect(keyBy([key, 'Pages'], savedId).fields.map(({ id }) => id)).toEqual(['id-Key', 'id-Pages']);
});

test('no field, an unknown one, and a name that is only near are refused', () => {
	expect(() => keyBy([])).toThrow("No field in 'Fields to match on'");
	expect(() => keyBy(['Gone'])).toThrow("Card 'Books' has no field 'Gone'");
	expect(() => keyBy(['key'])).toThrow(
		refusal("'key' in 'Fields to match on' isn't exactly the name of a field", /'Key'/),
	);
});

test('the key is the same for the same values, whatever their form', () => {
	const key = keyBy(['Key', 'Pages']);
	const one = key.of({ 'id-Key': 'a', 'id-Pages': 7 });
	expect(key.of({ 'id-Pages': '7.0', 'id-Key': 'a', other: 1 })).toBe(one);
	expect(key.of({ 'id-Key': 'a', 'id-Pages': 8 })).not.toBe(one);
	expect(key.of({ 'id-Key': 'A', 'id-Pages': 7 })).not.toBe(one);
	expect(key.of({ 'id-Key': ' \u200b', 'id-Pages': 7 })).toBeUndefined();
});

test('text in any case is one key with Ignore Case', () => {
	const key = keyBy(['Key'], undefined, true);
	expect(key.of({ 'id-Key': 'STRASSE' })).toBe(key.of({ 'id-Key': 'straße' }));
	expect(key.of({ 'id-Key': 'a' })).not.toBe(key.of({ 'id-Key': 'b' }));
	expect(key.isSame('id-Key', 'a', 'A')).toBe(true);
});
