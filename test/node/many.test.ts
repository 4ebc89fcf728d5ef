/** Asking about records, changing many of them, what bounds a change, and deletions that hit exactly what was chosen. */
import type { IDataObject } from 'n8n-workflow';
import { placesOf, succeeded } from '../support/n8n';
import { byId, byName, fromList, mapAutomatically, mapEach, where } from '../support/parameters';
import { other, runOther, startOther } from '../support/otherService';
import { GOING_ON, runCounted as run, runNode } from '../support/runs';
import { card, useCard, useWorkspace, workspace } from '../support/workspace';

const fill = async (count: number) =>
	await workspace.records(
		card.id,
		Array.from({ length: count }, (_, n) => ({ Key: `k${n}`, Amount: n })),
	);

describe('many records', () => {
	useCard('Many', { Key: 'text', Amount: 'number' });

	const requested = (method: string) =>
		workspace.requests(new RegExp(`^${method} /cards/[^/]+/records`)).length;
	const keys = async () => (await workspace.rows(card.id)).map(({ Key }) => Key);

	describe('Get Page', () => {
		test('gives one page and the cursor of the next, to the end', async () => {
			const ids = await fill(5);
			const seen: unknown[] = [];
			let cursor: unknown = '';
			const sizes: number[] = [];
			do {
				const { json, error } = await run('getPage', { cursor: cursor as string, limit: 2 });
				if (error) throw error;
				expect(json).toHaveLength(1);
				const records = json[0]?.records as IDataObject[];
				seen.push(...records.map(({ id }) => id));
				sizes.push(records.length);
				cursor = json[0]?.next_cursor;
			} while (cursor !== null);
			expect(seen).toEqual(ids);
			expect(sizes).toEqual([2, 2, 1]);
		});

		test('records come as in Get Many, or as the service sends them', async () => {
			await fill(1);
			const simple = await run('getPage', { limit: 1, options: { outputFields: ['Amount'] } });
			const own = { id: expect.any(String) as string, created_at: expect.any(String) as string };
			expect(simple.json[0]?.records).toEqual([{ Amount: 0, ...own }]);
			const raw = await run('getPage', { limit: 1, simple: false });
			const data = { [card.fieldIds.Key ?? '']: 'k0', [card.fieldIds.Amount ?? '']: 0 };
			expect(raw.json[0]?.records).toEqual([expect.objectContaining({ data })]);
		});
	});

	test('with Continue, Update Many tests conditions on the stored record, not on a refused change', async () => {
		await workspace.records(card.id, [{ Key: 'New' }]);
		workspace.fail('PATCH', '/records/', { status: 422 });
		const parameters = {
			...where('Key', 'equals', '={{ $json.from }}'),
			columns: mapEach({ Key: '={{ $json.to }}' }),
		};
		const items = [
			{ from: 'New', to: 'Begun' },
			{ from: 'Begun', to: 'Done' },
		];
		const { json } = await run('updateMany', parameters, items, GOING_ON);
		expect(json.map(({ error }) => typeof error)).toEqual(['string', 'string']);
		expect(await keys()).toEqual(['New']);
	});

	test('a deletion that gets a web page is an error', async () => {
		const [id] = await fill(1);
		workspace.fail('DELETE', '/records/', { status: 200, body: 'html' });
		const { error } = await run('delete', { recordId: byId(id ?? '') });
		expect(error?.message).toContain("'body' is");
	});

	test('Get Page: a limit that the service refuses is refused', async () => {
		workspace.fail('GET', '/records', { status: 422, times: 1 });
		const { error } = await run('getPage', { limit: 5_000 });
		expect(error?.httpCode).toBe('422');
	});

	test('Count counts once for all items, each with its own conditions', async () => {
		await fill(7);
		const parameters = where('Amount', 'lessThan', '={{ $json.below }}');
		const given = [3, 100, 0].map((below) => ({ below }));
		const { json, items } = await run('count', parameters, given);
		expect(json).toEqual([{ count: 3 }, { count: 7 }, { count: 0 }]);
		expect(placesOf(items)).toEqual([0, 1, 2]);
		expect(requested('GET')).toBe(1);
	});

	describe.each([
		['ifExists', true],
		['ifNotExists', false],
	] as const)('%s', (operation, wanted) => {
		test('passes on the items for which it is so, as they came', async () => {
			await fill(3);
			const items = [{ key: 'k1', more: { a: [1] } }, { key: 'none' }, { key: 'k2' }];
			const found = where('Key', 'equals', '={{ $json.key }}');
			const { items: output } = await run(operation, found, items);
			const expected = items.flatMap((json, item) =>
				(json.key !== 'none') === wanted ? [{ json, pairedItem: { item } }] : [],
			);
			expect(output).toMatchObject(expected);
			expect(output).toHaveLength(expected.length);
		});

		test('reads no further than the first match', async () => {
			workspace.service.control.fillCard({ cardId: card.id, count: 2_500 });
			await run(operation, where('created_at', 'isNotEmpty'));
			// The next page is asked for while this one is looked at.
			expect(requested('GET')).toBeLessThanOrEqual(2);
			await run(operation, where('created_at', 'isEmpty'));
			expect(requested('GET')).toBe(3);
		});
	});

	const columns = mapEach({ Amount: 99 });
	const READS = ['getAll', 'count', 'ifExists', 'ifNotExists'];
	describe.each([...READS, 'updateMany', 'deleteMany'])('%s', (operation) => {
		test.each<[string, IDataObject, string]>([
			['an unknown field', where('Nope', 'equals', 'a'), "has no field 'Nope'"],
			['an unknown condition', where('Key', 'isLike', 'a'), "'Condition' can't be 'isLike'"],
			["a value that the field can't hold", where('Amount', 'equals', 'x'), 'can\'t hold "x"'],
			['no field', where('', 'equals', 'a'), "'Field Name or ID' in 'Filters' is empty"],
			['no value', where('Key', 'notEquals', '={{ $json.nope }}'), "'Value' is empty in a"],
			['a blank value', where('Key', 'equals', '\u00a0'), "'Value' is empty in a condition of"],
			['no days', where('Key', 'inLastDays', ' '), "'Value' is empty in a condition of"],
			['an unknown match', { matchType: 'some' }, "'Must Match' can't be 'some'"],
		])('%s is refused, and no record is read', async (_, conditions, message) => {
			const given = { columns, ...where('Key', 'equals', 'a'), ...conditions };
			const { error } = await run(operation, given);
			expect(error?.message).toContain(message);
			if (message.startsWith("'Value'")) expect(error?.description).toContain("'Is Empty'");
			expect(requested('GET')).toBe(0);
			expect(workspace.changes()).toEqual([]);
		});
	});

	describe.each([
		['updateMany', 'PATCH'],
		['deleteMany', 'DELETE'],
	])('%s', (operation, method) => {
		test.each<[string, IDataObject, string]>([
			['no condition', { filters: {} }, "'Filters' has no condition"],
			['an empty list', { filters: { conditions: [] } }, "'Filters' has no condition"],
			['a near name of a field', where('KEY', 'equals', 'k1'), "has no field 'KEY'"],
		])('%s: nothing is changed', async (_, conditions, message) => {
			await fill(3);
			const { error } = await run(operation, { columns, ...conditions });
			expect(error?.message).toContain(message);
			if (message.includes('no condition'))
				expect(error?.description).toContain('every record of the card.');
			expect(requested(method)).toBe(0);
		});
	});

	test('items take turns: each finds what those before it left, from one reading', async () => {
		await fill(4);
		const from = where('Amount', 'equals', '={{ $json.from }}');
		const changed = mapEach({ Amount: '={{ $json.to }}' });
		const updated = succeeded(
			await run('updateMany', { ...from, columns: changed }, [
				{ from: 1, to: 2 },
				{ from: 2, to: 7 },
				{ from: 1, to: 9 },
			]),
		);
		expect(placesOf(updated.items)).toEqual([0, 1, 1]);
		expect(requested('GET')).toBe(1);
		expect((await workspace.rows(card.id)).map(({ Amount }) => Amount)).toEqual([0, 7, 7, 3]);
		const deleted = await run('deleteMany', where('Amount', 'greaterThan', '={{ $json.above }}'), [
			{ above: 5 },
			{ above: 1 },
		]);
		expect(deleted.json).toHaveLength(3);
		expect(deleted.json[0]).toMatchObject({ deleted: true, id: expect.any(String) as string });
		expect(await keys()).toEqual(['k0']);
	});
});

