/** Writes happen once, in the order of the items; a failing item or run sends nothing further. */
import { hurry } from '../support/quickTime';
import type { IDataObject } from 'n8n-workflow';
import { placesOf, succeeded } from '../support/n8n';
import { otherRuns } from '../support/otherRuns';
import type { OtherService } from '../support/otherService';
import { byId, mapAutomatically, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
const GOING_ON = { onError: 'continueRegularOutput' } as const;
const { run, runCounted } = recordRuns(() => ({ workspace, card }));
const orderedRuns = otherRuns();

describe('the order of writes', () => {
	useCard(
		'Writes',
		{
			Key: 'text',
			Amount: 'number',
			At: 'datetime',
			Status: { type: 'single_select', options: ['Open', 'Done'] },
			Note: 'text',
		},
		(made) => ({ workspace, card } = made),
	);
	const upsert = async (items: IDataObject[], options: IDataObject = {}) =>
		await runCounted('upsert', { columns: mapAutomatically(['Key']), options }, items);
	const sent = (method: string) =>
		workspace.requests().filter((request) => request.startsWith(`${method} `)).length;
	const actions = (json: IDataObject[]) => json.map(({ action }) => action);

	describe('the order of writes to one record', () => {
		test.each<[string, (id: string) => IDataObject]>([
			['update', (id) => ({ recordId: byId(id), columns: mapAutomatically() })],
			['upsert', () => ({ columns: mapAutomatically(['Key']) })],
		])('%s: the later item wins, although the first is retried', async (operation, parameters) => {
			const [id = ''] = await workspace.records(card.id, [{ Key: 'a', Amount: 0 }]);
			workspace.fail('PATCH', '', { status: 503 });
			const items = [1, 2, 3].map((Amount) => ({ Key: 'a', Amount }));
			succeeded(await run(operation, parameters(id), items));
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 3 }]);
		});

		test('Delete of one record by several items: each waits for the one before', async () => {
			const [id = ''] = await workspace.records(card.id, [{ Key: 'a' }]);
			workspace.fail('DELETE', '', { status: 503 });
			const twice = { recordId: byId(id), options: { ifNotFound: 'skip' } };
			const { json } = await run('delete', twice, [{}, {}]);
			expect(json).toEqual([{ deleted: true, id }]);
		});
	});

	test('three executions at once create or update one new key: one record', async () => {
		workspace.service.control.setLatency({ ms: 50 });
		const columns = mapAutomatically(['Key']);
		const results = await Promise.all(
			[1, 2, 3].map(async (Amount) => await run('upsert', { columns }, [{ Key: 'new', Amount }])),
		);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		const done = results.flatMap(({ json }) => actions(json));
		expect(done.sort()).toEqual(['created', 'updated', 'updated']);
		expect(await workspace.rows(card.id)).toHaveLength(1);
	});

	describe('records that have all values already', () => {
		const rows = Array.from({ length: 50 }, (_, n) => ({ Key: `k${n}`, Amount: n, Note: 'same' }));

		test("aren't sent again: a second import of the same rows costs no write", async () => {
			const first = await upsert(rows);
			expect(new Set(actions(first.json))).toEqual(new Set(['created']));
			const changed = rows.map((row, n) => (n === 7 ? { ...row, Amount: -1 } : row));
			const second = await upsert(changed);
			expect(actions(second.json).filter((action) => action === 'updated')).toHaveLength(1);
			expect(new Set(actions(second.json))).toEqual(new Set(['updated', 'unchanged']));
			// The fields and the records are read once.
			expect([sent('GET'), sent('PATCH'), sent('POST')]).toEqual([2, 1, 0]);
			expect(second.json.map(({ id }) => id)).toEqual(first.json.map(({ id }) => id));
		});

		test('a value that an earlier item of the run wrote counts', async () => {
			const { json } = await upsert([1, 1, 2, 1].map((Amount) => ({ Key: 'a', Amount })));
			expect(actions(json)).toEqual(['created', 'unchanged', 'updated', 'updated']);
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }]);
		});

		test('after a write without a clear answer they are sent', async () => {
			await workspace.records(card.id, [{ Key: 'a', Amount: 1 }]);
			workspace.fail('PATCH', '', { status: 503, times: 3 });
			const items = [2, 1].map((Amount) => ({ Key: 'a', Amount }));
			const { json } = await runCounted('upsert', { columns: mapAutomatically(['Key']) }, items, {
				node: { onError: 'continueRegularOutput' },
			});
			expect(json[0]?.error).toEqual(expect.any(String));
			expect(json[1]?.action).toBe('updated');
		});
	});
});

