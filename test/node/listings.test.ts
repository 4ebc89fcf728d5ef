/** What a run believes: complete listings, responses that are about its own writes, and nothing of earlier runs. */
import type { IDataObject } from 'n8n-workflow';
import { hintsOf, succeeded } from '../support/n8n';
import { byId, mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCardsFor } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
const useNewCard = useCardsFor((made) => ({ workspace, card } = made));
const { run, runCounted, answer } = recordRuns(() => ({ workspace, card }));

/** A record as the service shows it. */
const shown = (id: string | undefined, values: IDataObject): IDataObject => ({
	id,
	data: Object.fromEntries(
		Object.entries(values).map(([name, value]) => [card.fieldIds[name] ?? '', value]),
	),
	created_at: '2026-01-01T00:00:00Z',
});
const page = (records: object[] = [], next_cursor: string | null = null) =>
	answer('GET', '/records$', { records, next_cursor });
const byKey = { columns: mapAutomatically(['Key']) };
const deleting = { ...byKey, missingRecords: 'delete', maxDeletions: -1 };

describe('listings in other ways than the interface shows', () => {
	useNewCard('Listed', { Key: 'text', Amount: 'number', Note: 'text' });
	const list = async (resource: string) => await run('getAll', { resource, returnAll: true });
	const upsert = async (key: string) =>
		await run('upsert', { columns: mapEach({ Key: key }, { matchingColumns: ['Key'] }) });

	describe('cards and fields in pages', () => {
		test('are read to the end', async () => {
			workspace.service.control.setVariants({ listPages: 'pages' });
			const listed = succeeded(await list('field'));
			expect(listed.json).toHaveLength(3);
			const { json } = succeeded(await run('create', { columns: mapEach({ Note: 'on page 2' }) }));
			expect(json).toMatchObject([{ Note: 'on page 2' }]);
		});

		test('are read to the end by their links', async () => {
			const fields = ['Key', 'Amount', 'Note'].map((name) => ({ id: card.fieldIds[name], name }));
			const headers = { link: '</x?page=1>; rel="prev", </x?page=2&size=2>; rel="next"' };
			const json200 = { status: 200, body: 'json', json: { fields: fields.slice(0, 2) } } as const;
			workspace.fail('GET', '/fields$', { ...json200, headers });
			answer('GET', '/fields', { fields: fields.slice(2) });
			const { json } = succeeded(await list('field'));
			expect(json).toHaveLength(3);
			expect(workspace.service.control.requests().at(-1)?.query).toBe('page=2&size=2');
		});

		test.each([
			['says that there are more', { total: 9 }, 'shows 1 of 9'],
			['says so in an object next to it', { meta: { total_count: 9 } }, 'shows 1 of 9'],
			['says so in a text', { meta: { pagination: { total: '9' } } }, 'shows 1 of 9'],
			['has a next page', { pageInfo: { hasNextPage: true } }, 'it continues'],
			["isn't the last page", { isLast: false }, 'it continues'],
			['is cut', { truncated: true }, 'it continues'],
			['has an offset for the next page', { offset: 'itrX' }, 'it continues'],
			['shows an ID twice', { fields: [{ id: 'f1' }, { id: 'f1' }] }, 'the ID f1 twice'],
		])('a list that %s is refused before anything is created', async (_, more, message) => {
			answer('GET', '/fields$', { fields: [{ id: 'f1', name: 'Other', type: 'text' }], ...more });
			const columns = mapAutomatically(['Fresh']);
			const options = { unknownFields: 'create' };
			const { error } = await run('create', { columns, options }, [{ Fresh: 1 }]);
			expect(error?.message).toContain(message);
			expect(workspace.requests().some((request) => request.startsWith('POST'))).toBe(false);
		});

		test.each([{ total_records: 9 }, { meta: { totalRows: '9' } }])(
			'a list of fields with the number of records, %j, is complete',
			async (more) => {
				answer('GET', '/fields$', { fields: [{ id: 'f1', name: 'Other', type: 'text' }], ...more });
				expect((await list('field')).json).toHaveLength(1);
			},
		);
	});

	test.each(['card', 'field', 'record'])('an empty list of %ss may have no body', async (noun) => {
		workspace.fail('GET', `/${noun}s$`, { status: 204, body: 'empty' });
		const { json } = succeeded(await list(noun));
		expect(json).toEqual([]);
	});

	test('pages that are refused for their size: without a limit, and from then on', async () => {
		const limits = () =>
			workspace.service.control
				.requests()
				.filter(({ path }) => path.endsWith('/records'))
				.map(({ query }) => new URLSearchParams(query).get('limit'));
		const rows = Array.from({ length: 25 }, (_, n) => ({ Key: `k${n}` }));
		await workspace.records(card.id, rows);
		workspace.service.control.setVariants({ limitAboveTen: 400 });
		// What a key has refused is remembered: no other test has this one.
		const { apiKey } = workspace.service.control.createKey({});
		const key = { ...workspace.apiKey.workspaceDataApi, apiKey };
		const credential = { credentials: { workspaceDataApi: key } };
		const all = succeeded(await runCounted('getAll', { returnAll: true }, [{}], credential));
		expect(all.json).toHaveLength(25);
		expect(limits()[0]).toBe('1000');
		expect(new Set(limits().slice(1))).toEqual(new Set([null]));
		expect((await runCounted('count', {}, [{}], credential)).json).toEqual([{ count: 25 }]);
		expect(new Set(limits())).toEqual(new Set([null]));
	});

	describe('pages whose order shifts: the second begins with the last record of the first', () => {
		const keys = Array.from({ length: 55 }, (_, n) => `k${String(n).padStart(2, '0')}`);
		const shift = (times: number) => {
			const { control } = workspace.service;
			// Pages have 50 records.
			control.setVariants({ limitAboveTen: 400 });
			control.setPaging({ mode: 'shifting', times });
		};
		const items = keys.map((Key) => ({ Key }));
		beforeEach(async () => void (await workspace.records(card.id, items)));
		const count = async () => {
			workspace.service.control.reset();
			return (await workspace.rows(card.id)).length;
		};
		const sync = async (wanted: IDataObject[]) => await run('sync', deleting, wanted);

		test('are read again: nothing is created twice, nothing deleted that was only skipped', async () => {
			// The first record of the second page is not shown.
			shift(1);
			expect((await upsert('k50')).json[0]?.action).toBe('unchanged');
			shift(2);
			expect((await sync(items)).json.map(({ action }) => action)).toEqual(
				keys.map(() => 'unchanged'),
			);
			shift(1);
			expect((await run('deleteMany', where('Key', 'startsWith', 'k5'))).json).toHaveLength(5);
			expect(await count()).toBe(50);
		});

		test('each time: records that are found are updated, none is created or deleted', async () => {
			shift(100);
			expect((await upsert('k54')).json[0]?.action).toBe('unchanged');
			for (const refused of [
				await upsert('k50'),
				await sync(items),
				await sync(items.slice(0, 9)),
			]) {
				expect(refused.error?.message).toContain("list of records isn't complete");
				expect(refused.error?.description).toContain('Nothing was created or deleted');
			}
			expect(await count()).toBe(55);
		});

		test('what is only read says that records may be missing', async () => {
			for (const operation of ['getAll', 'count']) {
				shift(1);
				const result = succeeded(await run(operation, { returnAll: true }));
				expect(hintsOf(result).join()).toContain('they may have skipped others');
			}
		});
	});
});

