/** Asking about records and changing many of them (Get Page, Count, If Record Exists, Update Many, Delete Many). */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { byId, byName, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';
import { cases } from '../support/cases';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Many',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
	],
	(made) => ({ workspace, card } = made),
);

const { runCounted: run } = recordRuns(() => ({ workspace, card }));
const where = (field: string, condition: string, value: unknown = ''): IDataObject => ({
	filters: { conditions: [{ field, condition, value }] } as IDataObject,
});
const requested = (method: string, what: RegExp | string = 'records') =>
	workspace
		.requests()
		.filter((request) => new RegExp(`^${method} /cards/[^/]+/${what}`).test(request)).length;
const keys = async () => (await workspace.rows(card.id)).map(({ Key }) => Key);
const fill = async (count: number) =>
	await workspace.records(
		card.id,
		Array.from({ length: count }, (_, n) => ({ Key: `k${n}`, Amount: n })),
	);

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
		expect(simple.json[0]?.records).toEqual([
			{ id: expect.any(String), created_at: expect.any(String), fields: { Amount: 0 } },
		]);
		const raw = await run('getPage', { limit: 1, simple: false });
		expect(raw.json[0]?.records).toEqual([
			expect.objectContaining({
				data: { [card.fieldIds.Key ?? '']: 'k0', [card.fieldIds.Amount ?? '']: 0 },
			}),
		]);
	});

	test.each(['of another card', 'that is none'])(
		'a cursor %s names the parameter',
		async (which) => {
			const other = await workspace.card('Other', [{ name: 'Key', type: 'text' }]);
			await workspace.records(other.id, [{ Key: 'a' }, { Key: 'b' }]);
			await fill(3);
			const page = await run('getPage', { cardId: byId(other.id), limit: 1 });
			const cursor = which === 'that is none' ? 'not-a-cursor' : page.json[0]?.next_cursor;
			expect(cursor).toEqual(expect.any(String));
			const { error } = await run('getPage', { cursor: cursor as string, limit: 2 });
			expect(error?.description).toContain("Check 'Cursor'");
		},
	);

	test.each<[IDataObject, string]>([
		[{ limit: 0 }, "'Limit'"],
		[{ limit: 2, cursor: '={{ { a: 1 } }}' }, "'Cursor' cannot be"],
	])('%j is refused before anything is sent', async (parameters, message) => {
		const { error } = await run('getPage', parameters);
		expect(error?.message).toContain(message);
		expect(workspace.requests()).toEqual([]);
	});
});

