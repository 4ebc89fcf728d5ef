/** What a written record holds, by the answer to the write: the interface does not show its form, so it may tell little. */
import { createRecord } from '../../../../nodes/WorkspaceData/actions/record/create.operation';
import { deleteManyRecords } from '../../../../nodes/WorkspaceData/actions/record/deleteMany.operation';
import { deleteRecord } from '../../../../nodes/WorkspaceData/actions/record/delete.operation';
import { updateRecord } from '../../../../nodes/WorkspaceData/actions/record/update.operation';
import { upsertRecord } from '../../../../nodes/WorkspaceData/actions/record/upsert.operation';
import type { ApiAnswer } from '../../../../nodes/WorkspaceData/transport/request';
import { Unreachable } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { books, changes, record, rowsOf, run, values, where } from '../record/books';

const PAGE = '<!DOCTYPE html><html><body>Sign in</body></html>';
const BROKEN = '{"id": "new1", "da';
const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** A service whose answers to writes are these. */
const saying = (answer: Partial<ApiAnswer>) => {
	const service = books();
	service.hooks.say = ({ method }) => (method === 'GET' ? {} : answer);
	return service;
};

describe('a created record', () => {
	const create = async (answer: Partial<ApiAnswer>, value: object = { Key: 'x', Pages: 7 }) =>
		await run(saying(answer), createRecord, values(value as Record<string, unknown>));
	const NO_ID =
		'The service created a record, but its answer shows no ID, so the output has none. Do not create the record again: look for it in the service.';

	test.each<[string, Partial<ApiAnswer>, object, string[]]>([
		['an empty answer', { body: '' }, { id: null, created_at: null }, [NO_ID]],
		[
			'an ID in a header',
			{ body: '', headers: { location: '/cards/c1/records/r7' } },
			{ id: 'r7', created_at: null },
			[],
		],
		['an ID and no more', { body: { id: 'r7' } }, { id: 'r7', created_at: null }, []],
		[
			'an ID and a time',
			{ body: { id: 'r7', created_at: CREATED_AT } },
			{ id: 'r7', created_at: CREATED_AT },
			[],
		],
	])('has the values that were sent, after %s', async (_, answer, own, expected) => {
		const { json, hints } = await create(answer);
		expect(json).toEqual([{ ...own, fields: { Key: 'x', Pages: 7 } }]);
		expect(hints).toEqual(expected);
	});

	test('has the values that the answer shows, and those that were sent beside them', async () => {
		const { json } = await create({ body: { id: 'r7', data: { f1: 'X', f3: 'Open' } } });
		expect(json).toMatchObject([{ fields: { Key: 'X', Pages: 7, Status: 'Open' } }]);
	});

	test('has an empty value only where the answer shows it', async () => {
		const sent = { Key: 'x', Pages: null, Status: null };
		const shown = await create({ body: { id: 'r7', data: { f3: null } } }, sent);
		expect(shown.json).toMatchObject([{ fields: { Key: 'x', Status: null } }]);
		expect(shown.json[0]?.fields).not.toHaveProperty('Pages');
	});

	test.each([
		['a web page', PAGE, 'The answer is not a record'],
		[
			'JSON that ends in the middle',
			BROKEN,
			'The record may have been created: the answer is not valid JSON',
		],
	])('is in doubt after %s', async (_, body, message) => {
		const { errors } = await create({ body });
		expect(errors).toMatchObject([{ message }]);
	});
});

describe('a changed record', () => {
	const given = { ...record('r1'), ...values({ Pages: 9 }) };
	const byKey = values({ Key: 'a', Pages: 9 }, ['Key']);

	test.each([[{ body: '' }], [{ body: { id: 'r1' } }], [{ body: { ok: true } }]])(
		'has the values that are known, after %j',
		async (answer) => {
			expect((await run(saying(answer), updateRecord, given)).json).toEqual([
				{ id: 'r1', created_at: null, fields: { Pages: 9 } },
			]);
			// This operation has read the record before.
			expect((await run(saying(answer), upsertRecord, byKey)).json).toEqual([
				{
					id: 'r1',
					created_at: CREATED_AT,
					fields: { Key: 'a', Pages: 9, Status: 'Open' },
					action: 'updated',
				},
			]);
		},
	);

	test('has the values that the answer shows before those that were sent and those that it had', async () => {
		const body = { id: 'r1', created_at: '2026-05-05T00:00:00.000Z', data: { f2: 10, f3: 'Done' } };
		expect((await run(saying({ body }), upsertRecord, byKey)).json).toMatchObject([
			{ created_at: body.created_at, fields: { Key: 'a', Pages: 10, Status: 'Done' } },
		]);
	});

	test('has no value any more that was cleared and that the answer leaves out', async () => {
		const cleared = values({ Key: 'a', Pages: null }, ['Key']);
		const body = { id: 'r1', data: { f1: 'a', f3: 'Open' } };
		const { json } = await run(saying({ body }), upsertRecord, cleared);
		expect(json[0]?.fields).toEqual({ Key: 'a', Status: 'Open' });
	});

	test.each([
		['a web page', PAGE, 'The answer is not a record'],
		[
			'JSON that ends in the middle',
			BROKEN,
			'The record may not have been changed: the answer is not valid JSON',
		],
	])('is in doubt after %s', async (_, body, message) => {
		expect((await run(saying({ body }), updateRecord, given)).errors).toMatchObject([{ message }]);
	});
});