describe('bounds', () => {
	useCard('Bounds', {
		Key: 'text',
		Amount: 'number',
		Status: { type: 'single_select', options: ['Open', 'Done', 'Late'] },
		error: 'text',
		'fields.id': 'text',
	});

	const below = (value: unknown) => where('Amount', 'lessThan', value);

	describe('the maximum', () => {
		test.each([
			['updateMany', 'Max Records to Change'],
			['deleteMany', 'Max Records to Delete'],
		])(
			'%s of more is refused, and nothing is sent; as many are changed',
			async (operation, label) => {
				await fill(5);
				const parameters = { ...below(4), columns: mapEach({ Key: 'new' }) };
				const { error } = await run(operation, { ...parameters, maxChanges: 3 });
				expect(error?.message).toMatch(/^4 records of card '.+' would be (?:updated|deleted), but/);
				expect(error?.message).toContain(`'${label}' is 3`);
				expect(workspace.changes()).toEqual([]);
				const { json } = await run(operation, { ...parameters, maxChanges: 4 });
				expect(json).toHaveLength(4);
			},
		);

		test("records that have all values already don't count", async () => {
			await fill(5);
			const columns = mapEach({ Key: 'k1' });
			const { json } = await run('updateMany', { ...below(3), columns, maxChanges: 2 });
			expect(json.map(({ action }) => action)).toEqual(['updated', 'unchanged', 'updated']);
		});

		test('-1 is no limit; without the parameter it is 1,000', async () => {
			workspace.service.control.fillCard({ cardId: card.id, count: 1_001 });
			const parameters = { ...where('id', 'isNotEmpty'), dryRun: true };
			const { error } = await run('deleteMany', parameters);
			expect(error?.message).toContain('1001 records');
			const { json } = await run('deleteMany', { ...parameters, maxChanges: -1 });
			expect(json).toHaveLength(1_001);
			expect(workspace.changes()).toEqual([]);
		});

		test.each([[0], [''], [-2], [1.5], ['many']])('%j is refused', async (maxChanges) => {
			const { error } = await run('deleteMany', { ...below(4), maxChanges });
			expect(error?.message).toContain("'Max Records to Delete' must be a whole number");
			expect(workspace.requests()).toEqual([]);
		});
	});
});

