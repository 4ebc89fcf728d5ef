/** The output of both versions of the node, and what is done with items that it returned. */
import { basename, join, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';
import { RESOURCES } from '../../nodes/WorkspaceData/actions/registry';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import type { ActionResult } from '../support/n8n';
import { runAction } from '../support/n8n';
import { byId, mapAutomatically, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
const FIELDS = [
	{ name: 'Key', type: 'text' },
	{ name: 'Note', type: 'text' },
	{ name: 'Amount', type: 'number' },
];
useCard('Versions', FIELDS, (made) => ({ workspace, card } = made));

const { run } = recordRuns(() => ({ workspace, card }));
const inVersion = (typeVersion: number) => ({ node: { typeVersion } });

/** Runs an operation in version 2. */
const run2 = async (
	operation: string,
	parameters: IDataObject = {},
	items: IDataObject[] = [{}],
): Promise<ActionResult> => await run(operation, parameters, items, inVersion(2));

const entriesOf = ({ json }: ActionResult) => json.map((item) => Object.entries(item));
const id: unknown = expect.any(String);
const time: unknown = expect.any(String);

const all = { returnAll: true };
const columns = mapEach({ Key: 'a', Amount: 1 });
const matched = mapEach({ Key: 'a', Amount: 2 }, { matchingColumns: ['Key'] });

describe('a record in version 2: the fields first, null where it has no value, its own values last', () => {
	test.each<[string, () => Promise<IDataObject>, number, string[]]>([
		['create', async () => ({ columns }), 1, []],
		['update', async () => ({ columns, recordId: byId(await existing()) }), 1, []],
		['upsert', async () => ({ columns: matched, recordId: await existing() }), 2, ['updated']],
		['sync', async () => ({ columns: matched, recordId: await existing() }), 2, ['updated']],
		['get', async () => ({ recordId: byId(await existing()) }), 1, []],
		['getAll', async () => ({ ...all, none: await existing() }), 1, []],
	])('%s', async (operation, parametersOf, amount, action) => {
		const result = await run2(operation, await parametersOf());
		expect(result.error).toBeUndefined();
		expect(entriesOf(result)).toEqual([
			[
				['Key', 'a'],
				['Note', null],
				['Amount', amount],
				['id', id],
				['created_at', time],
				...action.flatMap((done) => [
					['before', { Amount: 1 }],
					['action', done],
				]),
			],
		]);
	});

	/** A record that exists before the run. */
	const existing = async () =>
		(await workspace.records(card.id, [{ Key: 'a', Amount: 1 }]))[0] ?? '';

	test('Get Page gives such records, and Create From Items too', async () => {
		await existing();
		const { json } = await run2('getPage', { cursor: '', limit: 10 });
		const [record] = (json[0]?.records ?? []) as IDataObject[];
		expect(Object.keys(record ?? {})).toEqual(['Key', 'Note', 'Amount', 'id', 'created_at']);
		const made = await runAction({
			credentials: workspace.apiKey,
			items: [{ B: 'x' }, { A: 1 }],
			parameters: {
				resource: 'card',
				operation: 'createFromItems',
				name: 'Made in 2',
				options: {},
			},
			...inVersion(2),
		});
		expect(made.json.map((item) => Object.keys(item))).toEqual([
			['B', 'A', 'id', 'created_at'],
			['B', 'A', 'id', 'created_at'],
		]);
	});

	test('Output Fields, Output Field Names and Name Fields By decide as in version 1', async () => {
		await existing();
		const withOptions = async (options: IDataObject) =>
			(await run2('getAll', { ...all, options })).json[0];
		expect(await withOptions({ outputFormat: 'nested' })).toEqual({
			id,
			created_at: time,
			fields: { Key: 'a', Amount: 1 },
		});
		const chosen = await withOptions({ outputFields: ['Note', 'Key'], outputFormat: 'flat' });
		expect(Object.keys(chosen ?? {})).toEqual(['Note', 'Key', 'id', 'created_at']);
		const byFieldId = await withOptions({ fieldKeys: 'id' });
		expect(byFieldId?.[card.fieldIds.Note ?? '']).toBeNull();
		expect((await run2('getAll', { ...all, simple: false })).json[0]).toHaveProperty('data');
	});
});

test('names that n8n or the node uses appear as fields.<name> in version 2, and go back in', async () => {
	const reserved = [
		...['id', 'created_at', 'action', 'error', 'deleted', 'dry_run', 'before', 'changes'],
		...['fields', 'pairedItem', '$error', '$json'],
	];
	const other = await workspace.card(
		'Reserved',
		[...reserved, 'fields.id', 'after'].map((name) => ({ name, type: 'text' })),
	);
	const row = Object.fromEntries([...reserved, 'fields.id', 'after'].map((name) => [name, 'x']));
	await workspace.records(other.id, [row]);
	const cardId = byId(other.id);
	const { json } = await run2('getAll', { ...all, cardId });
	expect(Object.keys(json[0] ?? {})).toEqual([
		...reserved.map((name) => `fields.${name}`),
		...['fields.fields.id', 'after', 'id', 'created_at'],
	]);
	const { error } = await run2('create', { cardId, columns: mapAutomatically() }, json);
	expect(error).toBeUndefined();
	expect(await workspace.rows(other.id)).toEqual([row, row]);
});

describe('version 1 stays as it was', () => {
	beforeEach(async () => {
		await workspace.records(card.id, [{ Amount: 1, Key: 'a' }]);
	});

	test.each<[IDataObject, unknown[]]>([
		[
			{},
			[
				['id', id],
				['created_at', time],
				['fields', { Key: 'a', Amount: 1 }],
			],
		],
		[
			{ outputFormat: 'flat' },
			[
				['id', id],
				['created_at', time],
				['Key', 'a'],
				['Amount', 1],
			],
		],
	])('%j', async (options, expected) => {
		expect(entriesOf(await run('getAll', { ...all, options }))).toEqual([expected]);
	});
});

describe('nulls of version 2 never clear', () => {
	/** A record that the node returned while its Note was empty. */
	const returned = async (): Promise<IDataObject> => {
		await workspace.records(card.id, [{ Key: 'a', Amount: 1 }]);
		return (await run2('getAll', all)).json[0] ?? {};
	};
	const write = async (operation: string, item: IDataObject, more: IDataObject = {}) => {
		const automatic = mapAutomatically(operation === 'update' ? [] : ['Key']);
		const result = await run2(operation, { columns: automatic, ...more }, [item]);
		expect(result.error).toBeUndefined();
		return result;
	};
	const fillNote = async (item: IDataObject) => {
		const data = { [card.fieldIds.Note ?? '']: 'new' };
		await workspace.send('PATCH', `/cards/${card.id}/records/${String(item.id)}`, { data });
		workspace.service.control.resetRequests();
	};
	const sent = () =>
		workspace.service.control
			.requests()
			.flatMap(({ method, body }) =>
				method === 'GET' ? [] : [(JSON.parse(body ?? '{}') as IDataObject).data],
			);

	test('Create leaves them out', async () => {
		const item = await returned();
		workspace.service.control.resetRequests();
		await write('create', item);
		expect(sent()).toEqual([{ [card.fieldIds.Key ?? '']: 'a', [card.fieldIds.Amount ?? '']: 1 }]);
	});

	test('Update by ID leaves them out', async () => {
		const item = await returned();
		await fillNote(item);
		await write('update', { ...item, Amount: 5 }, { recordId: byId(String(item.id)) });
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Note: 'new', Amount: 5 }]);
	});

	test.each(['upsert', 'sync'])(
		'%s sends nothing for an item that is as it was read, although the record got a value since',
		async (operation) => {
			const item = await returned();
			await fillNote(item);
			const { json } = await write(operation, item);
			expect(json[0]?.action).toBe('unchanged');
			expect(sent()).toEqual([]);
		},
	);

	test.each(['upsert', 'sync'])(
		'%s clears with another change, where the record has a value',
		async (operation) => {
			const item = await returned();
			await fillNote(item);
			await write(operation, { ...item, Amount: 5 });
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 5 }]);
		},
	);

	test('a null that is mapped by hand clears', async () => {
		const item = await returned();
		await fillNote(item);
		const byHand = mapEach({ Key: 'a', Note: '={{ $json.Note }}' }, { matchingColumns: ['Key'] });
		await run2('upsert', { columns: byHand }, [item]);
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }]);
	});

	test('a null in a row of a database clears', async () => {
		await fillNote(await returned());
		await write('upsert', { id: 7, created_at: '2026-01-01', Key: 'a', Note: null });
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }]);
	});
});

