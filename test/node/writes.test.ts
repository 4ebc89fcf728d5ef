/** Writes happen once, in the order of the items; a failing item or run sends nothing further. */
import { hurry } from '../support/quickTime';
import type { IDataObject } from 'n8n-workflow';
import { placesOf, succeeded } from '../support/n8n';
import { byId, mapAutomatically, mapEach } from '../support/parameters';
import { bodies, other, runOther, startOther } from '../support/otherService';
import { actionsOf, GOING_ON, run, runCounted } from '../support/runs';
import { card, useCard, workspace } from '../support/workspace';

const sent = (method: string) => workspace.requests(new RegExp(`^${method} `)).length;
const byKey = { columns: mapAutomatically(['Key']) };
const amounts = (...all: number[]) => all.map((Amount) => ({ Key: 'a', Amount }));

describe('writes to a card', () => {
	useCard('Writes', { Key: 'text', Amount: 'number' });

	describe('the order of writes to one record', () => {
		beforeEach(hurry);

		test.each<[string, (id: string) => IDataObject]>([
			['update', (id) => ({ recordId: byId(id), columns: mapAutomatically() })],
			['upsert', () => byKey],
		])('%s: the later item wins, although the first is retried', async (operation, parameters) => {
			const [id = ''] = await workspace.records(card.id, amounts(0));
			workspace.fail('PATCH', '', { status: 503 });
			succeeded(await run(operation, parameters(id), amounts(1, 2, 3)));
			expect(await workspace.rows(card.id)).toEqual(amounts(3));
		});

		test('Delete of one record by several items: each waits for the one before', async () => {
			const [id = ''] = await workspace.records(card.id, amounts(0));
			workspace.fail('DELETE', '', { status: 503 });
			const twice = { recordId: byId(id), options: { ifNotFound: 'skip' } };
			const { json } = await run('delete', twice, [{}, {}]);
			expect(json).toEqual([{ deleted: true, id }]);
		});
	});

	describe('records that have all values already', () => {
		const rows = Array.from({ length: 50 }, (_, n) => ({ Key: `k${n}`, Amount: n }));

		test("aren't sent again: a second import of the same rows costs no write", async () => {
			const first = await runCounted('upsert', byKey, rows);
			expect(new Set(actionsOf(first))).toEqual(new Set(['created']));
			const changed = rows.map((row, n) => (n === 7 ? { ...row, Amount: -1 } : row));
			const second = await runCounted('upsert', byKey, changed);
			expect(actionsOf(second)).toEqual(rows.map((_, n) => (n === 7 ? 'updated' : 'unchanged')));
			// The fields and the records are read once.
			expect([sent('GET'), sent('PATCH'), sent('POST')]).toEqual([2, 1, 0]);
			expect(second.json.map(({ id }) => id)).toEqual(first.json.map(({ id }) => id));
		});

		test('a value that an earlier item of the run wrote counts', async () => {
			const result = await run('upsert', byKey, amounts(1, 1, 2, 1));
			expect(actionsOf(result)).toEqual(['created', 'unchanged', 'updated', 'updated']);
			expect(await workspace.rows(card.id)).toEqual(amounts(1));
		});

		test.each([
			{ status: 422, times: 1 },
			{ status: 503, times: 3 },
		])('after a write that failed (%j), no further one of the record is sent', async (fault) => {
			hurry();
			await workspace.records(card.id, amounts(1));
			workspace.fail('PATCH', '', fault);
			const { json } = await runCounted('upsert', byKey, amounts(2, 1, 3), GOING_ON);
			const error = "The same record couldn't be written for an earlier item";
			expect(json).toMatchObject([{ error: expect.any(String) }, { error }, { error }]);
			expect(sent('PATCH')).toBe(fault.times);
		});
	});

	test('Update by what is no ID: the way out', async () => {
		const parameters = { recordId: byId('ann@example.com'), columns: mapEach({ Amount: 1 }) };
		const { error } = await run('update', parameters);
		expect(error?.message).toBe('Record not found');
		expect(error?.description).toMatch(/'Update Many', or 'Create or Update' with 'Update Only'/);
	});

	const columns = mapEach({ Amount: '={{ $json.amount }}' });
	const mixed = [{ amount: 1 }, { amount: 'two' }, { amount: 3 }];

	test('without Continue On Fail nothing is sent while an item is refused', async () => {
		const { error, json } = await run('create', { columns, options: { maxParallel: 1 } }, mixed);
		expect(json).toEqual([]);
		expect(error?.context?.itemIndex).toBe(1);
		expect(error?.description).toMatch(/\. 0 of 3 items were processed before/);
		expect(sent('POST')).toBe(0);
	});

	test('Continue On Fail puts the error in the item’s place; the error output takes it, with the data of its input', async () => {
		const { items } = succeeded(await run('create', { columns }, mixed, GOING_ON));
		expect(placesOf(items)).toEqual([0, 1, 2]);
		const description = expect.stringContaining('number') as string;
		const error = "Field 'Amount' can't hold \"two\"";
		expect(items[1]?.json).toEqual({ error, details: { description } });
		const node = { onError: 'continueErrorOutput' } as const;
		const split = await run('create', { columns }, mixed, { node });
		expect(split.items).toHaveLength(2);
		// n8n 1 recognizes failed items by the keys error and message alone.
		const failed = { amount: 'two', error, message: description };
		expect(split.errorItems).toMatchObject([{ json: failed }]);
	});

	test("a record field called error doesn't make Retry On Fail run the node again", async () => {
		const odd = await workspace.card('Error field', { error: 'text' });
		const parameters = { cardId: byId(odd.id), columns: mapEach({ error: 'not one' }) };
		const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const { json } = succeeded(await run('create', parameters, [{}], { node }));
		expect(json[0]).toMatchObject({ 'fields.error': 'not one' });
		expect(await workspace.rows(odd.id)).toHaveLength(1);
	});

	test.each<[string, IDataObject]>([
		['423', { status: 423 }],
		['500', { status: 500 }],
		['a lost response', { mode: 'dropAfter' }],
	])('Retry On Fail with an item that gets %s: no duplicates', async (_, fault) => {
		const items = Array.from({ length: 10 }, (_one, n) => ({ Key: `k${n}`, Amount: n }));
		workspace.fail('POST', '/records$', { skip: 6, ...fault });
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		succeeded(await run('upsert', byKey, items, { node }));
		const keys = (await workspace.rows(card.id)).map(({ Key }) => Key);
		expect(keys).toHaveLength(10);
		expect(new Set(keys).size).toBe(10);
	});

	/** Resolves when nothing has been asked for some turns of the event loop: all that was under way has ended. */
	const quiet = async () => {
		for (let turns = 0, seen = -1; turns < 50; turns += 1) {
			const { length } = workspace.requests();
			if (length !== seen) turns = 0;
			seen = length;
			await new Promise(setImmediate);
		}
	};

	test.each<[unknown, number, number]>([
		[1, 404, 1],
		[1, 500, 1],
		[10, 422, 10],
		// Automatic: the limit of the key is shared by all tests of this file, and 64 at most.
		[undefined, 422, 64],
		['0', 422, 64],
	])('%j at a time, one gets %d: nothing further is sent', async (maxParallel, status, most) => {
		workspace.fail('POST', '/records$', { skip: 1, status, json: { title: 'Refused' } });
		const options = { ...(maxParallel !== undefined && { maxParallel }) } as IDataObject;
		const items = Array.from({ length: 200 }, (_, n) => ({ Key: `k${n}` }));
		const { error } = await run('create', { columns: mapAutomatically(), options }, items);
		await quiet();
		expect(error?.message).toBe('Refused');
		// The refused one is the second; at most one round may have been on its way at the same time.
		expect(sent('POST')).toBeGreaterThanOrEqual(2);
		expect(sent('POST')).toBeLessThanOrEqual(most + 1);
	});

	test.each<[string, IDataObject, boolean]>([
		['lost, and stored', { mode: 'dropAfter' }, true],
		['cut', { mode: 'dropBefore' }, true],
		['500', { status: 500, json: { title: 'Sorry' } }, true],
		['a web page', { status: 200, body: 'html' }, true],
		['422', { status: 422, json: { title: 'No' } }, false],
	])('first create of a key %s: later items fail with it', async (_, fault, isUnclear) => {
		hurry();
		workspace.fail('POST', '/records$', { ...fault });
		const { json } = await run('upsert', byKey, amounts(1, 2, 3), GOING_ON);
		expect(json.map(({ error }) => typeof error)).toEqual(['string', 'string', 'string']);
		const told = /may (?:have been|exist|be there)/.test(JSON.stringify(json[0]));
		expect(told).toBe(isUnclear);
		expect(sent('POST')).toBe(1);
		// Run again, there is one record.
		succeeded(await run('upsert', byKey, amounts(1, 2, 3)));
		expect(await workspace.rows(card.id)).toEqual(amounts(3));
	});
});