describe('deletions', () => {
	useWorkspace();

	const deletions = () => workspace.requests(/^DELETE/);

	test("a record isn't deleted in a card of a near name", async () => {
		const card = await workspace.card('Invoices', { No: 'text' });
		const [id = ''] = await workspace.records(card.id, [{ No: '1' }]);
		const parameters = { resource: 'record', operation: 'delete', recordId: byId(id) };
		const { error } = await runNode({ ...parameters, cardId: byName('invoices') });
		expect(error?.message).toBe("The workspace has no card called 'invoices'");
		expect(deletions()).toEqual([]);
	});

	test.each<[string, IDataObject]>([
		['getAll', {}],
		['delete', { recordId: byId('r1') }],
	])(
		'%s in a card that was deleted: its name on the panel, and what to do',
		async (operation, parameters) => {
			const { id } = await workspace.card('Short-lived', { Key: 'text' });
			await workspace.send('DELETE', `/cards/${id}`);
			const { error } = await runNode({
				resource: 'record',
				operation,
				cardId: fromList(id, 'Short-lived'),
				...parameters,
			});
			expect(error?.description).toContain("'Short-lived'");
			expect(error?.description).not.toContain(id);
			expect(error?.description).toContain("Select the card again in 'Card'");
		},
	);

	const nothing = '={{ $json.mispelt }}';

	const found = where('Key', 'equals', 'a');
	test.each<[string, IDataObject]>([
		["'Dry Run' has no value", { ...found, dryRun: nothing }],
		["'Dry Run' can't be 'yes'", { ...found, dryRun: '={{ "yes" }}' }],
		["'Condition' has no value", where('Key', nothing, 'a')],
		["'Must Match' has no value", { ...found, matchType: nothing }],
	])('%s, because of an expression: nothing is deleted', async (message, parameters) => {
		const { id } = await workspace.card('Not dry', { Key: 'text' });
		const [recordId = ''] = await workspace.records(id, [{ Key: 'a' }]);
		const record = { resource: 'record', cardId: byId(id), recordId: byId(recordId) };
		const { error } = await runNode({ ...record, operation: 'deleteMany', ...parameters });
		expect(error?.message).toBe(message);
		expect(deletions()).toEqual([]);
		expect(await workspace.rows(id)).toEqual([{ Key: 'a' }]);
	});

	test('Conditions by one expression are refused: n8n makes an empty condition of each of its characters', async () => {
		const { id } = await workspace.card('Lost', { Key: 'text' });
		await workspace.records(id, [{ Key: 'a' }, { Key: 'b' }]);
		const sync = { columns: mapAutomatically(['Key']), missingRecords: 'delete' };
		for (const more of [{ operation: 'sync', ...sync }, { operation: 'count' }]) {
			const filters = { conditions: '={{ $json.mispelt }}' };
			const parameters = { resource: 'record', cardId: byId(id), ...more, filters };
			const { error } = await runNode(parameters, [{ Key: 'a' }]);
			expect(error?.message).toContain("'Field Name or ID' in 'Filters' is empty");
		}
		expect(await workspace.rows(id)).toHaveLength(2);
	});

	test('Sync with deletions and Execute Once is refused: n8n hands over the first item only', async () => {
		const { id } = await workspace.card('Once', { Key: 'text' });
		await workspace.records(id, [{ Key: 'a' }, { Key: 'b' }]);
		const sync = { columns: mapAutomatically(['Key']), missingRecords: 'delete' };
		const parameters = { resource: 'record', operation: 'sync', cardId: byId(id), ...sync };
		const node = { executeOnce: true };
		const { error } = await runNode(parameters, [{ Key: 'a' }, { Key: 'b' }], { node });
		expect(error?.message).toContain("'Execute Once' is on");
		expect(await workspace.rows(id)).toHaveLength(2);
	});
});