describe('Count', () => {
	test('counts once for all items, each with its own conditions', async () => {
		await fill(7);
		const parameters = where('Amount', 'lessThan', '={{ $json.below }}');
		const { json, items } = await run('count', parameters, [
			{ below: 3 },
			{ below: 100 },
			{ below: 0 },
		]);
		expect(json).toEqual([{ count: 3 }, { count: 7 }, { count: 0 }]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(requested('GET')).toBe(1);
	});

	test('without conditions all are read and counted, and a hint says so', async () => {
		workspace.service.control.fillCard({ cardId: card.id, count: 250 });
		const { json, run: execution } = await run('count');
		expect(json).toEqual([{ count: 250 }]);
		expect(requested('GET')).toBe(1);
		const [hint] = execution.data.resultData.runData['Workspace Data']?.[0]?.hints ?? [];
		expect(hint?.message).toContain('250 records were read');
	});
});

describe.each([
	['ifExists', true],
	['ifNotExists', false],
] as const)('%s', (operation, wanted) => {
	test('passes on the items for which it is so, as they came', async () => {
		await fill(3);
		const items = [{ key: 'k1', more: { a: [1] } }, { key: 'none' }, { key: 'k2' }];
		const { items: output } = await run(
			operation,
			where('Key', 'equals', '={{ $json.key }}'),
			items,
		);
		const expected = items.flatMap((json, item) =>
			(json.key !== 'none') === wanted ? [{ json, pairedItem: { item } }] : [],
		);
		expect(output).toMatchObject(expected);
		expect(output).toHaveLength(expected.length);
	});

	test('reads no further than the first match', async () => {
		workspace.service.control.fillCard({ cardId: card.id, count: 2_500 });
		await run(operation, where('created_at', 'isNotEmpty'));
		expect(requested('GET')).toBe(1);
		await run(operation, where('created_at', 'isEmpty'));
		expect(requested('GET')).toBe(3);
	});
});

describe.each(['count', 'ifExists', 'ifNotExists'])('%s', (operation) => {
	test.each<[string, IDataObject, string]>([
		['an unknown field', where('Nope', 'equals', 'a'), "has no field 'Nope'"],
		['an unknown condition', where('Key', 'isLike', 'a'), "'Condition' cannot be 'isLike'"],
		['a value that the field cannot hold', where('Amount', 'equals', 'x'), 'cannot hold "x"'],
		[
			'no field',
			where('', 'equals', 'a'),
			"'Field Name or ID' is empty in a condition of 'Filters'",
		],
		[
			'an unknown match',
			{ ...where('Key', 'equals', 'a'), matchType: 'someConditions' },
			"'Must Match' cannot be 'someConditions'",
		],
	])('%s is refused, and no record is read', async (_, conditions, message) => {
		const { error } = await run(operation, conditions);
		expect(error?.message).toContain(message);
		expect(requested('GET')).toBe(0);
	});
});

describe.each([
	['updateMany', { columns: mapEach({ Amount: 99 }) }, 'PATCH'],
	['deleteMany', {}, 'DELETE'],
] as const)('%s', (operation, parameters, method) => {
	test.each<[string, IDataObject, string]>([
		['no condition', { filters: {} }, "'Filters' has no condition"],
		['an empty list of conditions', { filters: { conditions: [] } }, "'Filters' has no condition"],
		['a near name of a field', where('KEY', 'equals', 'k1'), "has no field 'KEY'"],
		[
			'no value to compare with',
			where('Key', 'equals', ''),
			"'Value' is empty in a condition of 'Filters'",
		],
		[
			'an expression that gives nothing',
			where('Key', 'notEquals', '={{ $json.nope }}'),
			"'Value' is empty",
		],
		['a value that the field cannot hold', where('Amount', 'lessThan', 'x'), 'cannot hold "x"'],
	])('%s: nothing is changed', async (_, conditions, message) => {
		await fill(3);
		const { error } = await run(operation, { ...parameters, ...conditions });
		expect(error?.message).toContain(message);
		expect(requested(method)).toBe(0);
	});

	test('a card of a near name is not meant', async () => {
		const { error } = await run(operation, {
			...parameters,
			...where('Key', 'equals', 'k1'),
			cardId: byName('MANY'),
		});
		expect(error?.message).toBe("The workspace has no card called 'MANY'");
	});

	test('fields that change while records are read: nothing is changed', async () => {
		await fill(3);
		const { control } = workspace.service;
		control.setLatency({ ms: 100 });
		const running = run(operation, { ...parameters, ...where('Key', 'notEquals', 'k1') });
		while (!control.requests().some(({ path, status }) => /fields$/.test(path) && status === 200)) {
			await new Promise(setImmediate);
		}
		control.rotateFieldIds({ cardId: card.id });
		const { error } = await running;
		expect(error?.message).toContain('changed while its records were being read');
		expect(requested(method)).toBe(0);
	});

	test('one is refused: nothing after the end, and the message counts', async () => {
		await fill(10);
		workspace.service.control.fail({ method, skip: 2, status: 409, json: { title: 'No' } });
		const { error } = await run(operation, {
			...parameters,
			...where('Key', 'isNotEmpty'),
			options: { maxParallel: 1 },
		});
		expect(error?.message).toBe('No');
		expect(error?.description).toMatch(/2 of 10 records were (updated|deleted)\./);
		expect(requested(method)).toBe(3);
	});
});

test('Update Many changes what meets the conditions, one item a record', async () => {
	await fill(5);
	const { json, error } = await run('updateMany', {
		...where('Amount', 'greaterOrEqual', 3),
		columns: mapEach({ Amount: 0 }),
	});
	expect(error).toBeUndefined();
	expect(json.map(({ fields }) => fields)).toEqual([
		{ Key: 'k3', Amount: 0 },
		{ Key: 'k4', Amount: 0 },
	]);
	expect((await workspace.rows(card.id)).map(({ Amount }) => Amount)).toEqual([0, 1, 2, 0, 0]);
});

test('items take turns: each finds what those before it left, from one reading', async () => {
	await fill(4);
	const updated = await run(
		'updateMany',
		{
			...where('Amount', 'equals', '={{ $json.from }}'),
			columns: mapEach({ Amount: '={{ $json.to }}' }),
		},
		[
			{ from: 1, to: 2 },
			{ from: 2, to: 7 },
			{ from: 1, to: 9 },
		],
	);
	expect(updated.error).toBeUndefined();
	expect(updated.items.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 1 },
	]);
	expect(requested('GET')).toBe(1);
	expect((await workspace.rows(card.id)).map(({ Amount }) => Amount)).toEqual([0, 7, 7, 3]);
	const deleted = await run('deleteMany', where('Amount', 'greaterThan', '={{ $json.above }}'), [
		{ above: 5 },
		{ above: 1 },
	]);
	expect(deleted.json).toHaveLength(3);
	expect(deleted.json[0]).toEqual({ deleted: true, id: expect.any(String) });
	expect(await keys()).toEqual(['k0']);
});

test('a record that somebody else deleted during the run counts as deleted', async () => {
	const [id = ''] = await fill(2);
	workspace.service.control.fail({
		method: 'DELETE',
		path: id,
		status: 404,
		json: { type: 'https://errors.example.com/record-not-found', title: 'Gone' },
	});
	const { json, error } = await run('deleteMany', where('Key', 'isNotEmpty'));
	expect(error).toBeUndefined();
	expect(json).toHaveLength(2);
});

test('any conditions delete exactly the records that a plain implementation finds', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 6 }),
			fc.constantFrom('equals', 'notEquals', 'lessThan', 'greaterOrEqual'),
			fc.integer({ min: 0, max: 5 }),
			async (amounts, condition, value) => {
				card = await workspace.card('Any', [{ name: 'Amount', type: 'number' }]);
				await workspace.records(
					card.id,
					amounts.map((Amount) => ({ Amount })),
				);
				const { json } = await run('deleteMany', where('Amount', condition, value));
				const holds: Record<string, (amount: number) => boolean> = {
					equals: (amount) => amount === value,
					notEquals: (amount) => amount !== value,
					lessThan: (amount) => amount < value,
					greaterOrEqual: (amount) => amount >= value,
				};
				const left = amounts.filter((amount) => !holds[condition]?.(amount));
				expect((await workspace.rows(card.id)).map(({ Amount }) => Amount)).toEqual(left);
				expect(json).toHaveLength(amounts.length - left.length);
			},
		),
		cases(15),
	);
});
