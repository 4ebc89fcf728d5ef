/** Update Many and Delete Many while others write the chosen records: none that no longer meets the conditions is touched. */
import { deleteManyRecords } from '../../../../nodes/WorkspaceData/actions/record/deleteMany.operation';
import { deleteRecord } from '../../../../nodes/WorkspaceData/actions/record/delete.operation';
import { updateManyRecords } from '../../../../nodes/WorkspaceData/actions/record/updateMany.operation';
import { updateRecord } from '../../../../nodes/WorkspaceData/actions/record/update.operation';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import type { ApiRequest } from '../../../../nodes/WorkspaceData/transport/request';
import type { MemoryService } from '../../../support/memoryService';
import { before, books, changes, checked, record, rowsOf, run, values, where } from './books';

const open = where('Status', 'Open');
const toDone = { ...values({ Status: 'Done' }), ...record('r1') };
const other = async (service: MemoryService) => await run(service, updateRecord, toDone);

const HINT = (done: string) =>
	`1 records of card 'c1' met the conditions when they were read, but were not ${done}: another execution was writing them, or they are gone`;

describe('another execution changes a chosen record (H37)', () => {
	test('Delete Many keeps it, if it no longer meets the conditions', async () => {
		const service = books();
		before(service, checked, async () => await other(service));
		const { json, hints } = await run(service, deleteManyRecords, { ...open, maxChanges: 9 });
		expect(json).toEqual([{ deleted: true, id: 'r3' }]);
		expect(hints).toContain(HINT('deleted'));
		expect(rowsOf(service)?.map(({ f1 }) => f1)).toEqual(['a', 'b']);
	});

	test('Delete Many deletes it, if it still does', async () => {
		const service = books();
		const change = { ...values({ Pages: 100 }), ...record('r1') };
		before(service, checked, async () => await run(service, updateRecord, change));
		const { json, hints } = await run(service, deleteManyRecords, { ...open, maxChanges: 9 });
		expect(json.map(({ id }) => id)).toEqual(['r1', 'r3']);
		expect(hints).toEqual([]);
	});

	test('Update Many leaves its values', async () => {
		const service = books();
		before(service, checked, async () => await other(service));
		const { json, hints } = await run(service, updateManyRecords, {
			...open,
			...values({ Pages: 9 }),
			maxChanges: 9,
		});
		expect(json.map(({ id }) => id)).toEqual(['r3']);
		expect(hints).toContain(HINT('updated'));
		expect(rowsOf(service)?.map(({ f2 }) => f2)).toEqual([3, 1, 9]);
	});

	test.each([
		['Delete Many', deleteManyRecords, 'deleted'],
		['Update Many', updateManyRecords, 'updated'],
	] as const)(
		'%s leaves a record alone while its change is under way',
		async (_, operation, done) => {
			const service = books();
			let arrive = (): void => {};
			const arrived = new Promise<void>((resolve) => (arrive = resolve));
			// The change is sent, and carried out only later.
			const isChange = ({ method, body }: ApiRequest) =>
				method === 'PATCH' && JSON.stringify(body).includes('Done');
			before(service, isChange, async () => await arrived);
			let changing: Promise<unknown> | undefined;
			before(service, checked, async () => {
				changing = other(service);
				for (let n = 0; n < 50; n += 1) await new Promise(setImmediate);
			});
			const given = { ...open, ...values({ Pages: 9 }), maxChanges: 9 };
			const { json, hints } = await run(service, operation, given);
			arrive();
			await changing;
			expect(json.map(({ id }) => id)).toEqual(['r3']);
			expect(hints).toContain(HINT(done));
			expect(rowsOf(service)?.[0]).toMatchObject({ f1: 'a', f2: 3 });
		},
	);

	test('a change that the service refuses is none', async () => {
		const service = books();
		const refused = async () => {
			service.hooks.refuse = ({ method }) => {
				if (method === 'PATCH') throw new ApiFailure({ status: 422, title: 'No' });
			};
			await other(service);
			service.hooks.refuse = () => {};
		};
		before(service, checked, refused);
		const { json } = await run(service, deleteManyRecords, { ...open, maxChanges: 9 });
		expect(json.map(({ id }) => id)).toEqual(['r1', 'r3']);
	});

	test('a 404 that does not name the record is an error', async () => {
		const service = books();
		const failure = new ApiFailure({ status: 404, title: 'Not found', kind: 'not-found' });
		service.hooks.refuse = ({ method }) => {
			if (method === 'PATCH') throw failure;
		};
		const given = { ...open, ...values({ Pages: 9 }), maxChanges: 9 };
		expect((await run(service, updateManyRecords, given)).errors).toEqual([failure]);
	});

	test('a record that is deleted meanwhile is skipped, and the others are updated', async () => {
		const service = books();
		before(service, checked, async () => await run(service, deleteRecord, record('r1')));
		const given = { ...open, ...values({ Pages: 9 }), maxChanges: 9 };
		const { json, errors } = await run(service, updateManyRecords, given);
		expect(errors).toEqual([]);
		expect(json.map(({ id }) => id)).toEqual(['r3']);
	});

	test('so is one that somebody outside of this n8n deletes', async () => {
		const service = books();
		before(service, checked, async () => await Promise.resolve(service.cards[0]?.records.shift()));
		const given = { ...open, ...values({ Pages: 9 }), maxChanges: 9 };
		const { json, errors, hints } = await run(service, updateManyRecords, given);
		expect(errors).toEqual([]);
		expect(json.map(({ id }) => id)).toEqual(['r3']);
		expect(hints).toContain(HINT('updated'));
		expect(changes(service)).toHaveLength(2);
	});
});