describe('when a response is ambiguous, nothing is written', () => {
	useNewCard('Doubt', {
		Key: 'text',
		Number: 'number',
		Status: { type: 'single_select', options: ['Open', 'Done'] },
	});

	const upsertKeys = async (...keys: string[]) =>
		await runCounted(
			'upsert',
			byKey,
			keys.map((Key) => ({ Key })),
		);

	describe('Not Equals, and a value that is none of its field’s type', () => {
		test('nothing is deleted, and the message names the record', async () => {
			page([shown('r1', { Number: 8 }), shown('r2', { Number: '7,0' })]);
			const { error } = await runCounted('deleteMany', where('Number', 'notEquals', 7));
			expect(error?.message).toBe(
				`Record r2 has "7,0" in field 'Number', which isn't valid for the field's type`,
			);
			expect(workspace.changes()).toEqual([]);
		});

		test('another condition may decide', async () => {
			page([shown('r1', { Number: '7,0', Key: 'a' }), shown('r2', { Number: 8, Key: 'b' })]);
			answer('DELETE', '/records/r2$', '');
			const conditions = [
				{ field: 'Number', condition: 'notEquals', value: 7 },
				{ field: 'Key', condition: 'equals', value: 'b' },
			];
			const { json } = succeeded(await run('deleteMany', { filters: { conditions } }));
			expect(json).toMatchObject([{ id: 'r2', deleted: true }]);
		});

		test('a choice that is stored with its label is that choice: no second record is created', async () => {
			const choice = { id: 'Open', name: 'Open' };
			page([shown('r1', { Status: choice })]);
			answer('PATCH', '/records/r1$', {});
			const columns = mapEach({ Status: 'Open', Key: 'a' }, { matchingColumns: ['Status'] });
			const { json } = succeeded(await runCounted('upsert', { columns }));
			expect(json).toMatchObject([{ id: 'r1', action: 'updated' }]);
		});
	});

	describe('a record that was changed between two pages, and is listed with both values', () => {
		const pages = (...[first, second]: object[][]) => {
			page(first, 'p2');
			page(second);
		};

		test('the later values count for Delete Many', async () => {
			const once = [shown('r1', { Key: 'old' }), shown('r2', { Key: 'new' })];
			pages(once, [shown('r1', { Key: 'new' })]);
			const { json, error } = await runCounted('deleteMany', where('Key', 'equals', 'old'));
			expect([json, error, workspace.changes()]).toEqual([[], undefined, []]);
		});

		test('the record is found by its later values, and not by its earlier ones', async () => {
			pages([shown('r1', { Key: 'old' })], [shown('r1', { Key: 'new' })]);
			answer('POST', '/records$', shown('r9', { Key: 'old' }), { status: 201 });
			const { json } = await upsertKeys('new', 'old');
			expect(json).toMatchObject([
				{ id: 'r1', action: 'unchanged' },
				{ id: 'r9', action: 'created' },
			]);
		});

		test('Sync deletes no record that an item is for', async () => {
			const once = [shown('r1', { Key: 'gone' }), shown('r2', { Key: 'b' })];
			pages(once, [shown('r1', { Key: 'a' })]);
			const items = [{ Key: 'a' }, { Key: 'b' }];
			const { json } = succeeded(await runCounted('sync', deleting, items));
			expect(json.map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
			expect(workspace.changes()).toEqual([]);
		});

		test('Get Many returns it once', async () => {
			pages([shown('r1', { Key: 'old' })], [shown('r1', { Key: 'new' })]);
			expect((await run('getAll', { returnAll: true })).json).toHaveLength(1);
		});
	});

	describe("a listing that can't be read to its end, or without its values, isn't used", () => {
		test.each<[string, object]>([
			['a cursor that is an object', { next_cursor: { after: 'r1' } }],
			['a cursor that is true', { next_cursor: true }],
			['more, but no cursor', { has_more: true }],
			['more, and a cursor of null', { hasMore: true, next_cursor: null }],
			['more in an object next to the list', { meta: { has_more: true, next_cursor: '' } }],
			['its cursor under another name', { nextCursor: 'r1' }],
			['a link to the next page', { links: { next: '/records?page=2' } }],
		])('%s', async (_, more) => {
			for (const operation of ['upsert', 'getAll']) {
				answer('GET', '/records$', { records: [shown('r1', { Key: 'a' })], ...more });
				const parameters = { ...byKey, returnAll: true };
				const { error } = await runCounted(operation, parameters, [{ Key: 'b' }]);
				expect(error?.message).toContain("The service's list is incomplete");
				expect(workspace.changes()).toEqual([]);
			}
		});

		test.each<[string, object]>([
			['says so', { has_more: false, next_cursor: null }],
			['has a link without an address', { _links: { self: {}, next: { href: null } } }],
			['has an empty cursor', { paging: { next: { cursor: null, has_more: false } } }],
			['has a field called next', { fields: { next: {}, next_cursor: { type: 'text' } } }],
		])('a page that is the last one and %s', async (_, more) => {
			answer('GET', '/records$', { records: [shown('r1', { Key: 'a' })], ...more });
			const { json, error } = await run('getAll', { returnAll: true });
			expect([json.length, error]).toEqual([1, undefined]);
		});

		test.each<[string, unknown]>([
			['a list', [{ field_id: 'f1', value: 'a' }]],
			['a text', '{"f1":"a"}'],
		])('values in %s', async (_, data) => {
			page([shown('r0', { Key: 'z' }), { id: 'r1', data }]);
			const { error } = await upsertKeys('a');
			expect(error?.message).toBe(
				"The service's list of records is incomplete: the values of record r1 can't be read",
			);
			expect(workspace.changes()).toEqual([]);
		});
	});

	test('an ID with outer spaces is another record', async () => {
		page([shown(' r1', { Key: 'a' }), shown('r1', { Key: 'b' })]);
		answer('DELETE', '/records/%20r1$', '');
		const { json } = succeeded(await runCounted('deleteMany', where('Key', 'equals', 'a')));
		expect(json).toMatchObject([{ id: ' r1' }]);
		expect(workspace.changes()).toEqual([expect.stringMatching(/records\/%20r1$/)]);
	});
});

describe('what a response to a write shows counts only as far as it can be about that write', () => {
	useNewCard('Untrue', { Key: 'text', Note: 'text', Visits: 'number' });

	test.each(['upsert', 'sync'])(
		'%s, whose creation shows a known record: nothing is said to be created, the creation is unclear',
		async (name) => {
			const [id] = await workspace.records(card.id, [{ Key: 'known' }]);
			answer('POST', '/records$', shown(id, { Key: 'known' }), { times: 2 });
			const { json, error } = await run(name, byKey, [{ Key: 'new' }]);
			expect(json).toEqual([]);
			expect(error?.message).toBe(
				`The record may have been created: the service returned the ID '${id}', but that record existed before`,
			);
			expect(error?.context?.data).toBeUndefined();
			const second = await run(name, byKey, [{ Key: 'new' }]);
			expect(second.error?.message).toContain('may exist already');
			// The known record stays what it was.
			const known = await run(name, byKey, [{ Key: 'known', Note: 'x' }]);
			expect(known.json).toMatchObject([{ id, action: 'updated', before: { Note: null } }]);
		},
	);

	const note = mapEach({ Note: 'new' });
	const UPDATES: Array<[string, (id: string) => IDataObject]> = [
		['upsert', () => byKey],
		['sync', () => byKey],
		['updateMany', () => ({ ...where('Key', 'equals', 'a'), columns: note })],
		['update', (id) => ({ recordId: byId(id), columns: note, options: { oldValues: true } })],
	];
	const ITEM = { Key: 'a', Note: 'new' };

	test.each(UPDATES)('%s: before has no field that others changed meanwhile', async (name, of) => {
		const [id = ''] = await workspace.records(card.id, [{ Key: 'a', Note: 'old', Visits: 1 }]);
		answer('PATCH', '', shown(id, { ...ITEM, Visits: 2 }));
		const { json } = await run(name, of(id), [ITEM]);
		expect(json).toMatchObject([{ action: 'updated', Note: 'new', Visits: 2 }]);
		expect(json[0]?.before).toEqual({ Note: 'old' });
	});

	test.each(UPDATES)('%s: the response shows another record, and is refused', async (name, of) => {
		const [id = ''] = await workspace.records(card.id, [{ Key: 'a', Note: 'old' }]);
		answer('PATCH', '', shown('rec_other', { Key: 'z', Note: 'of another' }));
		const { json, error } = await run(name, of(id), [ITEM]);
		expect(json).toEqual([]);
		expect(error?.message).toBe(`The service responded with record 'rec_other' instead of '${id}'`);
		expect(error?.description).toContain('One of them may have been changed');
	});
});

describe('a run believes the listing that it reads: people may change anything between two runs', () => {
	useNewCard('Between', { Key: 'text', Note: 'text' });

	/** Somebody changes a record in the service. */
	const edit = async (id: unknown, Note: string) =>
		await workspace.send('PATCH', `/cards/${card.id}/records/${String(id)}`, {
			data: { [String(card.fieldIds.Note)]: Note },
		});
	const remove = async (id: unknown) =>
		await workspace.send('DELETE', `/cards/${card.id}/records/${String(id)}`);

	const WRITES: Array<[string, IDataObject]> = [
		['upsert', byKey],
		['sync', byKey],
		['updateMany', { ...where('Key', 'equals', 'a'), columns: mapEach({ Note: 'new' }) }],
	];

	test.each(WRITES)(
		'%s again, after somebody put old values back',
		async (operation, parameters) => {
			const [id] = await workspace.records(card.id, [{ Key: 'a', Note: 'old' }]);
			const item = { Key: 'a', Note: 'new' };
			for (const note of ['old', 'old', 'another']) {
				await edit(id, note);
				const { json } = succeeded(await run(operation, parameters, [item]));
				expect(json).toMatchObject([{ action: 'updated', before: { Note: note }, Note: 'new' }]);
			}
			expect(await workspace.rows(card.id)).toEqual([item]);
		},
	);

	test.each(['upsert', 'sync'])(
		'%s creates a record again that somebody has deleted, and meets no record that is gone',
		async (operation) => {
			const made = await run('create', { columns: mapEach({ Key: 'a' }) }, [{}, {}]);
			for (const { id } of made.json) await remove(id);
			const first = await run(operation, byKey, [{ Key: 'a', Note: 'x' }]);
			expect(first.json).toMatchObject([{ action: 'created' }]);
			await remove(first.json[0]?.id);
			const second = await run(operation, byKey, [{ Key: 'a', Note: 'x' }]);
			expect(second.json).toMatchObject([{ action: 'created' }]);
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Note: 'x' }]);
		},
	);

	test('Delete Many deletes what meets the conditions now, whatever an earlier run wrote', async () => {
		const [id] = await workspace.records(card.id, [{ Key: 'a', Note: 'open' }]);
		const open = where('Note', 'equals', 'open');
		await run('updateMany', { ...open, columns: mapEach({ Note: 'done' }) });
		await edit(id, 'open');
		expect((await run('deleteMany', open)).json).toMatchObject([{ id, Note: 'open' }]);
		expect(await workspace.rows(card.id)).toEqual([]);
	});

	test('an unclear change of an earlier run makes nothing doubtful: the listing counts', async () => {
		const ids = await workspace.records(card.id, [{ Key: 'a' }, { Key: 'b' }]);
		workspace.fail('PATCH', '', { status: 503, times: 3 });
		const unclear = await run('upsert', byKey, [{ Key: 'a', Note: 'x' }]);
		expect(unclear.error).toBeDefined();
		const { json } = await run('deleteMany', where('Key', 'equals', 'a'));
		expect(json.map(({ id }) => id)).toEqual([ids[0]]);
	});

	type Fault = Parameters<TestWorkspace['fail']>[2];

	describe.each<[string, Fault]>([
		['no response', { mode: 'dropBefore' }],
		['status 502', { status: 502 }],
		['no ID', { mode: 'answer', status: 201, body: 'json', json: {} }],
	])('%s to a creation, which may be carried out later', (_, fault) => {
		test.each(['upsert', 'sync'])('%s creates its key once for a minute', async (name) => {
			workspace.fail('POST', '/records$', fault);
			await run(name, byKey, [{ Key: 'a' }]);
			const second = await run(name, byKey, [{ Key: 'a' }]);
			expect(second.error?.message).toContain('may exist already');
			expect((await run(name, byKey, [{ Key: 'b' }])).json).toMatchObject([{ action: 'created' }]);
			await workspace.records(card.id, [{ Key: 'a' }]);
			expect((await run(name, byKey, [{ Key: 'a' }])).json).toMatchObject([
				{ action: 'unchanged' },
			]);
		});

		test.each(['reuse', 'error'])('nor does Field: Create with %s', async (ifExists) => {
			const field = {
				resource: 'field',
				name: 'New',
				type: 'text',
				additionalFields: { ifExists },
			};
			workspace.fail('POST', '/fields$', fault);
			await run('create', field);
			const { error } = await run('create', field);
			expect(error?.message).toBe("Field 'New' may exist already, but the service doesn't list it");
			succeeded(await run('create', { ...field, name: 'Other' }));
			expect((await workspace.fields(card.id)).map(({ name }) => name)).not.toContain('New');
		});

		test.each(['reuse', 'error'])('nor does Card: Create with %s', async (ifExists) => {
			const name = `New for ${ifExists}, ${JSON.stringify(fault)}`;
			const parameters = { resource: 'card', name, additionalFields: { ifExists } };
			workspace.fail('POST', '/cards$', fault);
			expect((await run('create', parameters)).error).toBeDefined();
			const { error } = await run('create', parameters);
			expect(error?.message).toContain("may exist already, but the service doesn't list it");
			expect(await workspace.cardsCalled(name)).toEqual([]);
		});
	});

	test('Sync deletes what an earlier execution has just written, if it has no item', async () => {
		await run('upsert', byKey, [{ Key: 'a' }, { Key: 'b' }]);
		expect((await run('sync', deleting, [{ Key: 'a' }])).json).toMatchObject([
			{ action: 'unchanged' },
			{ action: 'deleted', Key: 'b' },
		]);
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a' }]);
	});
});