describe('what a response shows, and what it leaves out', () => {
	let other: OtherService;
	const { start, runOther, bodies } = otherRuns();
	const FIELDS = [
		{ id: 'k', name: 'Key', type: 'text' },
		{ id: 'v', name: 'V', type: 'text' },
		{ id: 'w', name: 'W', type: 'text' },
	];
	const items = ['k1', 'k2'].map((Key) => ({ Key, V: 'new' }));
	const upsert = async (given: IDataObject[], node = {}) =>
		await runOther('upsert', { columns: mapAutomatically(['Key']) }, given, { node });
	beforeEach(async () => {
		other = await start(FIELDS, [
			{ k: 'k1', v: 'old', w: 'w' },
			{ k: 'k2', v: 'old', w: 'w' },
		]);
	});

	test('a value that was sent and is not there: the item is an error that names the field', async () => {
		other.drops = ['v'];
		for (const { data } of other.records) delete data.v;
		const { json } = await upsert(items, GOING_ON);
		const said = "The service didn't keep the value of 'V'";
		expect(json.map(({ error }) => error)).toEqual([said, said]);
		expect(JSON.stringify(json[0])).toContain("Record 'r0' was written");
		const { error } = await runOther('update', {
			recordId: byId('r0'),
			columns: mapEach({ V: 'x' }),
		});
		expect(error?.message).toBe(said);
	});

	test('a response that shows a part only: the listing decides, once', async () => {
		other.shows = [];
		let readings = 0;
		other.before = (method, path) => {
			if (method === 'GET' && path.endsWith('/records')) readings += 1;
		};
		const { json } = succeeded(await upsert(items));
		expect(json).toMatchObject([{ V: 'new' }, { V: 'new' }]);
		expect(bodies()).toEqual([{ data: { v: 'new' } }, { data: { v: 'new' } }]);
		// The first for the keys, one for the values that weren't sent, one for those that were.
		expect(readings).toBe(3);
	});

	test('empty values and responses without values show nothing', async () => {
		other.updateStatus = 204;
		const cleared = items.map((item) => ({ ...item, V: null, W: '' }));
		succeeded(await upsert(cleared as unknown as IDataObject[]));
	});
});

describe('a create in Create or Update or Sync that a gateway answered', () => {
	let other: OtherService;
	const { start, runOther } = otherRuns();
	const upsertOrSync = async (operation: string) =>
		await runOther(operation, { columns: mapAutomatically(['Key']) }, [{ Key: 'k1' }]);
	let readings: number;
	beforeEach(async () => {
		other = await start([{ id: 'k', name: 'Key', type: 'text' }]);
		readings = 0;
		other.before = (method, path) => {
			if (method === 'GET' && path.endsWith('/records')) readings += 1;
		};
	});

	describe.each(['upsert', 'sync'])('%s', (operation) => {
		test.each([404, 502, 503, 504])('%d, and it was stored: found, and done', async (status) => {
			other.createStatus = status;
			const { json } = succeeded(await upsertOrSync(operation));
			expect(json).toMatchObject([{ Key: 'k1', id: 'r0', action: 'created' }]);
			expect([readings, other.changes.length]).toEqual([2, 1]);
		});

		test("502, and it isn't there: the run stops and says so", async () => {
			other.createStatus = 502;
			other.stores = false;
			const { error } = await upsertOrSync(operation);
			expect(error?.description).toMatch(/may have been|may exist/);
			expect([readings, other.changes.length]).toEqual([2, 1]);
		});
	});
});

test.each([
	['create', []],
	['upsert', ['Key']],
])('with Max Parallel Requests 1, %s stores in the order of the items', async (operation, keys) => {
	const { start, runOther } = orderedRuns;
	const other = await start([
		{ id: 'k', name: 'Key', type: 'text' },
		{ id: 't', name: 'At', type: 'datetime' },
	]);
	// Only the first needs the records, to know how they write times.
	const items = [{ Key: 'k0', At: '2026-03-31T10:00:00' }, { Key: 'k1' }, { Key: 'k2' }];
	const parameters = { columns: mapAutomatically(keys), options: { maxParallel: 1 } };
	succeeded(await runOther(operation, parameters, items));
	expect(other.records.map(({ data }) => data.k)).toEqual(['k0', 'k1', 'k2']);
});

