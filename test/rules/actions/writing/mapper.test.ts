/** The values of an item, as the field mapper says. */
import { readColumns } from '../../../../nodes/WorkspaceData/actions/writing/mapper';
import { FieldIndex } from '../../../../nodes/WorkspaceData/records/fieldIndex';
import { refusal } from '../../refusal';

const NO_FIELDS = new FieldIndex([], 'Books');
const read = (value: unknown, item: Record<string, unknown> = {}) =>
	readColumns(value, item, NO_FIELDS, 'Values');

describe('Map Each Column', () => {
	test('the mapped values, with the hints that the editor kept', () => {
		const schema = [
			{ id: 'Old', displayName: 'Old (number)', fieldId: 'f1', fieldName: 'Old' },
			{ id: 'Label', displayName: 'Label' },
			{ id: 'Odd', displayName: 5, fieldId: {}, fieldName: null },
			{ displayName: 'without an ID' },
			'nonsense',
			null,
		];
		const value = { Old: 1, Label: null, Empty: '' };
		expect(read({ mappingMode: 'defineBelow', value, schema, matchingColumns: ['Old'] })).toEqual({
			entries: Object.entries(value),
			matchingKeys: ['Old'],
			label: 'Values',
			isAutomatic: false,
			hints: new Map([
				['Old', { fieldId: 'f1', name: 'Old' }],
				['Label', { fieldId: undefined, name: 'Label' }],
				['Odd', { fieldId: undefined, name: undefined }],
			]),
		});
	});

	test.each([
		[{ mappingMode: 5, value: { a: 1 }, matchingColumns: 'a', schema: 'b' }],
		[{ value: { a: 1 } }],
	])("a saved mapper with parts that can't be read: %j", (value) => {
		const none = { matchingKeys: [], hints: new Map(), isAutomatic: false };
		expect(read(value)).toEqual({ entries: [['a', 1]], label: 'Values', ...none });
	});

	test.each([undefined, null, 'text', 5])('%j is no mapper', (value) => {
		expect(() => read(value)).toThrow("'Values' is empty");
	});

	test.each([{}, { value: null }, { value: [] }, { value: { a: undefined } }])(
		'%j has no value',
		(value) => expect(() => read(value)).toThrow("No value in 'Values'"),
	);
});

test('an item without values says how to name its fields', () => {
	const automatic = { mappingMode: 'autoMapInputData', value: { ignored: 1 } };
	expect(() => read(automatic, { id: 'r1', none: undefined })).toThrow(
		refusal("No value in 'Values'", /Name the item's fields/),
	);
	expect(read(automatic, { id: 'r1', A: null })).toMatchObject({
		entries: [['A', null]],
		isAutomatic: true,
	});
});
