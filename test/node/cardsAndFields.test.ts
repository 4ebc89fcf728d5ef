/** Cards and fields: what is created, changed and deleted, and what is refused before anything is sent. */
import type { IDataObject } from 'n8n-workflow';
import { fieldOptionsProperty } from '../../nodes/WorkspaceData/properties/fieldDefinition';
import { hintsOf, placesOf, succeeded } from '../support/n8n';
import { byId, byName, fromList } from '../support/parameters';
import { GOING_ON, runNode } from '../support/runs';
import { card, useCard, useWorkspace, workspace } from '../support/workspace';

const sent = (method: string) => workspace.requests(new RegExp(`^${method} `));

describe('fields', () => {
	const Status = { type: 'single_select', options: ['Open', 'Done'] };
	useCard('Fields', { Key: 'text', Amount: 'number', Status });

	const field = async (operation: string, parameters: IDataObject, items?: IDataObject[]) =>
		await runNode({ resource: 'field', operation, cardId: byId(card.id), ...parameters }, items);
	const create = async (name: string, more: IDataObject = {}, items?: IDataObject[]) =>
		await field('create', { name, type: 'text', ...more }, items);
	const update = async (updateFields: object, name = 'Status') =>
		await field('update', {
			fieldId: byId(card.fieldIds[name] ?? ''),
			updateFields: updateFields as IDataObject,
		});
	const names = async () => (await workspace.fields(card.id)).map(({ name }) => name);
	const optionsOf = async (wanted: string) =>
		(await workspace.fields(card.id)).find(({ name }) => name === wanted)?.options;

	describe('If Field Exists', () => {
		const policy = (ifExists: string) => ({ additionalFields: { ifExists } });

		test('an error names the option; reuse returns the field; create makes another one', async () => {
			const before = await names();
			for (const name of ['Amount', 'amount', '\ufeffAmount\u00a0']) {
				const { error } = await create(name);
				expect(error?.message).toBe(`Card '${card.id}' has a field called 'Amount' already`);
				expect(error?.description).toContain("'Reuse the Field' in 'If Field Exists'");
			}
			const reused = await create('Amount', policy('reuse'));
			expect(reused.json[0]).toMatchObject({ id: card.fieldIds.Amount, type: 'number' });
			expect(workspace.changes()).toEqual([]);
			succeeded(await create('Amount', policy('create')));
			expect(await names()).toEqual([...before, 'Amount']);
			const { error } = await create('x', policy('never'));
			expect(error?.message).toBe("'If Field Exists' can't be 'never'");
		});

		test('what a file adds to a name is removed, and two at once make one field', async () => {
			const both = ['\ufeffNew\u00a0', 'New'].map(
				async (name) => await create(name, policy('reuse')),
			);
			for (const result of await Promise.all(both)) succeeded(result);
			expect(await names()).toEqual(['Key', 'Amount', 'Status', 'New']);
		});

		test('fields stand in the order of the items', async () => {
			const items = Array.from({ length: 8 }, (_, n) => ({ name: `F${n}` }));
			succeeded(await create('={{ $json.name }}', {}, items));
			expect((await names()).slice(3)).toEqual(items.map(({ name }) => name));
		});
	});

	describe('Choices', () => {
		test.each([
			[['One', ' Two ', '', 'One']],
			['={{ ["One", "Two"] }}'],
			['One, Two'],
			['One\nTwo'],
			[['One\nTwo']],
			[['={{ ["One", "Two"] }}']],
		])('of a new field, as %j', async (choices) => {
			const result = await create('Stage', { type: 'single_select', choices });
			expect(hintsOf(succeeded(result))).toEqual([]);
			expect(await optionsOf('Stage')).toEqual(['One', 'Two']);
		});

		test.each([
			['single_select', ["Field 'Stage' has no choices yet"]],
			['text', []],
		])('a new %s without any: %j', async (type, hints) => {
			const result = succeeded(await create('Stage', { type }));
			expect(hintsOf(result)).toEqual(hints.map((hint) => expect.stringContaining(hint)));
		});

		test.each([
			[['Paused'], ['Open', 'Done', 'Paused']],
			['Late\nPaused', ['Open', 'Done', 'Late', 'Paused']],
			[
				['open', 'Red, white'],
				['Open', 'Done', 'Red, white'],
			],
		])(
			'Field > Update with %j adds them to those that the field has',
			async (choices, expected) => {
				const { json } = succeeded(await update({ choices }));
				expect(await optionsOf('Status')).toEqual(expected);
				expect(json).toMatchObject([{ name: 'Status', options: expected }]);
			},
		);

		test('that the field has already: nothing is sent', async () => {
			const { json } = succeeded(await update({ choices: ['Done'] }));
			expect(json).toMatchObject([{ name: 'Status', options: ['Open', 'Done'] }]);
			expect(workspace.changes()).toEqual([]);
		});

		test('with a new type in the same update', async () => {
			succeeded(await update({ type: 'single_select', choices: ['a'] }, 'Key'));
			expect(await optionsOf('Key')).toEqual(['a']);
		});

		test('of two executions at once: none is lost', async () => {
			workspace.service.control.setLatency({ ms: 50 });
			const both = [['One'], ['Two']].map(async (choices) => await update({ choices }));
			for (const result of await Promise.all(both)) succeeded(result);
			expect(await optionsOf('Status')).toEqual(['Open', 'Done', 'One', 'Two']);
		});

		test('Options (JSON) replaces them', async () => {
			succeeded(await update({ options: '["Late", "Done"]' }));
			expect(await optionsOf('Status')).toEqual(['Late', 'Done']);
		});

		test.each<[object, string]>([
			[{ choices: [{ id: 'o1', name: 'Open' }] }, "'Choices to Add' can't be"],
			[{ choices: '={{ ({ name: "Open" }) }}' }, "'Choices to Add' can't be"],
			[{ choices: ['One'], options: '["Two"]' }, "'Choices to Add' and 'Options (JSON)' are both"],
			[{ choices: [] }, "'Properties to Change' is empty"],
			[{ customProperties: '{}' }, "'Properties to Change' is empty"],
			// As the panel adds them: they must not remove the choices.
			[{ options: fieldOptionsProperty.default }, "'Properties to Change' is empty"],
			...['[]', '={{ [] }}', '={{ ({}) }}', '={{ 0 }}', '={{ NaN }}', '={{ true }}'].map(
				(options): [object, string] => [{ options }, "'Options (JSON)' can't be"],
			),
			[{ options: '{' }, "'Options (JSON)' isn't valid JSON"],
			[{ customProperties: '[1]' }, "'Custom Properties' isn't a JSON object"],
			[{ name: ' ' }, "'Name' is empty"],
		])('%j is refused, and nothing is sent', async (updateFields, message) => {
			const { error } = await update(updateFields);
			expect(error?.message).toContain(message);
			expect(workspace.requests()).toEqual([]);
		});
	});

	describe('Delete', () => {
		const remove = async (cardId: string, fieldId: IDataObject) =>
			await field('delete', { cardId: byId(cardId), fieldId });

		/** A card with two fields called Status. */
		async function twins() {
			const { id, fieldIds } = await workspace.card('Twins', { Status: 'text', Other: 'text' });
			const [chosen = '', other = ''] = [fieldIds.Status, fieldIds.Other];
			workspace.service.control.renameField({ cardId: id, fieldId: other, name: 'Status' });
			return { id, chosen, other };
		}

		test('run twice deletes the selected field, then says that it is gone', async () => {
			const { id, chosen, other } = await twins();
			const { json } = await remove(id, fromList(chosen, 'Status'));
			expect(json).toEqual([{ deleted: true, id: chosen }]);
			const { error } = await remove(id, fromList(chosen, 'Status'));
			expect(error?.message).toBe(`Card '${id}' has no field with the ID '${chosen}'`);
			expect(error?.description).toContain("'Status'");
			expect(sent('DELETE')).toHaveLength(1);
			expect((await workspace.fields(id)).map((one) => one.id)).toEqual([other]);
		});

		test('By Name means the one field that is called exactly so', async () => {
			const { id, chosen } = await twins();
			for (const name of ['STATUS', 'Status ', chosen, 'Status']) {
				const { error } = await remove(id, byName(name));
				expect(error?.message).toMatch(/has no field|'Status' matches 2 fields/);
			}
			expect(sent('DELETE')).toEqual([]);
		});
	});

	test('Get still follows the name of a field whose ID has changed', async () => {
		const fieldId = fromList(card.fieldIds.Status ?? '', 'Status');
		workspace.service.control.rotateFieldIds({ cardId: card.id });
		expect((await field('get', { fieldId })).json[0]?.name).toBe('Status');
	});
});