describe('what the nodes returned goes back in without the keys that they added', () => {
	const hintsOf = ({ run: { data } }: ActionResult): string =>
		JSON.stringify(data.resultData.runData['Workspace Data']?.[0]?.hints ?? []);

	test.each<[string, IDataObject, string]>([
		['a deleted record', { Key: 'a', Note: null, deleted: true, id: 'r1' }, "'deleted'"],
		[
			'an updated record with its old values',
			{ Key: 'a', id: 'r1', created_at: null, action: 'updated', before: { Key: 'b' } },
			"'before'",
		],
		[
			'a deletion with an event of the trigger',
			{ Key: 'a', event: 'x', workspace_id: 'w', card_name: 'c', delivery_key: 'k' },
			'[]',
		],
	])('%s', async (_what, item, hint) => {
		const result = await run2('create', { columns: mapAutomatically() }, [item]);
		expect(result.error).toBeUndefined();
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a' }]);
		expect(hintsOf(result)).toContain(hint);
		const { json } = await runAction({
			credentials: workspace.apiKey,
			items: [item],
			parameters: {
				...{ resource: 'card', operation: 'createFromItems' },
				...{ name: String(_what), options: { createRecords: false } },
			},
			...inVersion(2),
		});
		const names = (json[0]?.fields as IDataObject[]).map(({ name }) => name);
		expect(names).toEqual(Object.keys(item).filter((key) => ['Key', 'Note'].includes(key)));
	});

	test('the item of a dry run has no values', async () => {
		const item = { dry_run: true, action: 'create', id: null, before: null, after: { Key: 'a' } };
		const { error } = await run2('create', { columns: mapAutomatically() }, [item]);
		expect(error?.message).toContain('No value');
	});

	test('columns of a sheet with such names stay columns', async () => {
		const item = { id: 'A1', Name: 'x', deleted: false, before: 'b', changes: 'c', event: 'e' };
		const { json } = await runAction({
			credentials: workspace.apiKey,
			items: [item],
			parameters: { resource: 'card', operation: 'createFromItems', name: 'Sheet', options: {} },
		});
		expect(json[0]?.fields).toEqual(item);
	});
});

