/** Create or Update finds its record, whatever was answered before, and sends what differs. */
import type { IDataObject } from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { editorContext } from '../support/editor';
import { hintsOf, succeeded } from '../support/n8n';
import { byId, mapAutomatically, mapEach, where } from '../support/parameters';
import { bodies, other, runOther, startOther } from '../support/otherService';
import { actionsOf, GOING_ON, run } from '../support/runs';
import { answer, card, useCard, workspace } from '../support/workspace';

describe('the record is found', () => {
	const Status = { type: 'single_select', options: ['Open', 'Done'] };
	useCard('Upsert', { Key: 'text', Amount: 'number', Status });
	const upsert = async (items: IDataObject[], key = 'Key', options: IDataObject = {}) =>
		await run('upsert', { columns: mapAutomatically([key]), options }, items);

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

	test('not by a choice in another case: records are overwritten by exact values only', async () => {
		await workspace.records(card.id, [{ Status: 'Done' }]);
		const { error } = await upsert([{ Status: 'done' }], 'Status');
		expect(error?.message).toBe("Field 'Status' can't hold \"done\"");
		expect(await workspace.rows(card.id)).toEqual([{ Status: 'Done' }]);
	});

	test('a refused item has its error only, also with an empty item for a record that is missing', async () => {
		await workspace.records(card.id, [{ Key: 'a' }, { Key: 'a' }]);
		const parameters = { columns: mapAutomatically(['Key']), options: { ifNotFound: 'empty' } };
		const { json } = await run('upsert', parameters, [{ Key: 'a', Amount: 1 }], GOING_ON);
		expect(json).toEqual([
			expect.objectContaining({ error: expect.stringContaining('2 records') }),
		]);
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

describe('keys in another case', () => {
	const FIELDS = { Mail: 'text', At: 'datetime', Amount: 'number' };
	useCard('People', FIELDS);
	const write = async (operation: string, items: IDataObject[], options: IDataObject = {}) => {
		const [field = ''] = Object.keys(items[0] ?? {});
		return await run(operation, { columns: mapAutomatically([field]), options }, items);
	};
	const mails = (...values: string[]) => values.map((Mail, Amount) => ({ Mail, Amount }));
	const stored = async () => (await workspace.rows(card.id)).map(({ Mail }) => Mail);

	test('are other keys: matched on exactly', async () => {
		const first = await write('upsert', mails('ann', 'Ann'));
		expect(actionsOf(first)).toEqual(['created', 'created']);
		expect(actionsOf(await write('sync', mails('ann', 'Ann', 'ANN')))).toEqual([
			...['unchanged', 'unchanged', 'created'],
		]);
	});

	test.each(['upsert', 'sync'])('are one key with Ignore Case: %s', async (operation) => {
		const options = { ignoreCase: true };
		await workspace.records(card.id, [{ Mail: 'ann@x.y', Amount: 0 }]);
		const { json } = succeeded(await write(operation, mails('Ann@X.Y'), options));
		expect(json).toMatchObject([{ action: 'unchanged' }]);
		const changed = await write(operation, [{ Mail: 'ANN@x.y', Amount: 5 }], options);
		expect(changed.json).toMatchObject([{ action: 'updated', Amount: 5, Mail: 'ann@x.y' }]);
		expect(await stored()).toEqual(['ann@x.y']);
		const twice = await write('sync', mails('a', 'A'), options);
		expect(twice.error?.message).toBe(
			'Several items have the same values in the fields to match on',
		);
	});

	test('times that differ in their milliseconds are different keys; zeros are a spelling', async () => {
		const at = (...fractions: string[]) =>
			fractions.map((fraction) => ({ At: `2026-03-31T10:00:00${fraction}Z` }));
		const first = await write('upsert', at('.123', '.456', '.1230'));
		expect(actionsOf(first)).toEqual(['created', 'created', 'unchanged']);
		const second = await write('sync', at('.123', '.789'));
		expect(actionsOf(second)).toEqual(['unchanged', 'created']);
	});
});

describe('what a record holds', () => {
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
		await startOther(fields, records);
	const keyed = mapAutomatically(['Key']);

	test('two items of a Sync with one key that the service computes: the message shows it', async () => {
		await start();
		const columns = mapAutomatically(['Total']);
		const { error } = await runOther('sync', { columns }, [{ Total: 7 }, { Total: 7 }]);
		expect(error?.description).toContain('7 (items 0 and 1)');
	});

	describe.each<[string, IDataObject]>([
		['upsert', { columns: keyed }],
		['sync', { columns: keyed, missingRecords: 'delete' }],
	])('%s', (operation, parameters) => {
		test('sends the values that differ, and nothing else', async () => {
			await start([{ k: 'k1', v: 'old', s: 'Open' }]);
			const item = { Key: 'k1', V: 'new', Status: 'Open' };
			const { json } = succeeded(await runOther(operation, parameters, [item]));
			expect(json).toMatchObject([{ action: 'updated', ...item }]);
			expect(bodies()).toEqual([{ data: { v: 'new' } }]);
		});

		test('takes back what Get Many gave, whatever it is', async () => {
			await start();
			expect((await runOther('getAll', { returnAll: true })).json).toMatchObject([AS_READ]);
			const write = async (item: IDataObject) =>
				actionsOf(succeeded(await runOther(operation, parameters, [item])));
			expect(await write(AS_READ)).toEqual(['unchanged']);
			expect(await write({ ...AS_READ, V: 'new' })).toEqual(['updated']);
			expect(bodies()).toEqual([{ data: { v: 'new' } }]);
		});

		test.each<[IDataObject, string]>([
			[{ Key: 'k1', Status: 'Lost' }, "Field 'Status' can't hold"],
			[{ Key: 'k1', Paid: 'maybe' }, "Field 'Paid' can't hold"],
			[{ Key: 'new', Status: 'Gone' }, "Field 'Status' can't hold"],
		])('refuses what neither the field nor the record has: %j', async (item, message) => {
			await start();
			const { error } = await runOther(operation, parameters, [item]);
			expect(error?.message).toContain(message);
			expect(bodies()).toEqual([]);
		});
	});

	test('a computed field is in no list to write, left out by Map Automatically, and refused by hand', async () => {
		await start();
		const context = editorContext(other.credentials, { cardId: byId('c') });
		const { fields } = await new WorkspaceData().methods.resourceMapping.getColumns.call(context);
		expect(fields.map(({ id }) => id)).not.toContain('Total');
		const item = { Key: 'k2', Total: 8 };
		const automatic = await runOther('create', { columns: mapAutomatically() }, [item]);
		expect(bodies()).toEqual([{ data: { k: 'k2' } }]);
		expect(hintsOf(automatic)).toEqual([]);
		for (const operation of ['create', 'update']) {
			const columns = mapEach({ Key: 'k3', Total: 8 });
			const { error } = await runOther(operation, { columns, recordId: byId('r0') });
			expect(error?.message).toBe("Field 'Total' can't be written");
		}
		expect(bodies()).toHaveLength(1);
	});

	test('a computed field is taken where it equals the value of the record; matched on and filtered', async () => {
		await start();
		const upsert = async (key: string, values: IDataObject) => {
			const columns = mapEach(values, { matchingColumns: [key] });
			const { json, error } = await runOther('upsert', { columns });
			return error?.message ?? json[0]?.action;
		};
		const refusal = "Field 'Total' can't be written";
		expect(await upsert('Key', { Key: 'k1', Total: 8, V: 'new' })).toBe(refusal);
		expect(bodies()).toEqual([]);
		expect(await upsert('Key', { Key: 'k1', Total: 7, V: 'new' })).toBe('updated');
		expect(await upsert('Total', { Total: 7, V: 'newer' })).toBe('updated');
		expect(bodies()).toEqual([{ data: { v: 'new' } }, { data: { v: 'newer' } }]);
		expect((await runOther('getAll', where('Total', 'equals', 7))).json).toHaveLength(1);
		expect(await upsert('Total', { Total: 9, V: 'x' })).toBe(refusal);
	});

	test('Update with Return Old Values takes back what it has read', async () => {
		await start();
		const options = { oldValues: true };
		const automatic = { recordId: byId('r0'), columns: mapAutomatically(), options };
		succeeded(await runOther('update', automatic, [{ ...AS_READ, V: 'new' }]));
		const byHand = { recordId: byId('r0'), columns: mapEach({ Total: 7 }), options };
		succeeded(await runOther('update', byHand));
		expect(bodies()).toEqual([{ data: { v: 'new' } }]);
	});

	test.each([
		['no choice, but the number of one', [{ id: 3, name: 'Low' }], '3', 3],
		['another case of one', ['Gone'], 'gone', 'gone'],
	])('Delete Many refuses an operand that names %s', async (_, options, value, stored) => {
		await start([{ s: stored }], [{ id: 's', name: 'Status', type: 'select', options }]);
		const { error } = await runOther('deleteMany', where('Status', 'equals', value));
		expect(error?.message).toContain("'Status'");
		expect(bodies()).toEqual([]);
	});
});
