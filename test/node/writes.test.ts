/** Writes happen once, in the order of the items, and only where something changes. */
import type { IDataObject } from 'n8n-workflow';
import { byId, mapAutomatically } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Writes',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'At', type: 'datetime' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
		{ name: 'Note', type: 'text' },
	],
	(made) => ({ workspace, card } = made),
);

const { run, runCounted, answer } = recordRuns(() => ({ workspace, card }));
const upsert = async (items: IDataObject[], options: IDataObject = {}) =>
	await runCounted('upsert', { columns: mapAutomatically(['Key']), options }, items);
const sent = (method: string) =>
	workspace.requests().filter((request) => request.startsWith(`${method} `)).length;
const actions = (json: IDataObject[]) => json.map(({ action }) => action);

describe('the order of writes to one record', () => {
	test('(H11) Update: the later item wins, although the first is retried after a 503', async () => {
		const [id = ''] = await workspace.records(card.id, [{ Key: 'a' }]);
		workspace.service.control.fail({ method: 'PATCH', mode: 'answer', status: 503, times: 1 });
		const items = [1, 2, 3].map((Amount) => ({ Amount }));
		const { error } = await run(
			'update',
			{ recordId: byId(id), columns: mapAutomatically() },
			items,
		);
		expect(error).toBeUndefined();
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 3 }]);
	});

	test('(H11) Update, then Delete of the same record by further items: each waits for the one before', async () => {
		const [id = ''] = await workspace.records(card.id, [{ Key: 'a' }]);
		workspace.service.control.fail({ method: 'DELETE', mode: 'answer', status: 503, times: 1 });
		const { json } = await run('delete', { recordId: byId(id), options: { ifNotFound: 'skip' } }, [
			{},
			{},
		]);
		expect(json).toEqual([{ deleted: true, id }]);
	});

	test('(H11) Create or Update: the later item wins, although the first is retried after a 503', async () => {
		await workspace.records(card.id, [{ Key: 'a', Amount: 0 }]);
		workspace.service.control.fail({ method: 'PATCH', mode: 'answer', status: 503, times: 1 });
		const { error } = await upsert([1, 2, 3].map((Amount) => ({ Key: 'a', Amount })));
		expect(error).toBeUndefined();
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 3 }]);
	});
});

test('(H7) three executions at once create or update one new key: one record', async () => {
	workspace.service.control.setLatency({ ms: 50 });
	const results = await Promise.all(
		[1, 2, 3].map(
			async (Amount) =>
				await run('upsert', { columns: mapAutomatically(['Key']) }, [{ Key: 'new', Amount }]),
		),
	);
	expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
	expect(results.flatMap(({ json }) => actions(json)).sort()).toEqual([
		'created',
		'updated',
		'updated',
	]);
	expect(await workspace.rows(card.id)).toHaveLength(1);
});

describe('a field of a type that the node does not know', () => {
	test.each([['Zip'], ['Key']])('(H1) one record for each key, matched by %s', async (matching) => {
		const other = await workspace.card('Unknown types', [
			{ name: 'Key', type: 'text' },
			{ name: 'Zip', type: 'json' },
		]);
		const { fields } = (await workspace.send('GET', `/cards/${other.id}/fields`)) as {
			fields: IDataObject[];
		};
		// The service keeps any value, and calls the type as no other service does.
		answer(
			'GET',
			`/cards/${other.id}/fields$`,
			{
				fields: fields.map((field) => ({
					...field,
					...(field.name === 'Zip' && { type: 'postal_code' }),
				})),
			},
			{ times: 9 },
		);
		const items = [
			{ Key: 'k1', Zip: '5' },
			{ Key: 'k1', Zip: 5 },
			{ Key: 'k1', Zip: '5' },
			...(matching === 'Key'
				? [
						{ Key: 'k1', Zip: 'SW1A' },
						{ Key: 'k1', Zip: null },
						{ Key: 'k1', Zip: '12345' },
					]
				: []),
		];
		const { json, error } = await runCounted(
			'upsert',
			{ cardId: byId(other.id), columns: mapAutomatically([matching]) },
			items,
		);
		expect(error).toBeUndefined();
		expect(actions(json).filter((action) => action === 'created')).toHaveLength(1);
		workspace.service.control.reset();
		const rows = await workspace.rows(other.id);
		expect(rows).toHaveLength(1);
		expect(String(rows[0]?.Zip)).toBe(String(items.at(-1)?.Zip));
	});
});

