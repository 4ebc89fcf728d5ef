/** Every operation in each shape of the interface, and the output of records. */
import type { IDataObject } from 'n8n-workflow';
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { RESOURCES } from '../../nodes/WorkspaceData/actions/registry';
import {
	type ActionResult,
	hintsOf,
	placesOf,
	runAction,
	succeeded,
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
			const record = { ...values, id, created_at };
			expect(created).toEqual([record]);
			expect((await run('get', { recordId: byId(id) })).json).toEqual([record]);
			const { json: raw } = await run('getAll', { returnAll: true, simple: false });
			expect(raw).toMatchObject([{ id, data: { [fieldIds.Title ?? '']: 'One' } }]);
			const { json: updated } = await run('update', {
				recordId: fromList(id, 'One'),
				columns: mapEach({ Amount: 0, Status: 'Done' }),
			});
			expect(updated).toMatchObject([{ id, Amount: 0, Status: 'Done' }]);
			const { json: upserted } = await run('upsert', {
				columns: mapEach({ Title: 'One', Amount: 5 }, { matchingColumns: ['Title'] }),
			});
			const now = { Title: 'One', Amount: 5, Status: 'Done' };
			expect(upserted).toMatchObject([{ id, action: 'updated', ...now }]);
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

describe('the output of records', () => {
	const FIELDS = [
		{ name: 'Key', type: 'text' },
		{ name: 'Note', type: 'text' },
		{ name: 'Amount', type: 'number' },
	];
	useCard('Output', FIELDS, (made) => ({ workspace, card } = made));

	const entriesOf = ({ json }: ActionResult) => json.map((item) => Object.entries(item));
	const id: unknown = expect.any(String);
	const time: unknown = expect.any(String);

	const all = { returnAll: true };
	const columns = mapEach({ Key: 'a', Amount: 1 });
	const matched = mapEach({ Key: 'a', Amount: 2 }, { matchingColumns: ['Key'] });

	/** A record that exists before the run. */
	const existing = async () =>
		(await workspace.records(card.id, [{ Key: 'a', Amount: 1 }]))[0] ?? '';

	describe('the fields first, null where it has no value, its own values last', () => {
		test.each<[string, () => Promise<IDataObject>, number, string[]]>([
			['create', async () => ({ columns }), 1, []],
			['upsert', async () => ({ columns: matched, recordId: await existing() }), 2, ['updated']],
			['sync', async () => ({ columns: matched, recordId: await existing() }), 2, ['updated']],
			['get', async () => ({ recordId: byId(await existing()) }), 1, []],
			['getAll', async () => ({ ...all, none: await existing() }), 1, []],
		])('%s', async (operation, parametersOf, amount, action) => {
			const result = succeeded(await run(operation, await parametersOf()));
			const record = { Key: 'a', Note: null, Amount: amount, id, created_at: time };
			const changed = action.map((done) => ({ before: { Amount: 1 }, action: done }));
			expect(entriesOf(result)).toEqual([Object.entries(Object.assign(record, ...changed))]);
		});

		test('Update has only what was sent or shown, because the record was not read', async () => {
			const recordId = byId(await existing());
			workspace.service.control.setVariants({ updateStatus: 204 });
			const result = succeeded(await run('update', { columns: mapEach({ Amount: 5 }), recordId }));
			expect(entriesOf(result)).toEqual([Object.entries({ Amount: 5, id })]);
		});

		test('Get Page gives such records, and Create From Items too', async () => {
			await existing();
			const { json } = await run('getPage', { cursor: '', limit: 10 });
			const [record] = (json[0]?.records ?? []) as IDataObject[];
			expect(Object.keys(record ?? {})).toEqual(['Key', 'Note', 'Amount', 'id', 'created_at']);
			const parameters = { resource: 'card', name: 'Made here', options: {} };
			const made = await run('createFromItems', parameters, [{ B: 'x' }, { A: 1 }]);
			const keys = ['B', 'A', 'id', 'created_at'];
			expect(made.json.map((item) => Object.keys(item))).toEqual([keys, keys]);
		});

		test('Output Field Names, Name Fields By and Simplify', async () => {
			await existing();
			const withOptions = async (options: IDataObject) =>
				(await run('getAll', { ...all, options })).json[0];
			const chosen = await withOptions({ outputFields: ['Note', 'Key'] });
			expect(Object.keys(chosen ?? {})).toEqual(['Note', 'Key', 'id', 'created_at']);
			const byFieldId = await withOptions({ fieldKeys: 'id' });
			expect(byFieldId?.[card.fieldIds.Note ?? '']).toBeNull();
			const raw = { ...all, simple: false, options: { outputFields: 'Amount' } };
			const data = { [card.fieldIds.Amount ?? '']: 1 };
			expect((await run('getAll', raw)).json).toEqual([expect.objectContaining({ data })]);
			const unknown = await run('getAll', { ...all, options: { outputFields: ['Amuont'] } });
			expect(unknown.error?.message).toContain("no field 'Amuont'");
		});
	});

	test('names that n8n or the node uses appear as fields.<name>, and go back in', async () => {
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
		const { json } = await run('getAll', { ...all, cardId });
		expect(Object.keys(json[0] ?? {})).toEqual([
			...reserved.map((name) => `fields.${name}`),
			...['fields.fields.id', 'after', 'id', 'created_at'],
		]);
		succeeded(await run('create', { cardId, columns: mapAutomatically() }, json));
		expect(await workspace.rows(other.id)).toEqual([row, row]);
	});

	describe('a null of an item', () => {
		/** A record that the node returned while its Note was empty, and that got a Note since. */
		const returned = async (): Promise<IDataObject> => {
			await existing();
			const [item = {}] = (await run('getAll', all)).json;
			const data = { [card.fieldIds.Note ?? '']: 'new' };
			await workspace.send('PATCH', `/cards/${card.id}/records/${String(item.id)}`, { data });
			workspace.service.control.resetRequests();
			return item;
		};
		const sent = () =>
			workspace.service.control
				.requests()
				.flatMap(({ method, body }) =>
					method === 'GET' ? [] : [(JSON.parse(body ?? '{}') as IDataObject).data],
				);

		test('is left out by Create, which has nothing to clear', async () => {
			const item = await returned();
			succeeded(await run('create', { columns: mapAutomatically() }, [item]));
			expect(sent()).toEqual([{ [card.fieldIds.Key ?? '']: 'a', [card.fieldIds.Amount ?? '']: 1 }]);
		});

		test.each<[string, IDataObject]>([
			['update', { columns: mapAutomatically(), options: { oldValues: true } }],
			['upsert', { columns: mapAutomatically(['Key']) }],
			['sync', { columns: mapAutomatically(['Key']) }],
			[
				'upsert',
				{
					columns: mapEach({ Key: 'a', Note: '={{ $json.Note }}' }, { matchingColumns: ['Key'] }),
				},
			],
			['updateMany', { ...where('Key', 'equals', 'a'), columns: mapEach({ Note: null }) }],
		])('%s clears, and the hint counts it', async (operation, parameters) => {
			const item = await returned();
			const recordId = byId(String(item.id));
			const result = succeeded(await run(operation, { recordId, ...parameters }, [item]));
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }]);
			expect(hintsOf(result).join()).toContain("cleared 'Note' in 1 record");
		});

		test('Update counts what it cleared although it has not read the record', async () => {
			const item = await returned();
			const columns = mapEach({ Note: null });
			const result = await run('update', { recordId: byId(String(item.id)), columns });
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }]);
			expect(hintsOf(result).join()).toContain("cleared 'Note' in 1 record");
		});
	});

	describe('a card with a field that is called like a key of the nodes', () => {
		let ids: string[];
		beforeEach(async () => {
			card = await workspace.card('Own names', { id: 'text', Note: 'text', deleted: 'boolean' });
			ids = await workspace.records(card.id, [
				{ id: 'own 1', Note: 'a', deleted: true },
				{ id: 'own 2', Note: 'b' },
			]);
			workspace.service.control.resetRequests();
		});

		test('Update reads the records once for all items, and returns the field', async () => {
			const columns = mapEach({ Note: 'new' });
			const given = ids.map((record) => ({ record }));
			const { json } = await run(
				'update',
				{ recordId: byId('={{ $json.record }}'), columns },
				given,
			);
			expect(json).toMatchObject([
				{ 'fields.id': 'own 1', 'fields.deleted': true, Note: 'new', id: ids[0] },
				{ 'fields.id': 'own 2', 'fields.deleted': null, Note: 'new', id: ids[1] },
			]);
			const readings = workspace.requests().filter((one) => /^GET .*records$/.test(one));
			expect(readings).toHaveLength(1);
			// What came out goes back in, and changes nothing.
			const back = { columns: mapAutomatically(['Note']), options: { multipleMatches: 'all' } };
			await run('update', { recordId: byId('={{ $json.id }}'), ...back }, json);
			expect(await workspace.rows(card.id)).toEqual([
				{ id: 'own 1', Note: 'new', deleted: true },
				{ id: 'own 2', Note: 'new' },
			]);
		});

		test('Output Field Names includes it', async () => {
			const options = { outputFields: ['Note'] };
			const { json } = await run('getAll', { ...all, options });
			expect(Object.keys(json[0] ?? {})).toEqual([
				...['Note', 'fields.id', 'fields.deleted', 'id', 'created_at'],
			]);
		});
	});

	const wanted = where('Key', 'equals', '={{ $json.key }}');
	const sort = { by: [{ field: 'Key', direction: 'asc' }] };

	test.each<[string, IDataObject]>([
		['with conditions', wanted],
		['in an order', { ...wanted, sort }],
		['since the last run', { ...wanted, since: 'new' }],
	])('Get Many %s: If Not Found gives an empty item, paired with its item', async (_, how) => {
		await workspace.records(card.id, [{ Key: 'a' }]);
		const items = [{ key: 'x' }, { key: 'a' }, { key: 'y' }];
		const options = { ifNotFound: 'empty' };
		const found = succeeded(await run('getAll', { ...all, ...how, options }, items));
		expect(found.json.map(({ Key }) => Key)).toEqual([undefined, 'a', undefined]);
		expect(placesOf(found.items)).toEqual([0, 1, 2]);
		expect((await run('getAll', { ...all, ...how }, items)).items).toHaveLength(1);
	});

	test('the preview of the output exists for each operation', () => {
		const folder = resolve(__dirname, '../../nodes/WorkspaceData/__schema__/v1.0.0');
		const missing = RESOURCES.flatMap(({ value, operations }) =>
			operations
				// They return the input items, which may be anything.
				.filter(({ passesOn }) => !passesOn)
				.map((operation) => join(folder, value, `${operation.value}.json`)),
		).filter((file) => !existsSync(file));
		expect(missing.map((file) => basename(file))).toEqual([]);
	});
});
