/** The values that an item gives, as the field mapper says or all that it has. */
import {
	itemValues,
	type ItemValues,
} from '../../../../nodes/WorkspaceData/actions/writing/itemValues';
import type { Run } from '../../../../nodes/WorkspaceData/actions/run/run';
import { hintAtLeftOut, readColumns } from '../../../../nodes/WorkspaceData/actions/writing/mapper';
import type { JsonObject } from '../../../../nodes/WorkspaceData/model/response/shapes';
import { FieldIndex } from '../../../../nodes/WorkspaceData/model/fieldIndex';
import { retainedBytes } from '../../../support/heap';
import { field } from '../../model/fields';

const TIME = '2026-01-31T12:00:00Z';

const once = <Result>(_: unknown, work: () => Result): Result => work();
const context = { getInputData: () => [] } as never;
const read = (value: unknown, item: Record<string, unknown> = {}) =>
	readColumns({ once, context }, value, item, 'Values');

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
			hints: new Map([
				['Old', { fieldId: 'f1', name: 'Old' }],
				['Label', { fieldId: undefined, name: 'Label' }],
				['Odd', { fieldId: undefined, name: undefined }],
			]),
		});
	});

	test.each([
		[{ mappingMode: 5, value: { a: 1 }, matchingColumns: 'a', schema: 'b' }],
		[{ value: { a: 1 }, matchingColumns: null, schema: null }],
		[{ value: { a: 1 } }],
	])("a saved mapper with parts that can't be read: %j", (value) => {
		expect(read(value)).toEqual({
			entries: [['a', 1]],
			matchingKeys: [],
			label: 'Values',
			hints: new Map(),
		});
	});

	test.each([undefined, null, 'text', 5])('%j is no mapper', (value) => {
		expect(() => read(value)).toThrow("'Values' is empty");
	});

	test.each([{}, { value: null }, { value: [] }, { value: { a: undefined } }])(
		'%j has no value',
		(value) => expect(() => read(value)).toThrow("No value in 'Values'"),
	);

	test('a mapper with expressions, which is another one for each item, is forgotten with its item', () => {
		const mappers = new WeakMap();
		const shared = { context, once: () => mappers as never };
		const fields = Array.from({ length: 200 }, (_, n) => `Field ${n}`);
		const readMany = () => {
			for (let item = 0; item < 1_000; item += 1) {
				const schema = fields.map((id) => ({ id, displayName: id, fieldId: `f-${id}` }));
				readColumns(shared, { value: { a: item }, schema }, {}, 'Values');
			}
		};
		const before = retainedBytes();
		readMany();
		expect(retainedBytes() - before).toBeLessThan(5_000_000);
		readColumns(shared, { value: { a: 1 } }, {}, 'Values');
	});
});