describe('records that have all values already', () => {
	const rows = Array.from({ length: 50 }, (_, n) => ({
		Key: `k${n}`,
		Amount: n,
		Note: 'as before',
	}));

	test('are not sent again: a second import of the same rows costs no write', async () => {
		const first = await upsert(rows);
		expect(new Set(actions(first.json))).toEqual(new Set(['created']));
		const changed = rows.map((row, n) => (n === 7 ? { ...row, Amount: -1 } : row));
		const second = await upsert(changed);
		expect(actions(second.json).filter((action) => action === 'updated')).toHaveLength(1);
		expect(new Set(actions(second.json))).toEqual(new Set(['updated', 'unchanged']));
		expect([sent('PATCH'), sent('POST')]).toEqual([1, 0]);
		expect(second.json.map(({ id }) => id)).toEqual(first.json.map(({ id }) => id));
	});

	test('are sent with If Nothing Changed: Send Again', async () => {
		await upsert(rows.slice(0, 3));
		const { json } = await upsert(rows.slice(0, 3), { unchanged: 'send' });
		expect(actions(json)).toEqual(['updated', 'updated', 'updated']);
		expect(sent('PATCH')).toBe(3);
	});

	test('another spelling of a value is no change', async () => {
		await workspace.records(card.id, [
			{ Key: 'a', Amount: 10, At: '2026-03-31T13:00:00Z', Status: 'Done' },
		]);
		const { json } = await upsert([
			{ Key: 'a', Amount: '10.00', At: '2026-03-31T15:00:00+02:00', Status: 'Done', Note: '' },
		]);
		expect(actions(json)).toEqual(['unchanged']);
		expect(sent('PATCH')).toBe(0);
	});

	test('a value that an earlier item of the run wrote counts', async () => {
		const { json } = await upsert([1, 1, 2, 1].map((Amount) => ({ Key: 'a', Amount })));
		expect(actions(json)).toEqual(['created', 'unchanged', 'updated', 'updated']);
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }]);
	});

	test('after a write without a clear answer they are sent', async () => {
		await workspace.records(card.id, [{ Key: 'a', Amount: 1 }]);
		workspace.service.control.fail({ method: 'PATCH', mode: 'answer', status: 503, times: 3 });
		const { json } = await runCounted(
			'upsert',
			{ columns: mapAutomatically(['Key']) },
			[
				{ Key: 'a', Amount: 2 },
				{ Key: 'a', Amount: 1 },
			],
			{ node: { onError: 'continueRegularOutput' } },
		);
		expect(json[0]?.error).toEqual(expect.any(String));
		expect(json[1]?.action).toBe('updated');
	});

	test('an unknown value of the option is refused before anything is sent', async () => {
		const { error } = await upsert([{ Key: 'a' }], { unchanged: 'maybe' });
		expect(error?.message).toContain("'If Nothing Changed' cannot be 'maybe'");
		expect(workspace.requests()).toEqual([]);
	});

	test('Update Many leaves them alone, too', async () => {
		await workspace.records(card.id, rows.slice(0, 4));
		const { json } = await runCounted(
			'updateMany',
			{
				columns: mapAutomatically(),
				filters: {
					conditions: [{ field: 'Amount', condition: 'lessThan', value: 3 }],
				} as IDataObject,
			},
			[{ Note: 'as before', Amount: 1 }],
		);
		expect(actions(json)).toEqual(['updated', 'unchanged', 'updated']);
		expect(sent('PATCH')).toBe(2);
	});
});
