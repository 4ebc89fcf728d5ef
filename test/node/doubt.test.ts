/** When an answer of the service is ambiguous, nothing is written (H28 to H34). */
import type { IDataObject } from 'n8n-workflow';
import { byId, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Doubt',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Number', type: 'number' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
	],
	(made) => ({ workspace, card } = made),
);

const { run, runCounted, answer } = recordRuns(() => ({ workspace, card }));
const writes = () => workspace.requests().filter((request) => !request.startsWith('GET'));

/** A record as the service lists it. */
const listed = (id: string, values: Record<string, unknown>) => ({
	id,
	data: Object.fromEntries(
		Object.entries(values).map(([name, value]) => [card.fieldIds[name] ?? '', value]),
	),
	created_at: '2026-01-01T00:00:00Z',
});
const list = (...records: object[]) => answer('GET', '/records$', { records, next_cursor: null });
const where = (field: string, condition: string, value: unknown) => ({
	filters: { conditions: [{ field, condition, value }] } as IDataObject,
});
const upsertKeys = async (...keys: string[]) =>
	await runCounted(
		'upsert',
		{ columns: mapEach({ Key: '={{ $json.key }}' }, { matchingColumns: ['Key'] }) },
		keys.map((key) => ({ key })),
	);

test('a condition about a text refuses a list: Does Not Contain would hit every record (H28)', async () => {
	for (const operation of ['deleteMany', 'updateMany', 'getAll']) {
		const { error } = await runCounted(operation, {
			...where('Key', 'notContains', ['a']),
			columns: mapEach({ Number: 1 }),
		});
		expect(error?.message).toBe(`'Value' in a condition of 'Filters' cannot be ["a"]`);
		expect(writes()).toEqual([]);
	}
});

test('Is None Of refuses a list without entries, also as a text (H28)', async () => {
	for (const value of ['[]', '[ ]', []]) {
		const { error } = await runCounted('deleteMany', where('Key', 'isNoneOf', value));
		expect(error?.message).toBe("'Value' is empty in a condition of 'Filters'");
		expect(writes()).toEqual([]);
	}
});

test('a deletion that the answer denies is no success (H34)', async () => {
	answer('DELETE', '/records/r1$', { deleted: false });
	const { error } = await run('delete', { recordId: byId('r1') });
	expect(error?.message).toBe("The service reports that the record wasn't deleted");
});

describe('Not Equals, and a value that is none of its field’s type (H29)', () => {
	test('nothing is deleted, and the message names the record', async () => {
		list(listed('r1', { Number: 8 }), listed('r2', { Number: '7,0' }));
		const { error } = await runCounted('deleteMany', where('Number', 'notEquals', 7));
		expect(error?.message).toBe(
			`Record r2 has "7,0" in field 'Number', which is no value of the field's type`,
		);
		expect(writes()).toEqual([]);
	});

	test('another condition may decide', async () => {
		list(listed('r1', { Number: '7,0', Key: 'a' }), listed('r2', { Number: 8, Key: 'b' }));
		answer('DELETE', '/records/r2$', '');
		const { json, error } = await run('deleteMany', {
			filters: {
				conditions: [
					{ field: 'Number', condition: 'notEquals', value: 7 },
					{ field: 'Key', condition: 'equals', value: 'b' },
				],
			},
		});
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ id: 'r2', deleted: true }]);
	});

	test('Get Many shows it', async () => {
		list(listed('r2', { Number: '7,0' }));
		const { json } = await run('getAll', where('Number', 'notEquals', 7));
		expect(json).toMatchObject([{ id: 'r2' }]);
	});

	test('a choice that is stored with its label is that choice: no second record is created', async () => {
		const choice = { id: 'Open', name: 'Open' };
		list(listed('r1', { Status: choice }));
		answer('PATCH', '/records/r1$', {});
		const { json, error } = await runCounted('upsert', {
			columns: mapEach({ Status: 'Open', Key: 'a' }, { matchingColumns: ['Status'] }),
		});
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ id: 'r1', action: 'updated' }]);
	});
});

