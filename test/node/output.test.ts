/** Every operation once, and the output of records. */
import type { IDataObject } from 'n8n-workflow';
import {
	type ActionResult,
	hintsOf,
	placesOf,
	runAction,
	succeeded,
	type TestCredentials,
} from '../support/n8n';
import { byId, byName, fromList, mapAutomatically, mapEach, where } from '../support/parameters';
import { run } from '../support/runs';
import { answer, card, useCard, workspace } from '../support/workspace';

describe('every operation of cards, fields and records', () => {
	useCard('All', {
		Title: 'text',
		Amount: 'number',
		Status: { type: 'single_select', options: ['Open', 'Done'] },
	});

	/** Runs an operation that must succeed. @returns its items */
	const succeed = async (parameters: IDataObject, credentials = workspace.apiKey) =>
		succeeded(await runAction({ credentials, parameters })).json;
	const runOn =
		(resource: string, credentials?: TestCredentials) =>
		async (operation: string, more: IDataObject = {}) =>
			await succeed({ resource, operation, cardId: byId(card.id), ...more }, credentials);

	test.each(['apiKey', 'serviceAccount'] as const)('cards, with %s', async (kind) => {
		const run = runOn('card', workspace[kind]);
		const name = `Card ${kind}`;
		const additionalFields = { description: 'first' };
		const created = await run('create', { name, additionalFields });
		expect(created).toMatchObject([{ name, ...additionalFields }]);
		const all = await run('getAll', { returnAll: true });
		const id = String(all.find((one) => one.name === name)?.id);
		expect(id).toBe(created[0]?.id);
		const got = await run('get', { cardId: byId(id) });
		expect(got).toMatchObject([{ id, name, ...additionalFields }]);
		expect((await run('get', { cardId: byName(name.toUpperCase()) }))[0]?.id).toBe(id);
		const cleared = { cardId: fromList(id, name), updateFields: { description: '' } };
		expect(await run('update', cleared)).toMatchObject([{ id, description: '' }]);
		expect(await run('delete', { cardId: byId(id) })).toEqual([{ deleted: true, id }]);
		const left = await run('getAll', { returnAll: true });
		expect(left.map((one) => one.id)).not.toContain(id);
	});

	test('fields', async () => {
		const run = runOn('field');
		const additionalFields = { options: '["Low","High"]' };
		await run('create', { name: 'Level', type: 'single_select', additionalFields });
		const all = await run('getAll', { returnAll: true });
		expect(all.map(({ name }) => name)).toEqual(['Title', 'Amount', 'Status', 'Level']);
		expect(await run('getAll', { returnAll: false, limit: 2 })).toHaveLength(2);
		const level = all[3] ?? {};
		const id = String(level.id ?? level.field_id);
		for (const fieldId of [byId(id), byName('level')])
			expect(await run('get', { fieldId })).toEqual([level]);
		expect(await run('delete', { fieldId: byName('Level') })).toEqual([{ deleted: true, id }]);
	});

	test('the API description comes as data, and as text', async () => {
		const read = async (format: string) =>
			(await succeed({ resource: 'apiDescription', operation: 'get', format }))[0];
		const document = { openapi: expect.stringMatching(/^3\.0/), paths: expect.any(Object) };
		expect(await read('json')).toMatchObject(document);
		expect((await read('yaml'))?.yaml).toMatch(/^openapi: /m);
	});
});

