/** Filters and Sort as they are entered: what they mean, and what is refused before anything happens. */
import { countRecords } from '../../../../nodes/WorkspaceData/actions/record/count.operation';
import { deleteManyRecords } from '../../../../nodes/WorkspaceData/actions/record/deleteMany.operation';
import { getManyRecords } from '../../../../nodes/WorkspaceData/actions/record/getAll.operation';
import { cardOf, memoryService } from '../../../support/memoryService';
import { books, changes, keysOf, run, where } from '../record/books';

describe('Filters', () => {
	test('a field may be called by a near name where records are only read', async () => {
		expect((await run(books(), countRecords, where('status', 'Open'))).json).toEqual([
			{ count: 2 },
		]);
	});

	test('not where they are deleted', async () => {
		const service = books();
		const { errors } = await run(service, deleteManyRecords, where('status', 'Open'));
		expect(errors).toHaveLength(1);
		expect(changes(service)).toEqual([]);
	});

	test('a field called like a property of the record is told of', async () => {
		const service = memoryService(cardOf([{ name: 'created_at', type: 'date' }], [{}, {}]));
		const { json, hints } = await run(
			service,
			countRecords,
			where('created_at', '2026-01-01', 'greaterOrEqual'),
		);
		expect(json).toEqual([{ count: 2 }]);
		expect(hints).toEqual([expect.stringContaining("use the field's ID: f1")]);
	});

	test('times without an offset are those of the workflow', async () => {
		const times = ['2026-05-01T09:30:00Z', '2026-05-01T10:30:00Z'].map((Due) => ({ Due }));
		const service = memoryService(cardOf([{ name: 'Due', type: 'datetime' }], times));
		const { json, errors } = await run(
			service,
			countRecords,
			where('Due', '2026-05-01 10:00:00', 'greaterOrEqual'),
		);
		expect(errors).toEqual([]);
		expect(json).toEqual([{ count: 1 }]);
	});
});

describe('Sort', () => {
	const sorted = async (sort: unknown) =>
		await run(books(), getManyRecords, { returnAll: true, sort });
	const by = (field: unknown, more: object = {}) => sorted({ by: [{ field, ...more }] });

	test('is ascending where no direction is given', async () => {
		for (const more of [{}, { direction: null }, { direction: 'asc' }])
			expect(keysOf((await by('Pages', more)).json)).toEqual(['b', 'c', 'a']);
		expect(keysOf((await by('Pages', { direction: 'desc' })).json)).toEqual(['a', 'c', 'b']);
	});

	test('without an entry, records stay as they are listed', async () => {
		for (const none of [undefined, null, {}, { by: null }, { by: [] }])
			expect(keysOf((await sorted(none)).json)).toEqual(['a', 'b', 'c']);
	});

	test.each([
		['an unknown direction', { by: [{ field: 'Pages', direction: 'up' }] }, "cannot be 'up'"],
		['an unknown field', { by: [{ field: 'Colour' }] }, 'Colour'],
		['no field', { by: [{ field: '' }] }, "'Field Name or ID' in 'Sort' is empty"],
		['a blank field', { by: [{ field: '  ' }] }, "'Field Name or ID' in 'Sort' is empty"],
		['a number for a field', { by: [{ field: 5 }] }, "'Field Name or ID' in 'Sort' is empty"],
		['a text', 'Pages', "'Sort' cannot be read"],
	])('is refused with %s, before records are read', async (_, sort, message) => {
		const service = books();
		const { errors } = await run(service, getManyRecords, { returnAll: true, sort });
		expect(errors).toEqual([
			expect.objectContaining({ message: expect.stringContaining(message) }),
		]);
		expect(service.requests()).not.toContain('GET cards/c1/records');
	});
});