describe('failing items', () => {
	useCard('Items', { Key: 'text', Amount: 'number' }, (made) => ({ workspace, card } = made));

	const columns = mapEach({ Amount: '={{ $json.amount }}' });
	const mixed = [{ amount: 1 }, { amount: 'two' }, { amount: 3 }];

	test('without Continue On Fail the run stops, and says how far it came', async () => {
		const { error, json } = await run('create', { columns, options: { maxParallel: 1 } }, mixed);
		expect(json).toEqual([]);
		expect(error?.context?.itemIndex).toBe(1);
		expect(error?.description).toMatch(/\. \d of 3 items (?:was|were) processed before/);
	});

	test('Continue On Fail puts the error in the item’s place', async () => {
		const { items } = succeeded(await run('create', { columns }, mixed, { node: GOING_ON }));
		expect(placesOf(items)).toEqual([0, 1, 2]);
		expect(items[1]?.json).toEqual({
			error: "Field 'Amount' can't hold \"two\"",
			details: { description: expect.stringContaining('number') },
		});
	});

	test('the error output takes failing items, with the data of their input', async () => {
		const { items, errorItems } = await run('create', { columns }, mixed, {
			node: { onError: 'continueErrorOutput' },
		});
		expect(items).toHaveLength(2);
		expect(errorItems).toHaveLength(1);
		expect(errorItems[0]?.json).toEqual(
			expect.objectContaining({ amount: 'two', error: expect.stringContaining("'Amount'") }),
		);
		// n8n 1 recognises failed items by these two keys alone.
		expect(errorItems[0]?.json.message).toEqual(expect.stringContaining('number'));
	});

	test("a record field called error doesn't make Retry On Fail run the node again", async () => {
		const odd = await workspace.card('Error field', { error: 'text' });
		const parameters = { cardId: byId(odd.id), columns: mapEach({ error: 'not one' }) };
		const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const { json } = succeeded(await run('create', parameters, [{}], { node }));
		expect(json[0]).toMatchObject({ 'fields.error': 'not one' });
		expect(await workspace.rows(odd.id)).toHaveLength(1);
	});

	test.each<[number, string | undefined]>([
		[423, undefined],
		// It may still be created.
		[500, "This record may exist already, but the service doesn't list it"],
	])('Retry On Fail with an item that gets %d: no duplicates', async (status, said) => {
		const keyed = await workspace.card('Retried', { Key: 'text', Amount: 'number' });
		const items = Array.from({ length: 10 }, (_, n) => ({ Key: `k${n}`, Amount: n }));
		workspace.fail('POST', `/cards/${keyed.id}/records$`, { skip: 6, status });
		const parameters = { cardId: byId(keyed.id), columns: mapAutomatically(['Key']) };
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const { error } = await run('upsert', parameters, items, { node });
		expect(error?.message).toBe(said);
		const keys = (await workspace.rows(keyed.id)).map(({ Key }) => Key);
		expect(keys).toHaveLength(said === undefined ? 10 : 9);
		expect(new Set(keys).size).toBe(keys.length);
	});
});

describe('after a failure', () => {
	useCard('Stops', { Key: 'text', Amount: 'number' }, (made) => ({ workspace, card } = made));
	const writes = (method: string) =>
		workspace.requests().filter((request) => request.startsWith(`${method} `)).length;
	/** Resolves when nothing has been asked for some turns of the event loop: all that was under way has ended. */
	const quiet = async () => {
		for (let turns = 0, seen = -1; turns < 50; turns += 1) {
			const { length } = workspace.requests();
			if (length !== seen) turns = 0;
			seen = length;
			await new Promise(setImmediate);
		}
	};

	const items = Array.from({ length: 200 }, (_, n) => ({ Key: `k${n}` }));

	test.each<[unknown, number, number]>([
		[1, 404, 1],
		[1, 500, 1],
		[10, 422, 10],
		// Automatic: the limit of the key is shared by all tests of this file, and 64 at most.
		[undefined, 422, 64],
		['0', 422, 64],
	])(
		'200 items, one is refused, %j at a time, status %d: nothing further is sent',
		async (maxParallel, status, most) => {
			workspace.fail('POST', '/records$', { skip: 1, status, json: { title: 'Refused' } });
			const options = { ...(maxParallel !== undefined && { maxParallel }) } as IDataObject;
			const { error } = await run('create', { columns: mapAutomatically(), options }, items);
			await quiet();
			expect(error?.message).toBe('Refused');
			// The refused one is the second; at most one round may have been on its way at the same time.
			expect(writes('POST')).toBeGreaterThanOrEqual(2);
			expect(writes('POST')).toBeLessThanOrEqual(most + 1);
		},
	);

	describe('upsert of items with one key, when the first create has no clear answer', () => {
		const items = [1, 2, 3].map((Amount) => ({ Key: 'a', Amount }));
		// The others wait until the first request can no longer be carried out.
		beforeEach(hurry);
		const upsert = async () =>
			await run('upsert', { columns: mapAutomatically(['Key']) }, items, { node: GOING_ON });

		test('it was stored: it is found, and the others update it', async () => {
			workspace.fail('POST', '/records$', { mode: 'dropAfter' });
			const { json } = await upsert();
			expect(json.map(({ action }) => action)).toEqual(['created', 'updated', 'updated']);
			expect(writes('POST')).toBe(1);
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 3 }]);
		});

		test.each<[string, IDataObject]>([
			['the connection was cut', { mode: 'dropBefore' }],
			['the service failed', { status: 500, json: { title: 'Sorry' } }],
			['a web page came', { status: 200, body: 'html' }],
		])("it isn't listed, %s: the others say so, and create none", async (_, fault) => {
			workspace.fail('POST', '/records$', { ...fault });
			const { json } = await upsert();
			expect(json.map(({ error }) => error)).toEqual([
				expect.any(String),
				"This record may exist already, but the service doesn't list it",
				"This record may exist already, but the service doesn't list it",
			]);
			expect(writes('POST')).toBe(1);
		});

		test('it was refused for certain: the next one creates it', async () => {
			workspace.fail('POST', '/records$', { status: 422, json: { title: 'No' } });
			const { json } = await upsert();
			expect(json.map(({ error, action }) => error ?? action)).toEqual([
				'No',
				'created',
				'updated',
			]);
		});
	});
});
