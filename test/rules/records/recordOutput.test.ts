/** What comes out for a record: its fields by name, nothing that steers n8n, and nothing that two items share. */
import { FieldIndex } from '../../../nodes/WorkspaceData/records/fieldIndex';
import {
	recordOutput,
	type OutputOptions,
} from '../../../nodes/WorkspaceData/records/recordOutput';
import type { DataRecord } from '../../../nodes/WorkspaceData/transport/api';
import { field } from './fields';

const twins = ['t1', 't2'].map((id) => field('Twin', 'text', [], id));
const index = new FieldIndex([field('Title'), field('Pages', 'number'), ...twins], 'Books');

const recordOf = (data: DataRecord['data'], id = 'r1'): DataRecord => ({
	id,
	data,
	createdAt: '2026-01-31T12:00:00Z',
	raw: { id, data, created_at: '2026-01-31T12:00:00Z', owner: 'Ada' },
});
const own = { id: 'r1', created_at: '2026-01-31T12:00:00Z' };
const given = { t2: 2, 'id-Pages': 7, 'id-Title': 'Emma', orphan: true };

const output = (options: OutputOptions) => recordOutput(index, options)(recordOf(given));

test.each<[OutputOptions, object]>([
	[{}, { Title: 'Emma', Pages: 7, t1: null, t2: 2, ...own, orphan: true }],
	[{ outputFields: ['Pages', 'id-Title'] }, { Pages: 7, Title: 'Emma', ...own }],
	[{ simple: false }, recordOf(given).raw],
	[
		{ fieldKeys: 'id', outputFields: ['Title'] },
		{ 'id-Title': 'Emma', ...own },
	],
	[{ outputFields: ['t1', 'Title'] }, { t1: null, Title: 'Emma', ...own }],
])('%j: the chosen fields, or all and what is under an unknown ID: %j', (options, expected) => {
	expect(output(options)).toEqual(expected);
	expect(Object.keys(output(options))).toEqual(Object.keys(expected));
});

test('a key of the prototype is a field like any other', () => {
	const odd = new FieldIndex([field('__proto__'), field('id')], 'Odd');
	const record = recordOf({ 'id-__proto__': 1, 'id-id': 2 });
	expect(Object.entries(recordOutput(odd, {})(record))).toEqual([
		...[['__proto__', 1] as const, ['fields.id', 2] as const],
		...Object.entries(own),
	]);
});
