/** Filters and Search: exactly the records that a person asked for. */
import { FieldIndex } from '../../../nodes/WorkspaceData/records/fieldIndex';
import {
	readFilter,
	type Filters,
	type MatchType,
} from '../../../nodes/WorkspaceData/records/filter';
import type { DataRecord } from '../../../nodes/WorkspaceData/transport/api';
import { field } from './fields';
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
const record = (id: string, data: object, createdAt: string | null = null): DataRecord => ({
	id,
	data: data as DataRecord['data'],
	createdAt,
	raw: {},
});
const records = [
	record('r1', { f1: 'Red apple', f2: 1, f3: 'x' }, '2026-01-01T00:00:00Z'),
	record('r2', { f1: 'Green pear', f2: 2, f5: 'apple' }, '2026-01-02T00:00:00'),
	record('r3', { f2: 12 }),
];
type Conditions = NonNullable<Filters['conditions']>;
const find = (conditions: Conditions, how: { isExact?: boolean } = {}) =>
	records
		.filter(readFilter({ conditions }, 'allConditions', index, { zone, ...how }) ?? (() => false))
		.map(({ id }) => id);
const where = (field: unknown, condition: string, value: unknown) => ({ field, condition, value });

test('all conditions, or any of them; without conditions there is no test', () => {
	const conditions = [
		{ field: 'Title', condition: 'contains', value: 'apple' },
		{ field: 'Amount', condition: 'equals', value: { __rl: true, mode: 'value', value: 12 } },
	];
	const found = (matchType: MatchType) =>
		records
			.filter((one) => readFilter({ conditions }, matchType, index, { zone })?.(one))
			.map(({ id }) => id);
	expect(found('allConditions')).toEqual([]);
	expect(found('anyCondition')).toEqual(['r1', 'r3']);
	expect(readFilter({}, 'anyCondition', index, { zone })).toBeUndefined();
});

test.each(['', ' ', 5])('a condition on the field %j is refused', (field) => {
	expect(() => find([where(field, 'equals', 'a')])).toThrow(
		"'Field Name or ID' in 'Filters' is empty",
	);
});

test('times without a zone are those of the service', () => {
	expect(find([where('created_at', 'equals', '2026-01-02T02:00:00')])).toEqual(['r2']);
	expect(find([where('created_at', 'isEmpty', undefined)])).toEqual(['r3']);
});

describe('where records are chosen to be changed', () => {
	const exact = { isExact: true };
	test('a name must be exact; an ID is one that is no name', () => {
		expect(find([where('amount', 'equals', 2)])).toEqual(['r2']);
		expect(() => find([where('amount', 'equals', 2)], exact)).toThrow('no field');
		expect(find([where('f2', 'equals', 2)], exact)).toEqual(['r2']);
		expect(find([where('f1', 'equals', 'apple')], exact)).toEqual(['r2']);
	});
	test('a property of the record that is a field as well is refused', () => {
		const own = [where('id', 'equals', 'r1')];
		expect(find(own)).toEqual(['r1']);
		expect(find([where('f3', 'equals', 'x')])).toEqual(['r1']);
		expect(() => find(own, exact)).toThrow('both a property of the record and a field');
		expect(find([where('created_at', 'isEmpty', undefined)], exact)).toEqual(['r3']);
	});
});
