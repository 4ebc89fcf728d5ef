/** Filters and Search: exactly the records that a person asked for. */
import { readRecord, type DataRecord } from '../../../nodes/WorkspaceData/model/response/record';
import { FieldIndex } from '../../../nodes/WorkspaceData/records/fieldIndex';
import {
	namedValue,
	readConditions,
	readMatchType,
	recordTest,
	type EnteredCondition,
	type FilterPlace,
} from '../../../nodes/WorkspaceData/records/filter';
import { field } from '../model/fields';
import { zone } from '../values/zone';

const index = new FieldIndex(
	[
		field('Title', 'text', [], 'f1'),
		field('Amount', 'number', [], 'f2'),
		field('id', 'text', [], 'f3'),
		// Called like another field's ID.
		field('f1', 'text', [], 'f5'),
	],
	'Orders',
);
const place: FilterPlace = { zone };

const record = (id: string, data: object, created_at: string | null = null): DataRecord => {
	const read = readRecord({ id, data, created_at });
	if (!read) throw new Error('no record');
	return read;
};
const records = [
	record('r1', { f1: 'Red apple', f2: 1, f3: 'x' }, '2026-01-01T00:00:00Z'),
	record('r2', { f1: 'Green pear', f2: 2, f5: 'apple' }, '2026-01-02T00:00:00'),
	record('r3', { f2: 12 }),
];
const find = (conditions: EnteredCondition[], any: boolean, how: Partial<FilterPlace> = {}) =>
	records
		.filter(recordTest(conditions, any, index, { ...place, ...how }) ?? (() => false))
		.map(({ id }) => id);
const where = (key: string, condition: string, value: unknown) => ({ key, condition, value });

test.each([false, true])(
	'a field that was renamed is found by the ID that the mapper kept, exact: %s',
	(isExact) => {
		const kept = new Map([
			['Name', { fieldId: 'f1', name: 'Name' }],
			// Renamed twice: once before the condition was entered.
			['Sum', { fieldId: 'f2', name: 'Total' }],
			['Amount', { fieldId: 'f1' }],
		]);
		const found = (key: string) => namedValue(index, key, { isExact, hints: kept });
		expect(found('Name').field.name).toBe('Title');
		expect(found('Total').field.name).toBe('Amount');
		// The field that has the name is meant.
		expect(found('Amount').field.name).toBe('Amount');
		expect(() => found('Nothing')).toThrow("has no field 'Nothing'");
	},
);

describe('conditions as entered', () => {
	test('none where there is nothing', () => {
		for (const filters of [undefined, {}, { conditions: null }, { conditions: [] }])
			expect(readConditions(filters)).toEqual([]);
	});
	test.each([
		[{ conditions: 5 }, "'Filters' can't be read"],
		[{ conditions: [{ field: 'a', condition: 7 }] }, "'Filters' can't be read"],
		[{ conditions: [{ field: '', condition: 'equals' }] }, "'Field Name or ID' is empty"],
		[{ conditions: [{ field: 5 }] }, "'Field Name or ID' is empty"],
	])('%j is refused', (filters, message) => {
		expect(() => readConditions(filters)).toThrow(message);
	});
	test('all conditions, unless one is enough', () => {
		expect(readMatchType('anyCondition')).toBe(true);
		for (const all of ['allConditions', undefined, null]) expect(readMatchType(all)).toBe(false);
		expect(() => readMatchType('some')).toThrow("'Must Match' can't be 'some'");
	});
});

test('times without a zone are those of the service', () => {
	expect(find([where('created_at', 'equals', '2026-01-02T02:00:00')], false)).toEqual(['r2']);
	expect(find([where('created_at', 'isEmpty', undefined)], false)).toEqual(['r3']);
});

describe('where records are chosen to be changed', () => {
	const exact = { isExact: true };
	test('a name must be exact; an ID is one that is no name', () => {
		expect(find([where('amount', 'equals', 2)], false)).toEqual(['r2']);
		expect(() => find([where('amount', 'equals', 2)], false, exact)).toThrow('no field');
		expect(find([where('f2', 'equals', 2)], false, exact)).toEqual(['r2']);
		expect(find([where('f1', 'equals', 'apple')], false, exact)).toEqual(['r2']);
	});
	test('a property of the record that is a field as well is refused', () => {
		const own = [where('id', 'equals', 'r1')];
		expect(find(own, false)).toEqual(['r1']);
		expect(find([where('f3', 'equals', 'x')], false)).toEqual(['r1']);
		expect(() => find(own, false, exact)).toThrow('both a property of the record and a field');
		expect(find([where('created_at', 'isEmpty', undefined)], false, exact)).toEqual(['r3']);
	});
});

test.each(['equals', 'notEquals', 'isAnyOf', 'isNoneOf'])(
	"%s: a choice that the field doesn't have is refused",
	(condition) => {
		const index = new FieldIndex([field('Status', 'select', ['Open'], 's')], 'Card');
		expect(() => recordTest([where('Status', condition, 'Gone')], false, index, place)).toThrow(
			"Field 'Status' can't hold",
		);
	},
);