describe('a record that was changed between two pages, and is listed with both values (H32)', () => {
	const pages = (...[first, second]: object[][]) => {
		answer('GET', '/records$', { records: first, next_cursor: 'p2' });
		answer('GET', '/records$', { records: second, next_cursor: null });
	};

	test('the later values count for Delete Many', async () => {
		pages(
			[listed('r1', { Key: 'old' }), listed('r2', { Key: 'new' })],
			[listed('r1', { Key: 'new' })],
		);
		const { json, error } = await runCounted('deleteMany', where('Key', 'equals', 'old'));
		expect([json, error, writes()]).toEqual([[], undefined, []]);
	});

	test('the record is found by its later values, and not by its earlier ones', async () => {
		pages([listed('r1', { Key: 'old' })], [listed('r1', { Key: 'new' })]);
		answer('POST', '/records$', listed('r9', { Key: 'old' }), { status: 201 });
		const { json } = await upsertKeys('new', 'old');
		expect(json).toMatchObject([
			{ id: 'r1', action: 'unchanged' },
			{ id: 'r9', action: 'created' },
		]);
	});

	test('Sync deletes no record that an item is for', async () => {
		pages(
			[listed('r1', { Key: 'gone' }), listed('r2', { Key: 'b' })],
			[listed('r1', { Key: 'a' })],
		);
		const { json, error } = await runCounted(
			'sync',
			{
				columns: mapEach({ Key: '={{ $json.key }}' }, { matchingColumns: ['Key'] }),
				missingRecords: 'delete',
				maxDeletions: 9,
			},
			[{ key: 'a' }, { key: 'b' }],
		);
		expect(error).toBeUndefined();
		expect(json.map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
		expect(writes()).toEqual([]);
	});

	test('Get Many returns it once', async () => {
		pages([listed('r1', { Key: 'old' })], [listed('r1', { Key: 'new' })]);
		expect((await run('getAll', { returnAll: true })).json).toHaveLength(1);
	});
});

describe('a listing that cannot be read to its end, or without its values, is not used (H33)', () => {
	test.each<[string, object]>([
		['a cursor that is an object', { next_cursor: { after: 'r1' } }],
		['a cursor that is true', { next_cursor: true }],
		['more, but no cursor', { has_more: true }],
		['more, and a cursor of null', { hasMore: true, next_cursor: null }],
		['more in an object next to the list', { meta: { has_more: true, next_cursor: '' } }],
		['its cursor under another name', { nextCursor: 'r1' }],
		['a link to the next page', { links: { next: '/records?page=2' } }],
	])('%s', async (_, page) => {
		for (const send of [
			async () => await upsertKeys('b'),
			async () => await runCounted('getAll', { returnAll: true }),
		]) {
			answer('GET', '/records$', { records: [listed('r1', { Key: 'a' })], ...page });
			const { error } = await send();
			expect(error?.message).toContain("The service's list is incomplete");
			expect(writes()).toEqual([]);
		}
	});

	test.each<[string, object]>([
		['says so', { has_more: false, next_cursor: null }],
		['has a link without an address', { _links: { self: {}, next: { href: null } } }],
		[
			'has an empty cursor of the next page',
			{ paging: { next: { cursor: null, has_more: false } } },
		],
		[
			'has a field called next',
			{ fields: { next: { type: 'text' }, next_cursor: { type: 'text' } } },
		],
	])('a page that is the last one and %s', async (_, page) => {
		answer('GET', '/records$', { records: [listed('r1', { Key: 'a' })], ...page });
		const { json, error } = await run('getAll', { returnAll: true });
		expect([json.length, error]).toEqual([1, undefined]);
	});

	test.each<[string, unknown]>([
		['a list', [{ field_id: 'f1', value: 'a' }]],
		['a text', '{"f1":"a"}'],
	])('values in %s', async (_, data) => {
		list(listed('r0', { Key: 'z' }), { id: 'r1', data });
		const { error } = await upsertKeys('a');
		expect(error?.message).toBe(
			"The service's list of records is incomplete: the values of record r1 cannot be read",
		);
		expect(writes()).toEqual([]);
	});
});

describe('the record that was asked for (H34)', () => {
	test('an update keeps the ID of its record, whatever the answer has', async () => {
		answer('PATCH', '/records/r1$', listed('r2', { Key: 'b' }));
		const { json } = await run('update', {
			recordId: byId('r1'),
			columns: mapEach({ Key: 'b' }),
		});
		expect(json).toMatchObject([{ id: 'r1' }]);
	});

	test('an ID with outer spaces is another record', async () => {
		list(listed(' r1', { Key: 'a' }), listed('r1', { Key: 'b' }));
		answer('DELETE', '/records/%20r1$', '');
		const { json, error } = await runCounted('deleteMany', where('Key', 'equals', 'a'));
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ id: ' r1' }]);
		expect(writes()).toEqual([expect.stringMatching(/records\/%20r1$/)]);
	});
});