describe('Q14: Get Many, If Not Found: Output an Empty Item', () => {
	const filters = {
		conditions: [{ field: 'Key', condition: 'equals', value: '={{ $json.key }}' }],
	};
	const sort = { by: [{ field: 'Key', direction: 'asc' }] };

	test.each<[string, IDataObject]>([
		['with conditions', { filters }],
		['in an order', { filters, sort }],
		['since the last run', { filters, since: 'new' }],
	])('%s, an input item without a record gives an empty item, paired with it', async (_, how) => {
		await workspace.records(card.id, [{ Key: 'a' }]);
		const items = [{ key: 'x' }, { key: 'a' }, { key: 'y' }];
		const options = { ifNotFound: 'empty' };
		const found = await run2('getAll', { ...all, ...how, options }, items);
		expect(found.error).toBeUndefined();
		expect(found.items.map(({ json, pairedItem }) => [json.Key, pairedItem])).toEqual([
			[undefined, { item: 0 }],
			['a', { item: 1 }],
			[undefined, { item: 2 }],
		]);
		expect((await run2('getAll', { ...all, ...how }, items)).items).toHaveLength(1);
	});

	test('another value is refused before anything is sent', async () => {
		workspace.service.control.resetRequests();
		const { error } = await run2('getAll', { options: { ifNotFound: 'skip' } });
		expect(error?.message).toContain("'If Not Found' cannot be 'skip'");
		expect(workspace.requests()).toEqual([]);
	});
});

test('the preview of the output exists for each operation in both versions', () => {
	const { version, defaultVersion } = new WorkspaceData().description;
	expect({ version, defaultVersion }).toEqual({ version: [1, 2], defaultVersion: 2 });
	const folder = resolve(__dirname, '../../nodes/WorkspaceData/__schema__');
	const missing = ['v1.0.0', 'v2.0.0'].flatMap((name) =>
		RESOURCES.flatMap(({ value, operations }) =>
			operations
				// They return the input items, which may be anything.
				.filter(({ passesOn }) => !passesOn)
				.map((operation) => join(folder, name, value, `${operation.value}.json`)),
		).filter((file) => !existsSync(file)),
	);
	expect(missing.map((file) => basename(file))).toEqual([]);
});