describe('a deletion', () => {
	test.each([
		['a web page', PAGE, 'The service returned a web page instead of data'],
		[
			'JSON that ends in the middle',
			BROKEN,
			'The record may not have been deleted: the answer is not valid JSON',
		],
	])('is in doubt after %s', async (_, body, message) => {
		const one = await run(saying({ body }), deleteRecord, record('r1'));
		expect(one.errors).toMatchObject([{ message }]);
		const many = await run(saying({ body }), deleteManyRecords, where('Key', 'a'));
		expect(many.errors).toMatchObject([{ message }]);
	});

	test('names the record and the parameter that it is from: a refused ID is explained by it', async () => {
		const service = books();
		await run(service, deleteRecord, record('r1'));
		expect(service.api.sent.at(-1)?.path).toEqual([
			'cards',
			{ value: 'c1', parameter: 'Card' },
			'records',
			{ value: 'r1', parameter: 'Record' },
		]);
	});
});

describe('a record that has the values already', () => {
	const key = (Pages: number, options = {}) => ({
		...values({ Key: 'a', Pages }, ['Key']),
		options,
	});
	const losing = (times: number) => {
		const service = books();
		let left = times;
		service.hooks.lose = ({ method }) => {
			if (method !== 'PATCH' || left === 0) return;
			left -= 1;
			throw new Unreachable('No answer', { transient: true });
		};
		return service;
	};

	test('is not written, in whatever spelling they come', async () => {
		const service = books();
		const { json } = await run(service, upsertRecord, [
			key(3),
			values({ Key: 'b', Pages: '1.0', Status: 'done' }, ['Key']),
		]);
		expect(json.map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
		expect(changes(service)).toEqual([]);
	});

	test('is written where one value differs', async () => {
		const service = books();
		const { json } = await run(
			service,
			upsertRecord,
			values({ Key: 'a', Pages: 3, Status: 'Done' }, ['Key']),
		);
		expect(json).toMatchObject([{ action: 'updated' }]);
	});

	test('is written where an earlier item may have changed it: the answer was lost', async () => {
		const service = losing(1);
		const { outputs, errors } = await run(service, upsertRecord, [key(9), key(3)]);
		expect(errors).toHaveLength(1);
		expect(outputs[1]).toMatchObject([{ action: 'updated' }]);
		expect(rowsOf(service)?.[0]).toMatchObject({ f2: 3 });
	});

	test('counts as it was left by the item before', async () => {
		const service = books();
		const { json } = await run(service, upsertRecord, [key(9), key(9), key(3)]);
		expect(json.map(({ action }) => action)).toEqual(['updated', 'unchanged', 'updated']);
	});
});

describe('in a dry run', () => {
	const dry = { dryRun: true };

	test('items see what the items before them would do', async () => {
		const service = books();
		const key = (value: Record<string, unknown>) => ({ ...values(value, ['Key']), options: dry });
		const { json } = await run(service, upsertRecord, [
			key({ Key: 'n', Pages: 1 }),
			key({ Key: 'n', Pages: 2 }),
			key({ Key: 'a', Pages: 9 }),
			key({ Key: 'a', Status: 'Done' }),
		]);
		expect(json).toMatchObject([
			{ action: 'create', id: null, before: null, after: { Key: 'n', Pages: 1 } },
			{ action: 'update', id: null, before: { Key: 'n', Pages: 1 }, after: { Key: 'n', Pages: 2 } },
			{ action: 'update', id: 'r1', before: { Pages: 3 }, after: { Pages: 9, Status: 'Open' } },
			{ action: 'update', id: 'r1', before: { Pages: 9 }, after: { Pages: 9, Status: 'Done' } },
		]);
		expect(changes(service)).toEqual([]);
	});

	test('a record that cannot be written is refused as without it', async () => {
		const nothing = { ...record('r1'), ...values({ Key: '' }) };
		const options = { ...dry, emptyValues: 'ignore' };
		const { errors } = await run(books(), updateRecord, { ...nothing, options });
		expect(errors).toMatchObject([{ message: "No value in 'Values to Update'" }]);
	});
});