describe('cards', () => {
	useWorkspace();

	let number = 0;
	/** A name that no other card has. */
	const newName = () => `Own ${(number += 1)}`;
	const create = async (name: string, more: IDataObject = {}, items?: IDataObject[]) =>
		await runNode({ resource: 'card', operation: 'create', name, ...more }, items);

	describe('If Card Exists', () => {
		const policy = (ifExists: string, more: IDataObject = {}) => ({
			additionalFields: { ifExists, ...more },
		});
		const called = async (name: string) => (await workspace.cardsCalled(name)).length;

		test('reuse gives the card that is there, error refuses it, without it another is made', async () => {
			const name = newName();
			const first = await create(name, policy('reuse', { description: 'new' }));
			const again = await create(name, policy('reuse', { description: 'other' }));
			expect(again.json[0]).toEqual(first.json[0]);
			const { error } = await create(name, policy('error'));
			expect(error?.message).toBe(`A card called '${name}' exists already`);
			expect(await called(name)).toBe(1);
			succeeded(await create(name));
			expect(await called(name)).toBe(2);
		});

		test('a name that differs in more than case and spaces is another card', async () => {
			const name = newName();
			await create(name);
			for (const [other, id] of [
				[name.replace(' ', '_'), 2],
				[`${name} (€)`, 2],
				[` ${name.toUpperCase()}`, 1],
			] as const) {
				succeeded(await create(other, policy('reuse')));
				const all = [
					...(await workspace.cardsCalled(name)),
					...(await workspace.cardsCalled(other)),
				];
				expect(all).toHaveLength(id);
			}
		});

		test('two items, and two executions at once, make one card', async () => {
			const name = newName();
			const both = [1, 2].map(async () => await create(name, policy('reuse'), [{}, {}]));
			for (const result of await Promise.all(both)) succeeded(result);
			expect(await called(name)).toBe(1);
		});
	});

	describe('Fields', () => {
		const VALUES = [
			{ name: 'Title', type: 'text', choices: '' },
			{ name: ' Status ', type: 'single_select', choices: 'Open, Done' },
			{ name: 'Price', type: 'number' },
		];
		const withFields = async (name: string, values: unknown, more: IDataObject = {}) =>
			await create(name, { fields: { values } as IDataObject, ...more });
		const listed = async (id: unknown) => await workspace.fields(String(id));

		test('are created after the card, in their order, with their choices', async () => {
			const { json } = succeeded(await withFields('Orders', VALUES));
			expect(json[0]?.name).toBe('Orders');
			const fields = await listed(json[0]?.id);
			expect(fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
				...['Title text', 'Status single_select', 'Price number'],
			]);
			expect(fields[1]?.options).toEqual(['Open', 'Done']);
			expect(sent('POST')[0]).toBe('POST /cards');
		});

		test('a failure names what exists', async () => {
			const wrong = { name: 'Odd', type: 'no such type' };
			const { error } = await withFields('Half', [VALUES[0], wrong, VALUES[2]]);
			const [{ id } = { id: '' }] = await workspace.cardsCalled('Half');
			expect(error?.description).toContain(
				`Card 'Half' has the new fields 'Title'. Not created: 'Odd', 'Price'. Card 'Half' (${id}) exists now.`,
			);
			expect(error?.context).toMatchObject({ data: { done: [{ name: 'Half' }], doneCount: 1 } });
			expect((await listed(id)).map(({ name }) => name)).toEqual(['Title']);
			const parameters = { resource: 'card', operation: 'create', name: 'Half 2' };
			const fields = { values: [VALUES[0], wrong] } as unknown as IDataObject;
			const { json } = await runNode({ ...parameters, fields }, [{}], GOING_ON);
			expect(json).toMatchObject([{ name: 'Half 2' }, { error: expect.any(String) as string }]);
		});

		test.each<[string, unknown, string]>([
			['an empty name', [VALUES[0], { name: ' ' }], "Enter a name for field 2 in 'Fields'"],
			['no type', [VALUES[0], { name: 'A', type: '' }], "Enter a type for field 2 in 'Fields'"],
			['a doubled name', [VALUES[0], { name: '\ufefftitle', type: 'number' }], 'two entries for'],
			['an entry that is none', ['Title'], "Enter a name for field 1 in 'Fields'"],
		])('%s is refused before anything is sent', async (_what, values, message) => {
			const { error } = await withFields('Refused', values);
			expect(error?.message).toContain(message);
			expect(workspace.requests()).toEqual([]);
		});

		test('a card that is reused stays unchanged; a missing one gets its fields', async () => {
			const reuse = { additionalFields: { ifExists: 'reuse' } };
			const first = await withFields('Once', VALUES, reuse);
			expect(await listed(first.json[0]?.id)).toHaveLength(3);
			const second = await withFields('Once', [...VALUES, { name: 'More', type: 'text' }], reuse);
			expect(second.json[0]?.id).toBe(first.json[0]?.id);
			expect(await listed(first.json[0]?.id)).toHaveLength(3);
		});

		test('a service that returns nothing for the card: the message says that its fields are missing', async () => {
			workspace.fail('POST', '/cards', { mode: 'answer', status: 204 });
			const { error } = await withFields('Nameless', VALUES);
			expect(error?.message).toContain(
				"Card 'Nameless' was created, but the service returned no ID",
			);
			expect(workspace.requests()).toEqual(['POST /cards']);
		});
	});

	test.each<[string, IDataObject, string]>([
		...['={{ NaN }}', '={{ ["a"] }}'].flatMap(
			(description): Array<[string, IDataObject, string]> => [
				['create', { additionalFields: { description } }, "'Description' can't be"],
				['update', { updateFields: { description } }, "'Description' can't be"],
			],
		),
		['create', { additionalFields: { customProperties: '{ "a": ' } }, "isn't valid JSON"],
		['create', { name: '={{ "" }}' }, "'Name' is empty"],
		['create', { resource: 'field', type: '={{ "" }}' }, "'Type Name or ID' is empty"],
		['update', {}, "'Properties to Change' is empty"],
		['update', { updateFields: { customProperties: '{}' } }, "'Properties to Change' is empty"],
	])('%s with %j is refused, and nothing is sent', async (operation, more, message) => {
		const card = { resource: 'card', operation, name: 'x', cardId: byId('c1') };
		const { error } = await runNode({ ...card, ...more });
		expect(error?.message).toContain(message);
		expect(workspace.requests()).toEqual([]);
	});

	describe('Delete By Name', () => {
		const remove = async (name: string) =>
			await runNode({ resource: 'card', operation: 'delete', cardId: byName(name) });

		test('run twice deletes Orders, not orders', async () => {
			const { id } = await workspace.card('Sales', []);
			await workspace.card('sales', []);
			expect((await remove('Sales')).json).toEqual([{ deleted: true, id }]);
			for (const name of ['Sales', 'sales ']) {
				const { error } = await remove(name);
				expect(error?.message).toBe(`The workspace has no card called '${name}'`);
				expect(error?.description).toContain("'sales'");
			}
			expect(sent('DELETE')).toHaveLength(1);
		});

		test("a field isn't deleted in a card of a near name", async () => {
			await workspace.card('Invoices', { No: 'text' });
			const fieldId = byName('No');
			const parameters = { resource: 'field', operation: 'delete', fieldId };
			const { error } = await runNode({ ...parameters, cardId: byName('invoices') });
			expect(error?.message).toBe("The workspace has no card called 'invoices'");
			expect(sent('DELETE')).toEqual([]);
		});
	});
});