describe('Map Automatically', () => {
	const automatic = { mappingMode: 'autoMapInputData', value: { ignored: 1 } };

	const left = (item: JsonObject): string[] => {
		const hints: string[] = [];
		const messages = { hint: (text: string) => hints.push(text) } as unknown as Run['messages'];
		const index = new FieldIndex([field('id'), field('Status'), field('action')], 'Books');
		hintAtLeftOut({ messages }, read(automatic, item), index);
		return hints;
	};

	test('an item without values says what its keys mean', () => {
		expect(() => read(automatic, { id: 'r1', none: undefined })).toThrow(
			expect.objectContaining({
				message: "No value in 'Values'",
				description: expect.stringContaining('keys must be field names'),
			}),
		);
	});

	test('says which of the values that it leaves out have fields of their names', () => {
		expect(left({ id: 5, created_at: 'x', Status: 'Open' })).toEqual([
			expect.stringMatching(/^'id' of the items wasn't written .*'Map Each Column Manually'/),
		]);
		expect(left({ id: 'r1', fields: { Title: 'a' }, Status: 'Done' })).toEqual([
			expect.stringMatching(/^'Status' of the items wasn't written.*'fields\.Status'/),
		]);
	});

	test('says nothing of values that are written, empty, the same, or of no field', () => {
		expect(left({ id: 'r1', 'fields.id': 7, Status: 'Open' })).toEqual([]);
		expect(left({ id: '', action: null, Status: 'Open' })).toEqual([]);
		expect(left({ fields: { Status: 'Open', id: 1 }, Status: 'Open', Other: 1 })).toEqual([]);
		expect(left({ id: 'r1', action: 'updated', event: 'x', fields: { Status: 'a' } })).toEqual([]);
		expect(left({ Status: 'Open' })).toEqual([]);
	});
});

const record = { id: 'r', created_at: TIME };
const event = { event: 'e', workspace_id: 'w', delivery_key: 'k' };
const about = { timestamp: 't', card_id: 'c', card_name: 'n', record_id: 'r' };
const dry = { dry_run: true, action: 'none', id: 'r', changes: {}, before: {}, after: {} };
const added = { dry_run: true, action: 'create', field: 'A', type: 'text', reason: 'b' };
const OLD = 'before id created_at action';
const namesOf = (item: JsonObject) => Object.keys(item).join(' ');

/** Which keys are values, for Map Automatically and for a new card; what is left out as the node's own; whether nulls are its own. */
test.each<[string, JsonObject, string, string, string, boolean]>([
	['a record of version 2', { A: 1, ...record }, 'A', 'A', 'id created_at', true],
	['one without ID', { A: 1, id: null, created_at: null }, 'A', 'A', 'id created_at', true],
	['one with an action', { A: 1, ...record, action: '' }, 'A', 'A', 'id created_at action', true],
	['with a value added', { A: 1, ...record, B: 2 }, 'A B', 'A B', 'id created_at', true],
	['flat of version 1', { ...record, A: 1 }, 'A', 'id created_at A', '', false],
	['nested', { ...record, fields: { A: 1 } }, 'A', 'A', '', false],
	['nested, with another key', { fields: { A: 1 }, B: 2 }, 'A', 'fields B', '', false],
	['a column fields', { fields: 'text', id: 'r' }, 'fields', 'fields id', '', false],
	['a sheet', { A: 1, id: 7, created_at: TIME }, 'A', 'A id created_at', '', false],
	// Or a record of a service that knows only the day.
	['with days', { A: 1, id: 'r', created_at: '2026-01-31' }, 'A', 'A id created_at', '', true],
	['with notes', { A: 1, id: 'r', created_at: 'today' }, 'A', 'A id created_at', '', false],
	['a deleted record', { A: 1, deleted: true, id: 'r' }, 'A', 'A', 'deleted id', true],
	['a column deleted', { A: 1, deleted: true }, 'A deleted', 'A deleted', '', false],
	['another one', { A: 1, deleted: 'true', id: 'r' }, 'A deleted', 'A deleted id', '', false],
	['old values', { A: 1, ...record, action: '', before: {} }, 'A', 'A', OLD, true],
	['a column before', { A: 1, before: {} }, 'A before', 'A before', '', false],
	['a reserved name', { 'fields.id': 1, ...record }, 'id', 'id', 'id created_at', true],
	['a dry run', dry, '', '', namesOf(dry), false],
	['a field that a dry run would add', added, '', '', namesOf(added), false],
	['a column dry_run', { A: 1, dry_run: false }, 'A dry_run', 'A dry_run', '', false],
	['an event', { A: 1, ...event, ...about }, 'A', 'A', namesOf({ ...event, ...about }), false],
	// Caught up, with a value that was added after it.
	[
		'a missed event',
		{ ...event, caught_up: true, B: 2 },
		'B',
		'B',
		`${namesOf(event)} caught_up`,
		false,
	],
	['one of version 1', { ...event, caught_up: true, fields: { A: 1 } }, 'A', 'A', '', false],
	[
		'a log',
		{ A: 1, event: 'e', timestamp: 't' },
		'A event timestamp',
		'A event timestamp',
		'',
		false,
	],
])(
	'of %s the values are taken, not what the node added',
	(_, item, automatic, row, marks, hasNulls) => {
		const names = ({ entries }: ItemValues) => entries.map(([key]) => key).join(' ');
		expect(names(itemValues(item, false))).toBe(automatic);
		expect(itemValues(item, false).hasNulls).toBe(hasNulls);
		const values = itemValues(item, true);
		expect(names(values)).toBe(row);
		expect(values.marks.join(' ')).toBe(marks);
	},
);