describe('somebody else deletes a record meanwhile', () => {
	beforeEach(async () => {
		const fields = [
			{ id: 'f1', name: 'Key', type: 'text' },
			{ id: 'f2', name: 'Pages', type: 'number' },
		];
		await startOther(fields, [{ f1: 'a' }, { f1: 'b' }, { f1: 'c' }]);
	});
	const left = () => other.records.map(({ data }) => data.f1);
	/** Deletes the first record right before a request of this kind to it. */
	function deletesFirst(kind: string): void {
		other.before = (method, path) => {
			if (method === kind && path.endsWith('/r0')) other.records.shift();
		};
	}
	const everything = where('Key', 'isNotEmpty');

	test('Update Many leaves it out', async () => {
		deletesFirst('PATCH');
		const pages = { columns: mapEach({ Pages: 9 }) };
		const { json } = succeeded(await runOther('updateMany', { ...everything, ...pages }));
		expect(json.map(({ id }) => id)).toEqual(['r1', 'r2']);
	});

	test.each([
		['deleteMany', everything, {}],
		['sync', { columns: mapAutomatically(['Key']), missingRecords: 'delete' }, { Key: 'b' }],
	])('%s counts it as deleted', async (operation, parameters, item) => {
		deletesFirst('DELETE');
		const { json } = succeeded(await runOther(operation, parameters, [item]));
		expect(json.filter(({ deleted }) => deleted).map(({ id }) => id)).toContain('r0');
		expect(left()).toEqual(operation === 'sync' ? ['b'] : []);
	});
});
