/** What a record holds already is never a reason to refuse: computed fields, removed choices, odd values; only differences are sent (O8–O10). */
import type { IDataObject } from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { editorContext } from '../support/editor';
import { runAction } from '../support/n8n';
import { startOtherService, type OtherService } from '../support/otherService';
import { byId, mapAutomatically, mapEach } from '../support/parameters';

let other: OtherService;
afterEach(async () => await other.close());

const KEY = { id: 'k', name: 'Key', type: 'text' };
const FIELDS: IDataObject[] = [
	KEY,
	{ id: 'v', name: 'V', type: 'text' },
	{ id: 's', name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
	{ id: 't', name: 'Tags', type: 'multi_select', options: ['a', 'b'] },
	{ id: 'b', name: 'Paid', type: 'boolean' },
	{ id: 'd', name: 'Day', type: 'date' },
	{ id: 'a', name: 'At', type: 'datetime' },
	{ id: 'x', name: 'Total', type: 'number', read_only: true },
];
const HELD = {
	k: 'k1',
	v: 'old',
	s: 'Gone',
	t: ['a', 'gone'],
	b: 'Y',
	d: '01.03.2026',
	a: 1770000000,
	x: 7,
};
const AS_READ = {
	...{ Key: 'k1', V: 'old', Status: 'Gone', Tags: ['a', 'gone'], Paid: 'Y', Day: '01.03.2026' },
	...{ At: 1770000000, Total: 7 },
};
const start = async (records: IDataObject[] = [HELD], fields = FIELDS) =>
	(other = await startOtherService(fields, structuredClone(records)));
const run = async (operation: string, parameters: IDataObject, items: IDataObject[] = [{}]) =>
	await runAction({
		credentials: other.credentials,
		items,
		parameters: { resource: 'record', operation, cardId: byId('c'), ...parameters },
	});
const bodies = () => other.changes.map(({ body }) => body);
const where = (field: string, condition: string, value: unknown): IDataObject => ({
	filters: { conditions: [{ field, condition, value }] } as IDataObject,
});
const keyed = mapAutomatically(['Key']);
const WRITES: Array<[string, IDataObject]> = [
	['upsert', { columns: keyed }],
	['sync', { columns: keyed, missingRecords: 'delete' }],
];

describe.each(WRITES)('%s', (operation, parameters) => {
	test('sends the values that differ, and nothing else (O9)', async () => {
		await start([{ k: 'k1', v: 'old', s: 'Open' }]);
		const item = { Key: 'k1', V: 'new', Status: 'Open' };
		const { json, error } = await run(operation, parameters, [item]);
		expect(error).toBeUndefined();
		expect(bodies()).toEqual([{ data: { v: 'new' } }]);
		expect(json).toMatchObject([
			{ action: 'updated', fields: { Key: 'k1', V: 'new', Status: 'Open' } },
		]);
	});

	test("sends all with 'Send Again' (O9)", async () => {
		await start([{ k: 'k1', v: 'old', s: 'Open' }]);
		const item = { Key: 'k1', V: 'new', Status: 'Open' };
		await run(operation, { ...parameters, options: { unchanged: 'send' } }, [item]);
		expect(bodies()).toEqual([{ data: { k: 'k1', v: 'new', s: 'Open' } }]);
	});

	test('takes back what Get Many gave, whatever it is (O10)', async () => {
		await start();
		expect((await run('getAll', { returnAll: true })).json).toMatchObject([{ fields: AS_READ }]);
		const same = await run(operation, parameters, [AS_READ]);
		expect(same.error).toBeUndefined();
		expect(same.json).toMatchObject([{ action: 'unchanged' }]);
		const { json } = await run(operation, parameters, [{ ...AS_READ, V: 'new' }]);
		expect(json).toMatchObject([{ action: 'updated' }]);
		expect(bodies()).toEqual([{ data: { v: 'new' } }]);
	});

	test('keeps a removed choice next to a new one (O10)', async () => {
		await start();
		const { error } = await run(operation, parameters, [{ Key: 'k1', Tags: ['a', 'gone', 'b'] }]);
		expect(error).toBeUndefined();
		expect(bodies()).toEqual([{ data: { t: ['a', 'gone', 'b'] } }]);
	});

	test.each<[IDataObject, string]>([
		[{ Key: 'k1', Status: 'Lost' }, "Field 'Status' cannot hold"],
		[{ Key: 'k1', Paid: 'maybe' }, "Field 'Paid' cannot hold"],
		[{ Key: 'new', Status: 'Gone' }, "Field 'Status' cannot hold"],
	])('refuses what neither the field nor the record has: %j (O10)', async (item, message) => {
		await start();
		const { error } = await run(operation, parameters, [item]);
		expect(error?.message).toContain(message);
		expect(bodies()).toEqual([]);
	});
});

describe.each([
	'read_only',
	'readOnly',
	'readonly',
	'computed',
	'is_computed',
	'isReadOnly',
	'formula',
])('a field that is marked %s (O8)', (mark) => {
	const total = {
		id: 'x',
		name: 'Total',
		type: mark === 'formula' ? 'formula' : 'number',
		...(mark !== 'formula' && { [mark]: true }),
	};
	const begin = async () =>
		await start([{ k: 'k1', x: 7 }], [KEY, total, { id: 'v', name: 'V', type: 'text' }]);

	test('is not offered, left out by Map Automatically with a hint, and refused by hand', async () => {
		await begin();
		const context = editorContext(other.credentials, { cardId: byId('c') });
		const { fields } = await new WorkspaceData().methods.resourceMapping.getColumns.call(context);
		expect(fields.map(({ id }) => id)).toEqual(['Key', 'V']);
		const automatic = await run('create', { columns: mapAutomatically() }, [
			{ Key: 'k2', Total: 8 },
		]);
		expect(bodies()).toEqual([{ data: { k: 'k2' } }]);
		expect(JSON.stringify(automatic.run.data.resultData.runData)).toContain(
			"'Total' of the items was not written",
		);
		for (const operation of ['create', 'update']) {
			const columns = mapEach({ Key: 'k3', Total: 8 });
			const { error } = await run(operation, { columns, recordId: byId('r0') });
			expect(error?.message).toBe("Field 'Total' cannot be written");
		}
		expect(bodies()).toHaveLength(1);
	});

	test('is taken where it equals the value of the record; matched on and filtered', async () => {
		await begin();
		const columns = (Total: number) =>
			mapEach({ Key: 'k1', Total, V: 'new' }, { matchingColumns: ['Key'] });
		const other8 = await run('upsert', { columns: columns(8) });
		expect(other8.error?.message).toBe("Field 'Total' cannot be written");
		expect(bodies()).toEqual([]);
		expect((await run('upsert', { columns: columns(7) })).json).toMatchObject([
			{ action: 'updated' },
		]);
		const byTotal = mapEach({ Total: 7, V: 'newer' }, { matchingColumns: ['Total'] });
		expect((await run('upsert', { columns: byTotal })).json).toMatchObject([{ action: 'updated' }]);
		expect(bodies()).toEqual([{ data: { v: 'new' } }, { data: { v: 'newer' } }]);
		expect((await run('getAll', where('Total', 'equals', 7))).json).toHaveLength(1);
		const missing = mapEach({ Total: 9, V: 'x' }, { matchingColumns: ['Total'] });
		expect((await run('upsert', { columns: missing })).error?.message).toBe(
			"Field 'Total' cannot be written",
		);
	});
});

test('a field of a computed type that the listing calls writable is written (O8)', async () => {
	await start([], [KEY, { id: 'x', name: 'Number', type: 'autonumber', read_only: false }]);
	await run('create', { columns: mapEach({ Number: 5 }) });
	expect(bodies()).toEqual([{ data: { x: 5 } }]);
});

test('Update Many sends the values that differ; a choice is held by each record, or refused (O9, O10)', async () => {
	await start([
		{ k: 'k1', v: 'a', s: 'Gone' },
		{ k: 'k2', v: 'b', s: 'Gone' },
		{ k: 'k3', s: 'Open' },
	]);
	const gone = {
		...where('Status', 'equals', 'Gone'),
		columns: mapEach({ V: 'b', Status: 'Gone' }),
	};
	const { json, error } = await run('updateMany', gone);
	expect(error).toBeUndefined();
	expect(json.map(({ action }) => action)).toEqual(['updated', 'unchanged']);
	expect(bodies()).toEqual([{ data: { v: 'b' } }]);
	const open = { ...where('Key', 'isNotEmpty', ''), columns: mapEach({ Status: 'Gone' }) };
	expect((await run('updateMany', open)).error?.message).toContain("Field 'Status' cannot hold");
	expect(bodies()).toHaveLength(1);
});

describe('filters on a choice that records hold, and the field does not offer (O10)', () => {
	const records = [
		{ k: 'k1', s: 'Gone', t: ['a', 'gone'] },
		{ k: 'k2', s: 'Open' },
	];
	test.each([
		['Status', 'equals', 'Gone', ['k1']],
		['Status', 'isAnyOf', ['Gone', 'Open'], ['k1', 'k2']],
		['Status', 'notEquals', 'Gone', ['k2']],
		['Tags', 'contains', 'gone', ['k1']],
		['Tags', 'equals', ['gone', 'a'], ['k1']],
	])('%s %s %j', async (field, condition, value, keys) => {
		await start(records);
		const { json, error } = await run('getAll', {
			returnAll: true,
			...where(field, condition, value),
		});
		expect(error).toBeUndefined();
		expect(json.map(({ fields }) => (fields as IDataObject).Key)).toEqual(keys);
	});

	test('Delete Many deletes them', async () => {
		await start(records);
		expect((await run('deleteMany', where('Status', 'equals', 'Gone'))).json).toEqual([
			{ deleted: true, id: 'r0' },
		]);
	});

	test.each(['getAll', 'count', 'ifExists', 'deleteMany'])(
		'%s refuses a choice that no record holds',
		async (operation) => {
			await start(records);
			for (const condition of ['equals', 'notEquals']) {
				const { error } = await run(operation, {
					returnAll: true,
					...where('Status', condition, 'Gnoe'),
				});
				// Reading ends at the first record that differs.
				if (operation === 'ifExists' && condition === 'notEquals') continue;
				expect(error?.message).toContain('Field \'Status\' cannot hold "Gnoe"');
			}
			expect(bodies()).toEqual([]);
		},
	);
});

test.each([
	[
		'two choices',
		[
			{ id: '3', name: '2' },
			{ id: '1', name: '3' },
		],
		'3',
		'3',
	],
	['no choice, but the number of one', [{ id: 3, name: 'Low' }], '3', 3],
	['another case of one', ['Gone'], 'gone', 'gone'],
])('Delete Many refuses an operand that names %s (O10)', async (_, options, value, stored) => {
	await start(
		[{ s: stored }],
		[{ id: 's', name: 'Status', type: 'select', options } as IDataObject],
	);
	const { error } = await run('deleteMany', where('Status', 'equals', value));
	expect(error?.message).toContain("'Status'");
	expect(bodies()).toEqual([]);
});

test.each([200, 204])(
	'a service that replaces the record is noticed at the first one, answered with %d (O9)',
	async (status) => {
		await start([
			{ k: 'k1', v: 'a', s: 'Open' },
			{ k: 'k2', v: 'b', s: 'Open' },
			{ k: 'k3', v: 'c', s: 'Open' },
		]);
		other.replaces = true;
		other.updateStatus = status;
		const items = ['k1', 'k2', 'k3'].map((Key) => ({ Key, Status: 'Done' }));
		const { error } = await run('upsert', { columns: keyed }, items);
		expect(error?.message).toContain("replaced record 'r0' by the values that were sent");
		expect(error?.description).toContain("'Send Again'");
		expect(other.changes).toHaveLength(1);
	},
);