describe('what a response shows, and what it leaves out', () => {
	const FIELDS = [
		{ id: 'k', name: 'Key', type: 'text' },
		{ id: 'v', name: 'V', type: 'text' },
		{ id: 'w', name: 'W', type: 'text' },
	];
	test('empty values and responses without values show nothing', async () => {
		await startOther(
			FIELDS,
			['k1', 'k2'].map((k) => ({ k, v: 'old', w: 'w' })),
		);
		other.updateStatus = 204;
		const cleared = ['k1', 'k2'].map((Key) => ({ Key, V: null, W: '' }));
		const { json } = succeeded(
			await runOther('upsert', byKey, cleared as unknown as IDataObject[]),
		);
		expect(json).toMatchObject(cleared);
		expect(bodies()).toEqual([{ data: { v: null, w: '' } }, { data: { v: null, w: '' } }]);
	});

	test.each([
		['create', []],
		['upsert', ['Key']],
	])('one at a time, %s stores in the order of items', async (operation, keys) => {
		await startOther([...FIELDS, { id: 't', name: 'At', type: 'datetime' }]);
		const given = [{ Key: 'k0', At: '2026-03-31T10:00:00' }, { Key: 'k1' }, { Key: 'k2' }];
		const parameters = { columns: mapAutomatically(keys), options: { maxParallel: 1 } };
		succeeded(await runOther(operation, parameters, given));
		expect(other.records.map(({ data }) => data.k)).toEqual(['k0', 'k1', 'k2']);
	});
});