describe('the output of records', () => {
	const FIELDS = [
		{ name: 'Key', type: 'text' },
		{ name: 'Note', type: 'text' },
		{ name: 'Amount', type: 'number' },
	];
	useCard('Output', FIELDS);

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
		test.each<[string, IDataObject, number?]>([
			['create', { columns }],
			['upsert', { columns: matched }, 2],
			['sync', { columns: matched }, 2],
			['get', {}],
			['getAll', all],
		])('%s', async (operation, parameters, updated = 0) => {
			const recordId = byId(operation === 'create' ? '' : await existing());
			const result = succeeded(await run(operation, { ...parameters, recordId }));
			const record = { Key: 'a', Note: null, Amount: updated || 1, id, created_at: time };
			const changes = updated > 0 && { before: { Amount: 1 }, action: 'updated' };
			expect(entriesOf(result)).toEqual([Object.entries({ ...record, ...changes })]);
		});

		test('Update has only what was sent or shown, because the record was not read', async () => {
			const recordId = byId(await existing());
			answer('PATCH', '/records/', undefined, { status: 204 });
			const result = succeeded(await run('update', { columns: mapEach({ Amount: 5 }), recordId }));
			expect(entriesOf(result)).toEqual([Object.entries({ Amount: 5, id })]);
		});

		test('Create From Items: the columns first', async () => {
			const parameters = { resource: 'card', name: 'Made here', options: {} };
			const { json } = await run('createFromItems', parameters, [{ B: 'x' }, { A: 1 }]);
			const keys = ['B', 'A', 'id', 'created_at'];
			expect(json.map((item) => Object.keys(item))).toEqual([keys, keys]);
		});

		test('Name Fields By, and Simplify', async () => {
			await existing();
			const { Note = '', Amount = '' } = card.fieldIds;
			const byFieldId = await run('getAll', { ...all, options: { fieldKeys: 'id' } });
			expect(byFieldId.json).toMatchObject([{ [Note]: null, [Amount]: 1 }]);
			const options = { outputFields: 'Amount' };
			const raw = await run('getAll', { ...all, simple: false, options });
			expect(raw.json[0]?.data).toEqual({ [Amount]: 1 });
		});
	});

	test('names that n8n or the node uses appear as fields.<name>, and go back in', async () => {
		const reserved = [
			...['id', 'created_at', 'action', 'error', 'deleted', 'dry_run', 'before', 'changes'],
			...['fields', 'pairedItem', '$error', '$json'],
		];
		const names = [...reserved, 'fields.id', 'after'];
		const fields = names.map((name) => ({ name, type: 'text' }));
		const other = await workspace.card('Reserved', fields);
		const row = Object.fromEntries(names.map((name) => [name, 'x']));
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

		test('is left out by Create, which has nothing to clear', async () => {
			const item = await returned();
			succeeded(await run('create', { columns: mapAutomatically() }, [item]));
			const requests = workspace.service.control.requests();
			const [body] = requests.flatMap((one) => (one.method === 'GET' ? [] : [one.body]));
			const { Key = '', Amount = '' } = card.fieldIds;
			expect(JSON.parse(body ?? '')).toEqual({ data: { [Key]: 'a', [Amount]: 1 } });
		});

		const byKey = { columns: mapAutomatically(['Key']) };
		const keyed = mapEach({ Key: 'a', Note: '={{ $json.Note }}' }, { matchingColumns: ['Key'] });
		const note = { columns: mapEach({ Note: null }) };
		test.each<[string, IDataObject]>([
			['update', { columns: mapAutomatically(), options: { oldValues: true } }],
			// Without having read the record.
			['update', note],
			['upsert', byKey],
			['sync', byKey],
			['upsert', { columns: keyed }],
			['updateMany', { ...where('Key', 'equals', 'a'), ...note }],
		])('%s clears, and the hint counts it', async (operation, parameters) => {
			const item = await returned();
			const recordId = byId(String(item.id));
			if (operation !== 'update') {
				const dry = await run(operation, { recordId, ...parameters, dryRun: true }, [item]);
				expect(hintsOf(dry).join()).toContain("would clear 'Note' in 1 record");
			}
			const result = succeeded(await run(operation, { recordId, ...parameters }, [item]));
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }]);
			expect(hintsOf(result).join()).toContain("cleared 'Note' in 1 record");
		});
	});

	test('a field that is called like a key of the nodes: Update reads the records once, and returns the field', async () => {
		const own = { id: 'text', Note: 'text', deleted: 'boolean' };
		const { id } = await workspace.card('Own names', own);
		const cardId = byId(id);
		const ids = await workspace.records(id, [
			{ id: 'own 1', Note: 'a', deleted: true },
			{ id: 'own 2', Note: 'b' },
		]);
		workspace.service.control.resetRequests();
		const update = {
			cardId,
			recordId: byId('={{ $json.record }}'),
			columns: mapEach({ Note: 'new' }),
		};
		const given = ids.map((record) => ({ record }));
		const { json } = await run('update', update, given);
		expect(json).toMatchObject([
			{ 'fields.id': 'own 1', 'fields.deleted': true, Note: 'new', id: ids[0] },
			{ 'fields.id': 'own 2', 'fields.deleted': null, Note: 'new', id: ids[1] },
		]);
		const readings = workspace.requests(/^GET .*records$/);
		expect(readings).toHaveLength(1);
		// What came out goes back in, and changes nothing.
		const back = {
			cardId,
			columns: mapAutomatically(['Note']),
			options: { multipleMatches: 'all' },
		};
		await run('update', { recordId: byId('={{ $json.id }}'), ...back }, json);
		expect(await workspace.rows(id)).toEqual([
			{ id: 'own 1', Note: 'new', deleted: true },
			{ id: 'own 2', Note: 'new' },
		]);
		const chosen = await run('getAll', { ...all, cardId, options: { outputFields: ['Note'] } });
		const keys = ['Note', 'fields.id', 'fields.deleted', 'id', 'created_at'];
		expect(Object.keys(chosen.json[0] ?? {})).toEqual(keys);
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
});
