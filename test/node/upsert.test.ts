/** Create or Update finds its record, whatever was answered before, and sends what differs. */
import type { IDataObject } from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { readFields } from '../../nodes/WorkspaceData/model/response/field';
import { editorContext } from '../support/editor';
import { hintsOf, succeeded } from '../support/n8n';
import { otherRuns } from '../support/otherRuns';
import type { OtherService } from '../support/otherService';
import { byId, mapAutomatically, mapEach, where } from '../support/parameters';
import { actionsOf, recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
const { run, answer } = recordRuns(() => ({ workspace, card }));

describe('the record is found', () => {
	const Status = { type: 'single_select', options: ['Open', 'Done'] };
	useCard(
		'Upsert',
		{ Key: 'text', Amount: 'number', Status },
		(made) => ({ workspace, card } = made),
	);
	const upsert = async (items: IDataObject[], key = 'Key', options: IDataObject = {}) =>
		await run('upsert', { columns: mapAutomatically([key]), options }, items);
	const readings = () =>
		workspace.requests().filter((request) => request === `GET /cards/${card.id}/records`).length;

	test('with one more reading for each round of creates that were answered without an id', async () => {
		workspace.service.control.setVariants({ createStatus: 204 });
		const items = Array.from({ length: 40 }, (_, n) => ({ Key: `k${n % 20}`, Amount: n }));
		const { json } = succeeded(await upsert(items));
		expect(json.filter(({ action }) => action === 'created')).toHaveLength(20);
		// A reading shows the creates that ended before it. Sixteen run at once, so that 20 take two rounds.
		expect(readings()).toBeGreaterThanOrEqual(2);
		expect(readings()).toBeLessThanOrEqual(3);
		expect(await workspace.rows(card.id)).toHaveLength(20);
	});

	test.each<[string, (ids: Record<string, string>) => IDataObject]>([
		['no values', () => ({})],
		['other values only', ({ Amount = '' }) => ({ [Amount]: 1 })],
		['its value in another spelling', ({ Key = '' }) => ({ [Key]: 'a@x' })],
	])('also where answers show %s', async (_, data) => {
		const record = { id: 'r9', data: data(card.fieldIds) };
		answer('POST', '/records$', record, { status: 201 });
		answer('PATCH', '/records/r9$', record, { times: 2 });
		const { json } = succeeded(await upsert([1, 2, 3].map((Amount) => ({ Key: 'A@x', Amount }))));
		expect(json.map(({ id, action }) => [id, action])).toEqual([
			['r9', 'created'],
			['r9', 'updated'],
			['r9', 'updated'],
		]);
		expect(json.map(({ Key }) => Key)).not.toContain(undefined);
		expect(json.at(-1)?.Amount).toBeDefined();
	});

	test.each([
		['between the listing of fields and that of records', '/fields'],
		['between the listing of records and the write', '/records'],
	])('when field ids change %s', async (_, path) => {
		const { control } = workspace.service;
		await workspace.records(card.id, [{ Key: 'a', Amount: 1, Status: 'Open' }]);
		control.resetRequests();
		control.setLatency({ ms: 100 });
		const running = upsert(['a', 'a', 'b', 'b'].map((Key, n) => ({ Key, Amount: n + 2 })));
		const isRead = () =>
			control.requests().some((request) => request.path.endsWith(path) && request.status === 200);
		while (!isRead()) await new Promise(setImmediate);
		control.rotateFieldIds({ cardId: card.id });
		const { json } = succeeded(await running);
		control.setLatency({ ms: 0 });
		expect(json).toMatchObject([
			{ action: 'updated', Key: 'a', Amount: 2, Status: 'Open' },
			{ action: 'updated', Key: 'a', Amount: 3, Status: 'Open' },
			{ action: 'created', Key: 'b', Amount: 4, Status: null },
			{ action: 'updated', Key: 'b', Amount: 5, Status: null },
		]);
		expect(readings()).toBe(2);
		expect(await workspace.rows(card.id)).toEqual([
			{ Key: 'a', Amount: 3, Status: 'Open' },
			{ Key: 'b', Amount: 5 },
		]);
	});

	test('not by a choice in another case: records are overwritten by exact values only', async () => {
		await workspace.records(card.id, [{ Status: 'Done' }]);
		const { error } = await upsert([{ Status: 'done' }], 'Status');
		expect(error?.message).toBe("Field 'Status' can't hold \"done\"");
		expect(await workspace.rows(card.id)).toEqual([{ Status: 'Done' }]);
	});

	test('Create Only leaves existing records, Update Only creates none', async () => {
		const row = { Key: 'a', Amount: 1 };
		await workspace.records(card.id, [row]);
		const items = [{ Key: 'a', Amount: 2 }, { Key: 'b' }];
		const update = async (ifNotFound: string) =>
			await upsert(items, 'Key', { upsertMode: 'updateOnly', ifNotFound });
		expect((await update('error')).error?.message).toBe(
			`No record of card '${card.id}' matches this item`,
		);
		expect((await update('skip')).json).toMatchObject([{ Key: 'a', Amount: 2 }]);
		expect((await update('empty')).json[1]).toEqual({});
		expect(await workspace.rows(card.id)).toEqual(items.slice(0, 1));
		const created = await upsert([row, { Key: 'b' }], 'Key', { upsertMode: 'createOnly' });
		expect(actionsOf(created)).toEqual(['unchanged', 'created']);
		expect(created.json[0]).toMatchObject({ Amount: 2 });
		expect(await workspace.rows(card.id)).toEqual(items);
	});
});

describe('a service that keeps keys in another spelling', () => {
	const FIELDS = { Mail: 'text', At: 'datetime', Amount: 'number' };
	useCard('People', FIELDS, (made) => ({ workspace, card } = made));
	const upsert = async (field: string, ...values: string[]) =>
		await run(
			'upsert',
			{ columns: mapAutomatically([field]) },
			values.map((value, Amount) => ({ [field]: value, Amount })),
		);
	const sync = async (field: string, ...values: string[]) =>
		await run(
			'sync',
			{ columns: mapAutomatically([field]), missingRecords: 'delete', maxDeletions: -1 },
			values.map((value) => ({ [field]: value })),
		);
	const ids = async () => (await run('getAll', { returnAll: true })).json.map(({ id }) => id);

	describe.each([
		['lowerCase', 'Ann@X.Y', 'ann@x.y'],
		['trimmed', ' ann@x.y', 'ann@x.y'],
	] as const)('a service that stores text as %s', (storedTexts, sent, kept) => {
		beforeEach(() => void workspace.service.control.setVariants({ storedTexts }));

		test('one record, however often its key is upserted', async () => {
			const first = await upsert('Mail', sent);
			expect(actionsOf(first)).toEqual(['created']);
			for (const text of [sent, kept]) expect(hintsOf(first).join()).toContain(text);
			for (const { error } of [await upsert('Mail', sent), await upsert('Mail', sent)]) {
				expect(error?.message).toContain(kept);
				expect(error?.message).toContain(sent.trim());
			}
			expect(actionsOf(await upsert('Mail', kept))).toEqual(['unchanged']);
			expect(await ids()).toHaveLength(1);
		});

		test('one record for the same key twice in one run, and for both spellings', async () => {
			const result = await upsert('Mail', sent, sent, kept);
			expect(actionsOf(result)).toEqual(['created', 'updated', 'updated']);
			expect(await ids()).toHaveLength(1);
		});

		test('Sync with deletions changes nothing on the second night', async () => {
			expect(actionsOf(await sync('Mail', sent))).toEqual(['created']);
			const before = await ids();
			const { error } = await sync('Mail', sent);
			expect(error?.message).toContain(kept);
			expect(error?.description).toContain('Nothing was sent');
			expect(await ids()).toEqual(before);
			expect(actionsOf(await sync('Mail', kept))).toEqual(['unchanged']);
		});
	});

	test.each([
		['a\u00a0b', 'a b'],
		['a\u200bb', 'ab'],
		['\ufb01x', 'fix'],
		['Stra\u00dfe', 'STRASSE'],
	])('the key %j is refused where the card has %j', async (sent, kept) => {
		await workspace.records(card.id, [{ Mail: kept }]);
		expect((await upsert('Mail', sent)).error?.message).toContain('only in its spelling');
		expect(await ids()).toHaveLength(1);
	});

	test('times that differ in their milliseconds are different keys', async () => {
		const at = (fraction: string) => `2026-03-31T10:00:00${fraction}Z`;
		const first = await upsert('At', at('.123'), at('.456'));
		expect(actionsOf(first)).toEqual(['created', 'created']);
		const second = await sync('At', at('.123'), at('.789'));
		expect(actionsOf(second)).toEqual(['unchanged', 'created', 'deleted']);
		// Zeros alone are a spelling.
		const others = await upsert('At', at('.123456'), at(''), at('.000'));
		expect(actionsOf(others)).toEqual(['created', 'created', 'updated']);
	});

	test('a third spelling is refused once the service has shown that it keeps one', async () => {
		workspace.service.control.setVariants({ storedTexts: 'lowerCase' });
		const { error } = await upsert('Mail', 'Ann', 'ann', 'ANN');
		expect(error?.message).toContain('"ANN"');
		expect(await ids()).toHaveLength(1);
	});

	test('keys that differ in case are two records, where another item or record has the other spelling', async () => {
		expect(actionsOf(await upsert('Mail', 'ann', 'Ann'))).toEqual(['created', 'created']);
		expect((await upsert('Mail', 'ANN')).error?.message).toContain('"ANN"');
		expect((await sync('Mail', 'ann', 'Ann', 'ANN')).json).toHaveLength(3);
		expect(await ids()).toHaveLength(3);
		expect(actionsOf(await sync('Mail', 'Ann'))).toEqual(['unchanged', 'deleted', 'deleted']);
	});
});

describe('what a record holds is never a reason to refuse', () => {
	let other: OtherService;
	const { start: startOther, runOther: run, bodies } = otherRuns();

	const KEY = { id: 'k', name: 'Key', type: 'text' };
	const VALUE = { id: 'v', name: 'V', type: 'text' };
	const FIELDS: IDataObject[] = [
		...[KEY, VALUE],
		{ id: 's', name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
		{ id: 't', name: 'Tags', type: 'multi_select', options: ['a', 'b'] },
		{ id: 'b', name: 'Paid', type: 'boolean' },
		{ id: 'd', name: 'Day', type: 'date' },
		{ id: 'a', name: 'At', type: 'datetime' },
		{ id: 'x', name: 'Total', type: 'number', read_only: true },
	];
	const AS_READ: IDataObject = {
		...{ Key: 'k1', V: 'old', Status: 'Gone', Tags: ['a', 'gone'], Paid: 'Y', Day: '01.03.2026' },
		...{ At: 1770000000, Total: 7 },
	};
	const HELD = Object.fromEntries(FIELDS.map(({ id, name }) => [id, AS_READ[name as string]]));
	const start = async (records: IDataObject[] = [HELD as IDataObject], fields = FIELDS) =>
		(other = await startOther(fields, records));
	const keyed = mapAutomatically(['Key']);

	describe.each<[string, IDataObject]>([
		['upsert', { columns: keyed }],
		['sync', { columns: keyed, missingRecords: 'delete' }],
	])('%s', (operation, parameters) => {
		test("sends the values that differ, and nothing else; all with 'Send Again'", async () => {
			await start([{ k: 'k1', v: 'old', s: 'Open' }]);
			const item = { Key: 'k1', V: 'new', Status: 'Open' };
			const { json } = succeeded(await run(operation, parameters, [item]));
			expect(json).toMatchObject([{ action: 'updated', ...item }]);
			await run(operation, { ...parameters, options: { unchanged: 'send' } }, [item]);
			expect(bodies()).toEqual([
				{ data: { v: 'new' } },
				{ data: { k: 'k1', v: 'new', s: 'Open' } },
			]);
		});

		test('takes back what Get Many gave, whatever it is, and keeps a removed choice next to a new one', async () => {
			await start();
			expect((await run('getAll', { returnAll: true })).json).toMatchObject([AS_READ]);
			const write = async (item: IDataObject) =>
				actionsOf(succeeded(await run(operation, parameters, [item])));
			expect(await write(AS_READ)).toEqual(['unchanged']);
			expect(await write({ ...AS_READ, V: 'new' })).toEqual(['updated']);
			const Tags = ['a', 'gone', 'b'];
			expect(await write({ Key: 'k1', Tags })).toEqual(['updated']);
			expect(bodies()).toEqual([{ data: { v: 'new' } }, { data: { t: Tags } }]);
		});

		test.each<[IDataObject, string]>([
			[{ Key: 'k1', Status: 'Lost' }, "Field 'Status' can't hold"],
			[{ Key: 'k1', Paid: 'maybe' }, "Field 'Paid' can't hold"],
			[{ Key: 'new', Status: 'Gone' }, "Field 'Status' can't hold"],
		])('refuses what neither the field nor the record has: %j', async (item, message) => {
			await start();
			const { error } = await run(operation, parameters, [item]);
			expect(error?.message).toContain(message);
			expect(bodies()).toEqual([]);
		});
	});

	test.each<[IDataObject, boolean]>([
		...['read_only', 'readOnly', 'readonly', 'computed', 'is_computed', 'isReadOnly'].map(
			(mark): [IDataObject, boolean] => [{ type: 'number', [mark]: true }, true],
		),
		[{ type: 'formula' }, true],
		[{ type: 'autonumber', read_only: false }, false],
	])('a field with %j is computed: %j', (field, isReadOnly) => {
		expect(readFields([{ ...field, id: 'x' }])).toMatchObject([{ isReadOnly }]);
	});

	test('a computed field is in no list to write, left out by Map Automatically with a hint, and refused by hand', async () => {
		await start();
		const context = editorContext(other.credentials, { cardId: byId('c') });
		const { fields } = await new WorkspaceData().methods.resourceMapping.getColumns.call(context);
		expect(fields.map(({ id }) => id)).not.toContain('Total');
		const item = { Key: 'k2', Total: 8 };
		const automatic = await run('create', { columns: mapAutomatically() }, [item]);
		expect(bodies()).toEqual([{ data: { k: 'k2' } }]);
		expect(hintsOf(automatic).join()).toContain("'Total' of the items wasn't written");
		for (const operation of ['create', 'update']) {
			const columns = mapEach({ Key: 'k3', Total: 8 });
			const { error } = await run(operation, { columns, recordId: byId('r0') });
			expect(error?.message).toBe("Field 'Total' can't be written");
		}
		expect(bodies()).toHaveLength(1);
	});

	test('a computed field is taken where it equals the value of the record; matched on and filtered', async () => {
		await start();
		const upsert = async (key: string, values: IDataObject) => {
			const columns = mapEach(values, { matchingColumns: [key] });
			const { json, error } = await run('upsert', { columns });
			return error?.message ?? json[0]?.action;
		};
		const refusal = "Field 'Total' can't be written";
		expect(await upsert('Key', { Key: 'k1', Total: 8, V: 'new' })).toBe(refusal);
		expect(bodies()).toEqual([]);
		expect(await upsert('Key', { Key: 'k1', Total: 7, V: 'new' })).toBe('updated');
		expect(await upsert('Total', { Total: 7, V: 'newer' })).toBe('updated');
		expect(bodies()).toEqual([{ data: { v: 'new' } }, { data: { v: 'newer' } }]);
		expect((await run('getAll', where('Total', 'equals', 7))).json).toHaveLength(1);
		expect(await upsert('Total', { Total: 9, V: 'x' })).toBe(refusal);
	});

	test('Update Many sends the values that differ; a choice is held by each record, or refused', async () => {
		await start([
			{ k: 'k1', v: 'a', s: 'Gone' },
			{ k: 'k2', v: 'b', s: 'Gone' },
			{ k: 'k3', s: 'Open' },
		]);
		const columns = mapEach({ V: 'b', Status: 'Gone' });
		const gone = where('Status', 'equals', 'Gone');
		const result = succeeded(await run('updateMany', { ...gone, columns }));
		expect(actionsOf(result)).toEqual(['updated', 'unchanged']);
		expect(bodies()).toEqual([{ data: { v: 'b' } }]);
		const open = { ...where('Key', 'isNotEmpty', ''), columns: mapEach({ Status: 'Gone' }) };
		expect((await run('updateMany', open)).error?.message).toContain("Field 'Status' can't hold");
		expect(bodies()).toHaveLength(1);
		expect((await run('deleteMany', gone)).json).toMatchObject([{ Key: 'k1' }, { Key: 'k2' }]);
		expect(other.records).toHaveLength(1);
	});

	const READING = [{ oldValues: true }, { dryRun: true }];
	test.each(READING)('Update takes back what it has read: %j', async (options) => {
		await start();
		const automatic = { recordId: byId('r0'), columns: mapAutomatically(), options };
		succeeded(await run('update', automatic, [{ ...AS_READ, V: 'new' }]));
		const byHand = { recordId: byId('r0'), columns: mapEach({ Total: 7 }), options };
		succeeded(await run('update', byHand));
		const sent = 'dryRun' in options ? [] : [{ data: expect.objectContaining({ v: 'new' }) }];
		expect(bodies()).toEqual(sent);
	});

	test.each([
		['no choice, but the number of one', [{ id: 3, name: 'Low' }], '3', 3],
		['another case of one', ['Gone'], 'gone', 'gone'],
	])('Delete Many refuses an operand that names %s', async (_, options, value, stored) => {
		await start([{ s: stored }], [{ id: 's', name: 'Status', type: 'select', options }]);
		const { error } = await run('deleteMany', where('Status', 'equals', value));
		expect(error?.message).toContain("'Status'");
		expect(bodies()).toEqual([]);
	});

	test.each([
		['', { updateStatus: 200 }, 'r0'],
		[' without a body', { updateStatus: 204 }, 'r0'],
		[', also where the first change was refused, and errors continue', { refuses: ['r0'] }, 'r1'],
	])('a service that replaces records is noticed%s', async (_, more, replaced) => {
		await start(['k1', 'k2', 'k3'].map((k) => ({ k, v: 'a', s: 'Open' })));
		Object.assign(other, { replaces: true, ...more });
		const items = ['k1', 'k2', 'k3'].map((Key) => ({ Key, Status: 'Done' }));
		const node = { onError: 'continueRegularOutput' as const };
		const { json } = await run('upsert', { columns: keyed }, items, { node });
		const isRefused = replaced === 'r1';
		const said = `replaced record '${replaced}' by the values that were sent`;
		expect(json.map(({ error }) => String(error))).toEqual([
			expect.stringContaining(isRefused ? 'refused' : said),
			...[said, said].map((text) => expect.stringContaining(text) as string),
		]);
		expect(JSON.stringify(json.at(-1))).toContain("'Send Again'");
		const kept = other.records.map(({ data }) => data.v === 'a');
		expect(kept).toEqual(isRefused ? [true, false, true] : [false, true, true]);
	});
});
