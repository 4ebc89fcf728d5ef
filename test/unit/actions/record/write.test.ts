/** What each operation that changes chosen records sends, changes and gives, item by item. */
import { createRecord } from '../../../../nodes/WorkspaceData/actions/record/create.operation';
import { deleteManyRecords } from '../../../../nodes/WorkspaceData/actions/record/deleteMany.operation';
import { deleteRecord } from '../../../../nodes/WorkspaceData/actions/record/delete.operation';
import { updateManyRecords } from '../../../../nodes/WorkspaceData/actions/record/updateMany.operation';
import { updateRecord } from '../../../../nodes/WorkspaceData/actions/record/update.operation';
import type { Operation } from '../../../../nodes/WorkspaceData/actions/operation';
import {
	ApiFailure,
	Unreachable,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';
import type { Given } from '../../../support/memoryService';
import { books, refuseDeletion, record, values, where, run, changes, rowsOf } from './books';

describe('Create', () => {
	test('sends the values under IDs, and gives the record', async () => {
		const service = books([]);
		const { json } = await run(service, createRecord, values({ Key: 'x', Pages: '7' }));
		expect(json).toEqual([
			{ id: 'new1', created_at: expect.any(String), fields: { Key: 'x', Pages: 7 } },
		]);
		expect(service.api.sent.at(-1)).toMatchObject({
			method: 'POST',
			body: { data: { f1: 'x', f2: 7 } },
			creates: 'record',
		});
	});

	test('does the work again with new IDs, where the fields have changed since they were read', async () => {
		const service = books([]);
		let refused = 0;
		service.hooks.refuse = ({ method }) => {
			if (method !== 'POST' || refused > 0) return;
			refused += 1;
			const [field] = service.cards[0]?.fields ?? [];
			if (field) field.id = 'f9';
			throw new ApiFailure({ status: 422, title: 'No such field' });
		};
		const { json, errors } = await run(service, createRecord, values({ Key: 'x' }));
		expect(errors).toEqual([]);
		expect(json).toMatchObject([{ fields: { Key: 'x' } }]);
		expect(rowsOf(service)).toEqual([{ f9: 'x' }]);
	});

	test.each([
		['the fields are the same', 422],
		['the refusal is about something else', 403],
	])('passes the refusal on where %s', async (_, status) => {
		const service = books([]);
		const refusal = new ApiFailure({ status, title: 'No' });
		service.hooks.refuse = ({ method }) => {
			if (method === 'POST') throw refusal;
		};
		const { errors } = await run(service, createRecord, values({ Key: 'x' }));
		expect(errors).toEqual([refusal]);
		expect(changes(service)).toHaveLength(1);
	});
});

describe('Update', () => {
	test('changes only what was sent', async () => {
		const service = books();
		const { json } = await run(service, updateRecord, { ...record('r1'), ...values({ Pages: 9 }) });
		expect(json).toMatchObject([{ id: 'r1', fields: { Key: 'a', Pages: 9, Status: 'Open' } }]);
		expect(changes(service)).toEqual(['PATCH cards/c1/records/r1']);
	});

	test.each([
		['skip', []],
		['empty', [{}]],
	])('where the record does not exist, %s gives %j', async (ifNotFound, expected) => {
		for (const dryRun of [true, false]) {
			const options = { ifNotFound, dryRun };
			const given = { ...record('r9'), ...values({ Pages: 9 }), options };
			expect(await run(books(), updateRecord, given)).toMatchObject({ json: expected, errors: [] });
		}
	});

	test('passes other failures on', async () => {
		const service = books();
		const failure = new ApiFailure({ status: 404, title: 'No', kind: 'card-not-found' });
		service.hooks.refuse = ({ method }) => {
			if (method === 'PATCH') throw failure;
		};
		const options = { ifNotFound: 'skip' };
		const given = { ...record('r1'), ...values({ Pages: 9 }), options };
		expect((await run(service, updateRecord, given)).errors).toEqual([failure]);
	});

	test('in a dry run shows what would change, and sends nothing', async () => {
		const service = books();
		const options = { dryRun: true };
		const given = { ...record('r1'), ...values({ Pages: 9 }), options };
		expect((await run(service, updateRecord, given)).json).toEqual([
			{
				dry_run: true,
				action: 'update',
				id: 'r1',
				before: { Key: 'a', Pages: 3, Status: 'Open' },
				after: { Key: 'a', Pages: 9, Status: 'Open' },
			},
		]);
		expect(changes(service)).toEqual([]);
	});
});

test('in a dry run, Update shows each record as the items before would have left it (M18)', async () => {
	const service = books();
	const items = [{ Pages: 9 }, { Status: 'Done' }, { Pages: 4 }];
	const options = { dryRun: true };
	const given = items.map((value) => ({ ...record('r1'), ...values(value), options }));
	const { json, errors } = await run(service, updateRecord, [
		...given,
		{ ...record('r2'), ...values({ Pages: 5 }), options },
	]);
	expect(errors).toEqual([]);
	expect(json.map(({ id, before, after }) => [id, before, after])).toEqual([
		['r1', { Key: 'a', Pages: 3, Status: 'Open' }, { Key: 'a', Pages: 9, Status: 'Open' }],
		['r1', { Key: 'a', Pages: 9, Status: 'Open' }, { Key: 'a', Pages: 9, Status: 'Done' }],
		['r1', { Key: 'a', Pages: 9, Status: 'Done' }, { Key: 'a', Pages: 4, Status: 'Done' }],
		['r2', { Key: 'b', Pages: 1, Status: 'Done' }, { Key: 'b', Pages: 5, Status: 'Done' }],
	]);
	expect(changes(service)).toEqual([]);
});

describe('Delete', () => {
	test('deletes one record', async () => {
		const service = books();
		expect((await run(service, deleteRecord, record('r2'))).json).toEqual([
			{ deleted: true, id: 'r2' },
		]);
		expect(rowsOf(service)).toHaveLength(2);
		expect(service.api.sent.at(-1)).toMatchObject({ method: 'DELETE', deletes: 'record' });
	});

	test('fails the second time for the same record, unless the option says otherwise', async () => {
		expect((await run(books(), deleteRecord, [record('r2'), record('r2')])).errors).toHaveLength(1);
		const skip = { ...record('r2'), options: { ifNotFound: 'skip' } };
		const { outputs, errors } = await run(books(), deleteRecord, [skip, skip]);
		expect(errors).toEqual([]);
		expect(outputs).toEqual([[{ deleted: true, id: 'r2' }], []]);
	});

	test('in a dry run does not find a record the second time, as the real run (M18)', async () => {
		const dry = { ...record('r2'), options: { dryRun: true } };
		const service = books();
		const { outputs, errors } = await run(service, deleteRecord, [dry, dry]);
		expect(outputs).toMatchObject([[{ action: 'delete', id: 'r2' }], []]);
		expect(errors).toMatchObject([{ message: "Card 'c1' has no record 'r2'" }]);
		const skip = { ...dry, options: { dryRun: true, ifNotFound: 'skip' } };
		expect(await run(service, deleteRecord, [skip, skip])).toMatchObject({
			outputs: [[{ action: 'delete' }], []],
			errors: [],
		});
		expect(changes(service)).toEqual([]);
	});

	test('in a dry run the first item of a record deletes it, even if a later one is ready sooner (M18)', async () => {
		const service = books();
		const dry = (cardName: string) => ({
			...record('r2'),
			cardId: { __rl: true, mode: cardName === 'Books' ? 'name' : 'id', value: cardName },
			options: { dryRun: true, ifNotFound: 'skip' },
		});
		// The card of the first item is looked up by its name.
		const { outputs } = await run(service, deleteRecord, [dry('Books'), dry('c1')]);
		expect(outputs).toMatchObject([[{ action: 'delete', id: 'r2' }], []]);
	});

	test('in a dry run shows the record, and deletes nothing', async () => {
		const service = books();
		const given = { ...record('r2'), options: { dryRun: true } };
		expect((await run(service, deleteRecord, given)).json).toEqual([
			{
				dry_run: true,
				action: 'delete',
				id: 'r2',
				before: { Key: 'b', Pages: 1, Status: 'Done' },
				after: null,
			},
		]);
		expect(changes(service)).toEqual([]);
	});
});

describe('Update Many and Delete Many', () => {
	const open = where('Status', 'Open');

	test('change all records that meet the conditions, except records that have the values already', async () => {
		const service = books();
		const given = { ...open, ...values({ Pages: 2 }) };
		const { json } = await run(service, updateManyRecords, given);
		expect(json.map(({ id, action }) => [id, action])).toEqual([
			['r1', 'updated'],
			['r3', 'unchanged'],
		]);
		expect(changes(service)).toEqual(['PATCH cards/c1/records/r1']);
	});

	test('send all where the option says so', async () => {
		const service = books();
		const given = { ...open, ...values({ Pages: 2 }), options: { unchanged: 'send' } };
		const { json } = await run(service, updateManyRecords, given);
		expect(json.map(({ action }) => action)).toEqual(['updated', 'updated']);
		expect(changes(service)).toHaveLength(2);
	});

	test('each item sees the changes of the items before it', async () => {
		const service = books();
		const { outputs } = await run(service, updateManyRecords, [
			{ ...open, ...values({ Status: 'Done' }) },
			{ ...where('Status', 'Done'), ...values({ Pages: 0 }) },
		]);
		expect(outputs.map((one) => one.length)).toEqual([2, 3]);
	});

	test('delete all records that meet the conditions, once', async () => {
		const service = books();
		const { outputs } = await run(service, deleteManyRecords, [open, open]);
		expect(outputs).toEqual([
			[
				{ deleted: true, id: 'r1' },
				{ deleted: true, id: 'r3' },
			],
			[],
		]);
		expect(rowsOf(service)).toEqual([{ f1: 'b', f2: 1, f3: 'Done' }]);
	});

	test('a record that is gone by then counts as deleted', async () => {
		const service = books();
		service.hooks.refuse = ({ method }) => {
			const card = service.cards[0];
			if (method === 'DELETE' && card) card.records = card.records.filter(({ id }) => id !== 'r3');
		};
		const { json, errors } = await run(service, deleteManyRecords, open);
		expect(errors).toEqual([]);
		expect(json).toHaveLength(2);
	});

	test.each<[string, Operation, Given]>([
		['updated', updateManyRecords, values({ Pages: 9 })],
		['deleted', deleteManyRecords, {}],
	])('more than allowed are not %s', async (done, operation, given) => {
		const service = books();
		const { errors } = await run(service, operation, { ...open, ...given, maxChanges: 1 });
		expect(errors).toEqual([
			expect.objectContaining({
				message: `2 records of card 'c1' would be ${done}, but 'Most Records to Change' is 1`,
			}),
		]);
		expect(changes(service)).toEqual([]);
		expect((await run(service, operation, { ...open, ...given, maxChanges: 2 })).errors).toEqual(
			[],
		);
	});

	test.each<[string, Operation, Given]>([
		['update', updateManyRecords, values({ Pages: 2 })],
		['delete', deleteManyRecords, {}],
	])('in a dry run they show what they would %s', async (action, operation, given) => {
		for (const dry of [{ dryRun: true }, { options: { dryRun: true } }]) {
			const service = books();
			const { json } = await run(service, operation, { ...open, ...given, ...dry });
			expect(json.map((one) => [one.dry_run, one.action, one.id])).toEqual([
				[true, action, 'r1'],
				[true, action === 'update' ? 'none' : 'delete', 'r3'],
			]);
			expect(changes(service)).toEqual([]);
		}
	});

	test('a failure says how many were done', async () => {
		const service = books();
		const failure = refuseDeletion(service, 'r3');
		const { errors, noteOn } = await run(service, deleteManyRecords, open);
		expect(errors).toEqual([failure]);
		expect(noteOn(failure)).toBe('1 of 2 records were deleted.');
	});

	test('leave out what an earlier item has deleted, also where a condition is that a value differs', async () => {
		const notDone = where('Status', 'Done', 'notEquals');
		const { outputs, errors } = await run(books(), deleteManyRecords, [notDone, notDone]);
		expect(errors).toEqual([]);
		expect(outputs.map((one) => one.length)).toEqual([2, 0]);
	});

	test.each<[string, (fields: Array<{ id: string; name: string; type: string }>) => void]>([
		['added', (fields) => void fields.push({ id: 'f9', name: 'New', type: 'text' })],
		['renamed', ([first]) => void (first && Object.assign(first, { name: 'New' }))],
		['replaced', ([first]) => void (first && Object.assign(first, { id: 'f9' }))],
	])('change nothing where a field was %s while the records were read', async (_, change) => {
		const service = books();
		service.hooks.lose = ({ path }) => {
			if (path.at(-1) === 'records') change(service.cards[0]?.fields ?? []);
		};
		const { errors } = await run(service, deleteManyRecords, open);
		expect(errors).toEqual([
			expect.objectContaining({
				message: "The fields of card 'c1' changed while its records were being read",
			}),
		]);
		expect(changes(service)).toEqual([]);
	});
});

describe('a write whose answer is lost', () => {
	test('is an error, and is not sent again', async () => {
		const service = books();
		const lost = new Unreachable('No answer', { transient: true });
		service.hooks.lose = ({ method }) => {
			if (method === 'POST') throw lost;
		};
		const { errors } = await run(service, createRecord, values({ Key: 'x' }));
		expect(errors).toEqual([lost]);
		expect(changes(service)).toHaveLength(1);
	});
});