describe('one item is refused', () => {
	useCard('Whole', { Key: 'text' });

	const own = { cardId: byId('={{ $json.card }}') };
	const ofField = { ...own, fieldId: byName('={{ $json.field }}') };
	test.each<[string, IDataObject]>([
		['card create', { name: '={{ $json.name }}' }],
		['card update', { ...own, updateFields: { name: '={{ $json.name }}' } }],
		['card delete', own],
		['field create', { ...own, name: '={{ $json.name }}', type: 'text' }],
		['field update', { ...ofField, updateFields: { name: '={{ $json.name }}' } }],
		['field delete', ofField],
	])('%s %j: nothing is sent, with Continue all others are', async (title, parameters) => {
		const [resource, operation] = title.split(' ');
		const good = { name: 'New', card: card.id, field: 'Key' };
		const bad = { name: ' ', card: '', field: 'Gone' };
		const given: [IDataObject, IDataObject[]] = [
			{ resource, operation, ...parameters },
			[good, bad],
		];
		const { error } = await runNode(...given);
		expect(error).toBeDefined();
		expect(workspace.changes()).toEqual([]);
		const { json } = await runNode(...given, GOING_ON);
		expect(json.map((item) => 'error' in item)).toEqual([false, true]);
		expect(workspace.changes()).toHaveLength(1);
	});
});

