/** Deletions hit exactly what was chosen, and only what is gone counts as deleted (D5, D6, D8, E10). */
import type { IDataObject } from 'n8n-workflow';
import { runAction } from '../support/n8n';
import { byId, byName, fromList, mapAutomatically, mapEach } from '../support/parameters';
import { type TestWorkspace, useWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
useWorkspace((started) => (workspace = started));

const run = async (parameters: IDataObject, items: IDataObject[] = [{}]) =>
	await runAction({ credentials: workspace.apiKey, parameters, items });
const deletions = () => workspace.requests().filter((request) => request.startsWith('DELETE'));

describe('Field Delete (D5)', () => {
	const deleteField = async (cardId: string, fieldId: IDataObject) =>
		await run({ resource: 'field', operation: 'delete', cardId: byId(cardId), fieldId });

	/** A card with two fields called Status. */
	async function twins() {
		const card = await workspace.card('Twins', [
			{ name: 'Status', type: 'text' },
			{ name: 'Other', type: 'text' },
		]);
		const [chosen = '', other = ''] = [card.fieldIds.Status, card.fieldIds.Other];
		workspace.service.control.renameField({ cardId: card.id, fieldId: other, name: 'Status' });
		workspace.service.control.resetRequests();
		return { id: card.id, chosen, other };
	}

	test('run twice deletes the chosen field, then says that it is gone', async () => {
		const { id, chosen, other } = await twins();
		expect((await deleteField(id, fromList(chosen, 'Status'))).json).toEqual([
			{ deleted: true, id: chosen },
		]);
		const { error } = await deleteField(id, fromList(chosen, 'Status'));
		expect(error?.message).toBe(`Card '${id}' has no field with the ID '${chosen}'`);
		expect(error?.description).toContain("'Status'");
		expect(deletions()).toHaveLength(1);
		const left = (await workspace.send('GET', `/cards/${id}/fields`)) as {
			fields: Array<{ id: string }>;
		};
		expect(left.fields.map((field) => field.id)).toEqual([other]);
	});

	test('a chosen field whose name moved to another field is in doubt', async () => {
		const { id, chosen, other } = await twins();
		workspace.service.control.renameField({ cardId: id, fieldId: chosen, name: 'Old Status' });
		const { error } = await deleteField(id, fromList(chosen, 'Status'));
		expect(error?.message).toBe(
			"The chosen field 'Status' is now called 'Old Status', and another field has the old name",
		);
		expect(error?.description).toContain(`${other} is 'Status'`);
		expect(deletions()).toEqual([]);
	});

	test('a chosen field that was renamed, and nothing more, is deleted', async () => {
		const { id, fieldIds } = await workspace.card('Renamed', [{ name: 'Status', type: 'text' }]);
		const fieldId = fieldIds.Status ?? '';
		workspace.service.control.renameField({ cardId: id, fieldId, name: 'State' });
		expect((await deleteField(id, fromList(fieldId, 'Status'))).json).toEqual([
			{ deleted: true, id: fieldId },
		]);
	});

	test.each(['STATUS', 'Status ', 'Statu'])('By Name %j does not mean Status', async (name) => {
		const { id } = await workspace.card('Near', [{ name: 'Status', type: 'text' }]);
		const { error } = await deleteField(id, byName(name));
		expect(error?.message).toBe(`Card '${id}' has no field '${name}'`);
		expect(error?.description).toContain("'Status'");
		expect(deletions()).toEqual([]);
	});

	test('By Name does not take the ID of a field', async () => {
		const { id, fieldIds } = await workspace.card('Ids', [{ name: 'Status', type: 'text' }]);
		const { error } = await deleteField(id, byName(fieldIds.Status ?? ''));
		expect(error?.message).toContain('has no field');
		expect(deletions()).toEqual([]);
	});

	test('two fields of the name are two too many', async () => {
		const { id, chosen, other } = await twins();
		const { error } = await deleteField(id, byName('Status'));
		expect(error?.message).toContain("'Status' matches 2 fields");
		expect(error?.description).toContain(chosen);
		expect(error?.description).toContain(other);
		expect(deletions()).toEqual([]);
	});

	test('get and update still follow the name of a field whose ID has changed', async () => {
		const { id, fieldIds } = await workspace.card('Rotated', [{ name: 'Status', type: 'text' }]);
		const fieldId = fromList(fieldIds.Status ?? '', 'Status');
		workspace.service.control.rotateFieldIds({ cardId: id });
		const { json } = await run({
			resource: 'field',
			operation: 'get',
			cardId: byId(id),
			fieldId,
		});
		expect(json[0]?.name).toBe('Status');
	});
});

describe('Card Delete By Name (D6)', () => {
	const deleteCard = async (name: string) =>
		await run({ resource: 'card', operation: 'delete', cardId: byName(name) });

	test('run twice deletes Orders, not orders', async () => {
		const { id } = await workspace.card('Orders', []);
		await workspace.card('orders', []);
		expect((await deleteCard('Orders')).json).toEqual([{ deleted: true, id }]);
		const { error } = await deleteCard('Orders');
		expect(error?.message).toBe("The workspace has no card called 'Orders'");
		expect(error?.description).toContain("'orders'");
		expect(deletions()).toHaveLength(1);
	});

	test.each(['STATUS ', 'status', 'Status '])('%j does not mean the card Status', async (name) => {
		const { id } = await workspace.card('Status', []);
		const { error } = await deleteCard(name);
		expect(error?.message).toBe(`The workspace has no card called '${name}'`);
		expect(error?.description).toContain("'Status'");
		expect(deletions()).toEqual([]);
		await workspace.send('DELETE', `/cards/${id}`);
	});

	test('a record or a field is not deleted in a card of a near name', async () => {
		const card = await workspace.card('Invoices', [{ name: 'No', type: 'text' }]);
		const [id = ''] = await workspace.records(card.id, [{ No: '1' }]);
		for (const what of [
			{ resource: 'record', recordId: byId(id) },
			{ resource: 'field', fieldId: byName('No') },
		]) {
			const { error } = await run({ ...what, operation: 'delete', cardId: byName('invoices') });
			expect(error?.message).toBe("The workspace has no card called 'invoices'");
		}
		expect(deletions()).toEqual([]);
	});
});

describe('what counts as deleted after a lost answer (D8)', () => {
	let card: { id: string; fieldIds: Record<string, string> };
	let recordId: string;
	beforeEach(async () => {
		card = await workspace.card('Deletions', [{ name: 'Key', type: 'text' }]);
		[recordId = ''] = await workspace.records(card.id, [{ Key: 'a' }]);
	});
	const things = (): Array<[string, IDataObject, string]> => [
		['record', { resource: 'record', recordId: byId(recordId) }, recordId],
		[
			'field',
			{ resource: 'field', fieldId: byId(card.fieldIds.Key ?? '') },
			card.fieldIds.Key ?? '',
		],
		['card', { resource: 'card' }, card.id],
	];
	const deleteAfter502 = async (what: IDataObject, second: IDataObject) => {
		const fault = { method: 'DELETE', mode: 'answer' } as const;
		workspace.service.control.fail({ ...fault, status: 502, body: 'html' });
		workspace.service.control.fail({ ...fault, ...second });
		return await run({ ...what, operation: 'delete', cardId: byId(card.id) });
	};

	test.each([0, 1, 2])('a gateway’s 404 does not, nor the workspace’s: thing %d', async (place) => {
		const [, what] = things()[place] ?? ['', {}];
		const gateway = await deleteAfter502(what, { status: 404, body: 'html' });
		expect(gateway.error?.httpCode).toBe('404');
		const elsewhere = await deleteAfter502(what, {
			status: 404,
			json: { type: 'https://errors.example.com/workspace-not-found', title: 'No workspace' },
		});
		expect(elsewhere.error?.message).toBe('No workspace');
	});

	test.each([0, 1, 2])('the service’s own word for the thing does: thing %d', async (place) => {
		const [thing, what, id] = things()[place] ?? ['', {}, ''];
		const { json, error } = await deleteAfter502(what, {
			status: 404,
			json: { type: `https://errors.example.com/${thing}-not-found`, title: 'Gone' },
		});
		expect(error).toBeUndefined();
		expect(json).toEqual([{ deleted: true, id }]);
	});
});

describe('a card that was deleted (E10)', () => {
	test.each<[string, IDataObject]>([
		['create', { columns: mapEach({ Key: 'a' }) }],
		['getAll', {}],
		['delete', { recordId: byId('r1') }],
	])('%s: the name that the panel shows, and what to do', async (operation, parameters) => {
		const { id } = await workspace.card('Short-lived', [{ name: 'Key', type: 'text' }]);
		await workspace.send('DELETE', `/cards/${id}`);
		const { error } = await run({
			resource: 'record',
			operation,
			cardId: fromList(id, 'Short-lived'),
			...parameters,
		});
		expect(error?.description).toContain("'Short-lived'");
		expect(error?.description).not.toContain(id);
		expect(error?.description).toContain("Choose the card again in 'Card'");
	});
});

describe('a switch or a choice whose expression gives nothing (H27)', () => {
	test.each<[string, IDataObject]>([
		[
			'deleteMany',
			{ filters: { conditions: [{ field: 'Key', condition: 'equals', value: 'a' }] } },
		],
		['delete', { options: {} }],
	])(
		'Dry Run in %s: nothing is deleted, and the message names it',
		async (operation, parameters) => {
			const { id } = await workspace.card('Not dry', [{ name: 'Key', type: 'text' }]);
			const [recordId = ''] = await workspace.records(id, [{ Key: 'a' }]);
			const dryRun = '={{ $json.mispelt }}';
			for (const where of [{ dryRun }, { options: { dryRun } }]) {
				if (operation === 'delete' && !('options' in where)) continue;
				const { error } = await run({
					resource: 'record',
					operation,
					cardId: byId(id),
					recordId: byId(recordId),
					...parameters,
					...where,
				});
				expect(error?.message).toBe("'Dry Run' has no value");
			}
			expect(deletions()).toEqual([]);
			expect(await workspace.rows(id)).toEqual([{ Key: 'a' }]);
		},
	);

	const condition = { field: 'Key', condition: 'equals', value: 'a' };
	test.each<[string, IDataObject]>([
		[
			'Condition',
			{ filters: { conditions: [{ ...condition, condition: '={{ $json.mispelt }}' }] } },
		],
		['Must Match', { filters: { conditions: [condition] }, matchType: '={{ $json.mispelt }}' }],
	])('%s: the records of another condition are not deleted', async (label, parameters) => {
		const { id } = await workspace.card('Not equal', [{ name: 'Key', type: 'text' }]);
		await workspace.records(id, [{ Key: 'a' }]);
		const { error } = await run({
			resource: 'record',
			operation: 'deleteMany',
			cardId: byId(id),
			...parameters,
		});
		expect(error?.message).toBe(`'${label}' has no value`);
		expect(deletions()).toEqual([]);
		expect(await workspace.rows(id)).toEqual([{ Key: 'a' }]);
	});
});

test('Conditions by one expression are refused: n8n makes an empty condition of each of its characters (O13)', async () => {
	const { id } = await workspace.card('Lost', [{ name: 'Key', type: 'text' }]);
	await workspace.records(id, [{ Key: 'a' }, { Key: 'b' }]);
	const columns = mapAutomatically(['Key']);
	for (const more of [
		{ operation: 'sync', columns, missingRecords: 'delete' },
		{ operation: 'count' },
	]) {
		const filters = { conditions: '={{ $json.mispelt }}' };
		const { error } = await run({ resource: 'record', cardId: byId(id), ...more, filters }, [
			{ Key: 'a' },
		]);
		expect(error?.message).toContain("'Field Name or ID' is empty in a condition of 'Filters'");
	}
	expect(await workspace.rows(id)).toHaveLength(2);
});

test('Sync with deletions and Execute Once is refused: n8n hands over the first item only (O23)', async () => {
	const { id } = await workspace.card('Once', [{ name: 'Key', type: 'text' }]);
	await workspace.records(id, [{ Key: 'a' }, { Key: 'b' }]);
	const { error } = await runAction({
		credentials: workspace.apiKey,
		parameters: {
			resource: 'record',
			operation: 'sync',
			cardId: byId(id),
			columns: mapAutomatically(['Key']),
			missingRecords: 'delete',
		},
		items: [{ Key: 'a' }, { Key: 'b' }],
		node: { executeOnce: true },
	});
	expect(error?.message).toContain("'Execute Once' is on");
	expect(await workspace.rows(id)).toHaveLength(2);
});
