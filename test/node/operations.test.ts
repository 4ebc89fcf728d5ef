/** Every operation, in each shape that the interface leaves open. */
import type { IDataObject } from 'n8n-workflow';
import { runAction, type ActionResult, type TestCredentials } from '../support/n8n';
import { byId, byName, fromList, mapEach } from '../support/parameters';
import { type TestWorkspace, useWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
useWorkspace((started) => (workspace = started));

type Variants = Parameters<TestWorkspace['service']['control']['setVariants']>[0];

const SHAPES: Array<[string, Variants]> = [
	['the service’s own', {}],
	[
		'bare lists, named objects, ids under field_id, options with names, extra properties',
		{
			lists: 'bare',
			objects: 'named',
			fieldIdKey: 'field_id',
			fieldOptions: 'idName',
			extraProperties: true,
			createStatus: 200,
			deleteStatus: 200,
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
		const { json: created } = await run('create', {
			name,
			additionalFields: { description: 'first' },
		});
		expect(created).toEqual([expect.objectContaining({ name, description: 'first' })]);
		const { json: all } = await run('getAll', { returnAll: true });
		const id = String(all.find((card) => card.name === name)?.id);
		expect(id).toBe(created[0]?.id);
		expect((await run('get', { cardId: byId(id) })).json).toEqual([
			expect.objectContaining({ id, name, description: 'first' }),
		]);
		expect((await run('get', { cardId: byName(name.toUpperCase()) })).json[0]?.id).toBe(id);
		const { json: updated } = await run('update', {
			cardId: fromList(id, name),
			updateFields: { description: '' },
		});
		expect(updated).toEqual([expect.objectContaining({ id, description: '' })]);
		expect((await run('delete', { cardId: byId(id) })).json).toEqual([{ deleted: true, id }]);
		expect((await run('getAll', { returnAll: true })).json.map((card) => card.id)).not.toContain(
			id,
		);
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
		expect(renamed).toEqual([expect.objectContaining({ name: 'Rank' })]);
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
		const record = {
			id,
			created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
			fields: values,
		};
		expect(created).toEqual([record]);
		expect((await run('get', { recordId: byId(id) })).json).toEqual([record]);
		const { json: raw } = await run('getAll', { returnAll: true, simple: false });
		expect(raw).toEqual([
			expect.objectContaining({
				id,
				data: expect.objectContaining({ [fieldIds.Title ?? '']: 'One' }),
			}),
		]);
		const { json: updated } = await run('update', {
			recordId: fromList(id, 'One'),
			columns: mapEach({ Amount: 0, Status: 'Done' }),
		});
		expect(updated[0]).toEqual(
			expect.objectContaining({
				id,
				fields: expect.objectContaining({ Amount: 0, Status: 'Done' }),
			}),
		);
		const { json: upserted } = await run('upsert', {
			columns: mapEach({ Title: 'One', Amount: 5 }, { matchingColumns: ['Title'] }),
		});
		expect(upserted[0]).toEqual(
			expect.objectContaining({
				id,
				action: 'updated',
				fields: expect.objectContaining({ Title: 'One', Amount: 5, Status: 'Done' }),
			}),
		);
		const { json: second } = await run('upsert', {
			columns: mapEach({ Title: 'Two' }, { matchingColumns: ['Title'] }),
		});
		expect(second[0]).toEqual(expect.objectContaining({ action: 'created' }));
		expect((await run('getAll', { returnAll: false, limit: 1 })).json).toHaveLength(1);
		expect((await run('delete', { recordId: byId(id) })).json).toEqual([{ deleted: true, id }]);
		workspace.service.control.resetVariants();
		expect(await workspace.rows(cardId)).toEqual([{ Title: 'Two' }]);
	});
});

test('a create that is answered without a body still returns the values that were sent', async () => {
	const { id: cardId } = await workspace.card('Empty answers', FIELDS);
	workspace.service.control.setVariants({ createStatus: 204 });
	const { json } = await succeed({
		resource: 'record',
		operation: 'create',
		cardId: byId(cardId),
		columns: mapEach({ Title: 'Silent' }),
	});
	expect(json[0]?.fields).toEqual({ Title: 'Silent' });
});

test('the API description comes as data, and as text', async () => {
	const run = async (format: string) =>
		await succeed({ resource: 'apiDescription', operation: 'get', format });
	expect((await run('json')).json[0]).toEqual(
		expect.objectContaining({ openapi: expect.stringMatching(/^3\.0/), paths: expect.any(Object) }),
	);
	expect((await run('yaml')).json[0]?.yaml).toMatch(/^openapi: /m);
});

test('locators take an expression for each item', async () => {
	const first = await workspace.card('Expression 1', FIELDS);
	const second = await workspace.card('Expression 2', FIELDS);
	const { json } = await succeed(
		{ resource: 'card', operation: 'get', cardId: byId('={{ $json.card }}') },
		workspace.apiKey,
		[{ card: second.id }, { card: first.id }],
	);
	expect(json.map(({ id }) => id)).toEqual([second.id, first.id]);
});