describe('an error', () => {
	test.each([
		['stopWorkflow', 0, 16],
		['continueRegularOutput', 40, 40],
	] as const)(
		'of the first item, On Error %s: %d items, requests for %d',
		async (onError, count, requests) => {
			const items = Array.from({ length: 40 }, (_, n) => ({ id: `crd_${n}` }));
			const get = { resource: 'card', operation: 'get', cardId: byId('={{ $json.id }}') };
			const { error, items: output } = await runNode(get, items, { node: { onError } });
			expect(error?.context).toEqual(
				count === 0 ? expect.objectContaining({ itemIndex: 0 }) : undefined,
			);
			expect(placesOf(output)).toEqual(Array.from({ length: count }, (_, n) => n));
			expect(sent('GET')).toHaveLength(requests);
		},
	);

	useCard('Errors', { Key: 'text', 'E-mail': 'text' });

	test("names the field once, in place of the service's ID and pointer", async () => {
		const id = card.fieldIds['E-mail'] ?? '';
		const detail = `/data/${id}: Field '${id}' (email): not an address`;
		workspace.fail('GET', '/records', {
			status: 422,
			json: { title: 'Invalid', detail },
			times: 2,
		});
		const cardId = byId(card.id);
		const { error } = await runNode({ resource: 'record', operation: 'count', cardId });
		expect(error?.description).toBe("Field 'E-mail' (email): not an address");
	});

	test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'of an AI tool says everything once, with On Error %s',
		async (onError) => {
			const parameters = { resource: 'field', operation: 'get', fieldId: byName('Nope') };
			const type = 'n8n-nodes-workspace-data.workspaceDataTool';
			const node = { type, onError };
			const { error, json } = await runNode({ ...parameters, cardId: byId(card.id) }, [{}], {
				node,
			});
			const said = error
				? JSON.stringify([error.message, error.description])
				: JSON.stringify(json);
			expect(said).toContain(
				`Card '${card.id}' has no field 'Nope'. The fields are 'Key', 'E-mail'.`,
			);
			expect(said.split('The fields are')).toHaveLength(2);
		},
	);
});
