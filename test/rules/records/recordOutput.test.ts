/** What comes out for a record: its fields by name, nothing that steers n8n, and nothing that two items share. */
import { FieldIndex } from '../../../nodes/WorkspaceData/records/fieldIndex';
import { recordOutput } from '../../../nodes/WorkspaceData/records/recordOutput';
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

test('all fields, by ID where two have one name, and what is under an unknown ID', () => {
	const expected = { Title: 'Emma', Pages: 7, t1: null, t2: 2, ...own, orphan: true };
	const output = recordOutput(index, {})(recordOf(given));
	expect(Object.entries(output)).toEqual(Object.entries(expected));
});

test('a key of the prototype is a field like any other', () => {
	const odd = new FieldIndex([field('__proto__'), field('id')], 'Odd');
	const record = recordOf({ 'id-__proto__': 1, 'id-id': 2 });
	expect(Object.entries(recordOutput(odd, {})(record))).toEqual([
		...[['__proto__', 1] as const, ['fields.id', 2] as const],
		...Object.entries(own),
	]);
});
