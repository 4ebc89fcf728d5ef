/** Every operation in each shape of the interface, and the output of both versions of the node. */
import type { IDataObject } from 'n8n-workflow';
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { RESOURCES } from '../../nodes/WorkspaceData/actions/registry';
import {
	type ActionResult,
	hintsOf,
	placesOf,
	runAction,
	type TestCredentials,
} from '../support/n8n';
import { byId, byName, fromList, mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard, useWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
const { run } = recordRuns(() => ({ workspace, card }));

describe('each shape that the interface leaves open', () => {
	useWorkspace((started) => (workspace = started));

	type Variants = Parameters<TestWorkspace['service']['control']['setVariants']>[0];

	const SHAPES: Array<[string, Variants]> = [
		['the service’s own', {}],
		[
			'bare lists, named objects, ids under field_id, options with names, extra properties',
			{
				...{ lists: 'bare', objects: 'named', fieldIdKey: 'field_id', fieldOptions: 'idName' },
				...{ extraProperties: true, createStatus: 200, deleteStatus: 200 },
			},
		],
		[
			'everything under data, options with labels, cleared fields as null',
			{ lists: 'data', objects: 'data', fieldOptions: 'valueLabel', clearedFields: 'null' },
		],
		['lists under items, updates without a body', { lists: 'items', updateStatus: 204 }],
	];

	/** Runs an operation that must succeed. */
	async function succeed(
		parameters: IDataObject,
		credentials: TestCredentials = workspace.apiKey,
		items?: IDataObject[],
	): Promise<ActionResult> {
		const result = await runAction({ credentials, parameters, ...(items && { items }) });
		if (result.error) throw result.error;
		return result;
	}

	const FIELDS = [
		{ name: 'Title', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
	];

	describe.each(SHAPES)('%s', (_name, variants) => {
		beforeEach(() => workspace.service.control.setVariants(variants));

		test.each(['apiKey', 'serviceAccount'] as const)('cards, with %s', async (kind) => {
			const run = async (operation: string, more: IDataObject = {}) =>
				await succeed({ resource: 'card', operation, ...more }, workspace[kind]);
			const name = `Card ${kind} ${_name}`;
			const additionalFields = { description: 'first' };
			const { json: created } = await run('create', { name, additionalFields });
			expect(created).toMatchObject([{ name, ...additionalFields }]);
			const { json: all } = await run('getAll', { returnAll: true });
			const id = String(all.find((card) => card.name === name)?.id);
			expect(id).toBe(created[0]?.id);
			const { json: got } = await run('get', { cardId: byId(id) });
			expect(got).toMatchObject([{ id, name, ...additionalFields }]);
			expect((await run('get', { cardId: byName(name.toUpperCase()) })).json[0]?.id).toBe(id);
			const { json: updated } = await run('update', {
				cardId: fromList(id, name),
				updateFields: { description: '' },
			});
			expect(updated).toMatchObject([{ id, description: '' }]);
			expect((await run('delete', { cardId: byId(id) })).json).toEqual([{ deleted: true, id }]);
			const { json: left } = await run('getAll', { returnAll: true });
			expect(left.map((card) => card.id)).not.toContain(id);
		});

		test('fields', async () => {
			workspace.service.control.resetVariants();
			const { id: cardId } = await workspace.card('Fields', FIELDS);
			workspace.service.control.setVariants(variants);
			const run = async (operation: string, more: IDataObject = {}) =>
				await succeed({ resource: 'field', operation, cardId: byId(cardId), ...more });
			await run('create', {
				name: 'Level',
				type: 'single_select',
				additionalFields: { options: '["Low","High"]' },
			});
			const { json } = await run('getAll', { returnAll: true });
			expect(json.map(({ name }) => name)).toEqual(['Title', 'Amount', 'Status', 'Level']);
			expect((await run('getAll', { returnAll: false, limit: 2 })).json).toHaveLength(2);
			const level = json[3] ?? {};
			const id = String(level.id ?? level.field_id);
			expect((await run('get', { fieldId: byId(id) })).json).toEqual([level]);
			expect((await run('get', { fieldId: byName('level') })).json).toEqual([level]);
			const { json: renamed } = await run('update', {
				fieldId: fromList(id, 'Level'),
				updateFields: { name: 'Rank' },
			});
			expect(renamed).toMatchObject([{ name: 'Rank' }]);
			expect((await run('delete', { fieldId: byName('Rank') })).json).toEqual([
				{ deleted: true, id },
			]);
		});

		test('records', async () => {
			workspace.service.control.resetVariants();
			const { id: cardId, fieldIds } = await workspace.card('Records', FIELDS);
			workspace.service.control.setVariants(variants);
			const run = async (operation: string, more: IDataObject = {}) =>
				await succeed({ resource: 'record', operation, cardId: byId(cardId), ...more });
			const values = { Title: 'One', Amount: 1, Status: 'Open' };
			const { json: created } = await run('create', { columns: mapEach(values) });
			const id = String(created[0]?.id);
			const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
			const record = { id, created_at, fields: values };
			expect(created).toEqual([record]);
			expect((await run('get', { recordId: byId(id) })).json).toEqual([record]);
			const { json: raw } = await run('getAll', { returnAll: true, simple: false });
			expect(raw).toMatchObject([{ id, data: { [fieldIds.Title ?? '']: 'One' } }]);
			const { json: updated } = await run('update', {
				recordId: fromList(id, 'One'),
				columns: mapEach({ Amount: 0, Status: 'Done' }),
			});
			expect(updated).toMatchObject([{ id, fields: { Amount: 0, Status: 'Done' } }]);
			const { json: upserted } = await run('upsert', {
				columns: mapEach({ Title: 'One', Amount: 5 }, { matchingColumns: ['Title'] }),
			});
			const now = { Title: 'One', Amount: 5, Status: 'Done' };
			expect(upserted).toMatchObject([{ id, action: 'updated', fields: now }]);
			const { json: second } = await run('upsert', {
				columns: mapEach({ Title: 'Two' }, { matchingColumns: ['Title'] }),
			});
			expect(second).toMatchObject([{ action: 'created' }]);
			expect((await run('getAll', { returnAll: false, limit: 1 })).json).toHaveLength(1);
			expect((await run('delete', { recordId: byId(id) })).json).toEqual([{ deleted: true, id }]);
			workspace.service.control.resetVariants();
			expect(await workspace.rows(cardId)).toEqual([{ Title: 'Two' }]);
		});
	});

	test('the API description comes as data, and as text', async () => {
		const run = async (format: string) =>
			await succeed({ resource: 'apiDescription', operation: 'get', format });
		const document = { openapi: expect.stringMatching(/^3\.0/), paths: expect.any(Object) };
		expect((await run('json')).json).toMatchObject([document]);
		expect((await run('yaml')).json[0]?.yaml).toMatch(/^openapi: /m);
	});
});

describe('both versions', () => {
	const FIELDS = [
		{ name: 'Key', type: 'text' },
		{ name: 'Note', type: 'text' },
		{ name: 'Amount', type: 'number' },
	];
	useCard('Versions', FIELDS, (made) => ({ workspace, card } = made));
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
			const record = { Key: 'a', Note: null, Amount: amount, id, created_at: time };
			const changed = action.map((done) => ({ before: { Amount: 1 }, action: done }));
			expect(entriesOf(result)).toEqual([Object.entries(Object.assign(record, ...changed))]);
		});

		/** A record that exists before the run. */
		const existing = async () =>
			(await workspace.records(card.id, [{ Key: 'a', Amount: 1 }]))[0] ?? '';

		test('Get Page gives such records, and Create From Items too', async () => {
			await existing();
			const { json } = await run2('getPage', { cursor: '', limit: 10 });
			const [record] = (json[0]?.records ?? []) as IDataObject[];
			expect(Object.keys(record ?? {})).toEqual(['Key', 'Note', 'Amount', 'id', 'created_at']);
			const parameters = { resource: 'card', name: 'Made in 2', options: {} };
			const made = await run2('createFromItems', parameters, [{ B: 'x' }, { A: 1 }]);
			const keys = ['B', 'A', 'id', 'created_at'];
			expect(made.json.map((item) => Object.keys(item))).toEqual([keys, keys]);
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

		test.each<[IDataObject, object]>([
			[{}, { id, created_at: time, fields: { Key: 'a', Amount: 1 } }],
			[{ outputFormat: 'flat' }, { id, created_at: time, Key: 'a', Amount: 1 }],
		])('%j', async (options, expected) => {
			const entries = entriesOf(await run('getAll', { ...all, options }));
			expect(entries).toEqual([Object.entries(expected)]);
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

		test.each(['Key', 'KEY'])(
			'a null under %s is no value to match on, and creates no record',
			async (key) => {
				const item = { [key]: null, Note: 'a', id: 'r1', created_at: '2026-03-31T00:00:00Z' };
				const { error } = await run2('upsert', { columns: mapAutomatically(['Key']) }, [item]);
				expect(error?.message).toBe("Matching field 'Key' has no value");
				expect(await workspace.rows(card.id)).toEqual([]);
			},
		);

		test('a null that is mapped by hand clears', async () => {
			const item = await returned();
			await fillNote(item);
			const byHand = mapEach({ Key: 'a', Note: '={{ $json.Note }}' }, { matchingColumns: ['Key'] });
			await run2('upsert', { columns: byHand }, [item]);
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }]);
		});
	});

	describe('what the nodes returned goes back in without the keys that they added', () => {
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
			expect(JSON.stringify(hintsOf(result))).toContain(hint);
			const parameters = { resource: 'card', name: _what, options: { createRecords: false } };
			const { json } = await run2('createFromItems', parameters, [item]);
			const names = (json[0]?.fields as IDataObject[]).map(({ name }) => name);
			expect(names).toEqual(Object.keys(item).filter((key) => ['Key', 'Note'].includes(key)));
		});
	});

	describe('Get Many, If Not Found: Output an Empty Item', () => {
		const wanted = where('Key', 'equals', '={{ $json.key }}');
		const sort = { by: [{ field: 'Key', direction: 'asc' }] };

		test.each<[string, IDataObject]>([
			['with conditions', wanted],
			['in an order', { ...wanted, sort }],
			['since the last run', { ...wanted, since: 'new' }],
		])('%s, an input item without a record gives an empty item, paired with it', async (_, how) => {
			await workspace.records(card.id, [{ Key: 'a' }]);
			const items = [{ key: 'x' }, { key: 'a' }, { key: 'y' }];
			const options = { ifNotFound: 'empty' };
			const found = await run2('getAll', { ...all, ...how, options }, items);
			expect(found.error).toBeUndefined();
			expect(found.json.map(({ Key }) => Key)).toEqual([undefined, 'a', undefined]);
			expect(placesOf(found.items)).toEqual([0, 1, 2]);
			expect((await run2('getAll', { ...all, ...how }, items)).items).toHaveLength(1);
		});

		test('another value is refused before anything is sent', async () => {
			workspace.service.control.resetRequests();
			const { error } = await run2('getAll', { options: { ifNotFound: 'skip' } });
			expect(error?.message).toContain("'If Not Found' can't be 'skip'");
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
});
