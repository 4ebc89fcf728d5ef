/** Executions of one process that write to the same cards at once: no doubles, nothing lost, nobody waits for good. */
import type { IDataObject } from 'n8n-workflow';
import { succeeded } from '../support/n8n';
import { byId, byName, mapAutomatically, mapEach } from '../support/parameters';
import { actionsOf, run, startRun } from '../support/runs';
import { startStopwatch } from '../support/stopwatch';
import { card, useCard, workspace } from '../support/workspace';

const FIELDS = {
	Key: 'text',
	Amount: 'number',
	Status: { type: 'single_select', options: ['Open'] },
};
useCard('Shared', FIELDS);
const byKey = { columns: mapAutomatically(['Key']) };
const items = (count: number, more: IDataObject = {}) =>
	Array.from({ length: count }, (_, n) => ({ Key: `k${n}`, ...more }));
const sent = (request: RegExp) => workspace.requests(request).length;

test('8 executions with 200 upserts of the same keys make 200 records', async () => {
	const runs = Array.from({ length: 8 }, async (_, Amount) =>
		succeeded(await run('upsert', byKey, items(200, { Amount }))),
	);
	const created = (await Promise.all(runs)).map(
		(result) => actionsOf(result).filter((action) => action === 'created').length,
	);
	expect(created.sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 0, 0, 200]);
	expect(await workspace.rows(card.id)).toHaveLength(200);
});

test('a Sync and an upsert of the same new keys: one record for each', async () => {
	const both = [run('sync', byKey, items(20)), run('upsert', byKey, items(30))];
	for (const result of await Promise.all(both)) succeeded(result);
	expect(await workspace.rows(card.id)).toHaveLength(30);
});

test('two executions over cards A, B and B, A end', async () => {
	const other = await workspace.card('Other', FIELDS);
	const columns = mapEach({ Key: '={{ $json.Key }}' }, { matchingColumns: ['Key'] });
	const parameters = { cardId: byId('={{ $json.card }}'), columns };
	const cards = [card.id, other.id];
	const over = (ids: string[]) =>
		ids.flatMap((id) => items(20).map((item) => ({ ...item, card: id })));
	const runs = [cards, cards.toReversed(), cards, cards.toReversed()].map(
		async (ids) => await run('upsert', parameters, over(ids)),
	);
	for (const result of await Promise.all(runs)) succeeded(result);
	for (const id of cards) expect(await workspace.rows(id)).toHaveLength(20);
});

test('executions that add choices to one field, or the same field, lose none and double none', async () => {
	workspace.service.control.setLatency({ ms: 20 });
	const options = { missingChoices: 'add', unknownFields: 'create' };
	const runs = ['A', 'B', 'C'].map(
		async (Status) =>
			await run('create', { columns: mapAutomatically(), options }, [
				{ Key: Status, Status, New: 1 },
			]),
	);
	for (const result of await Promise.all(runs)) succeeded(result);
	const fields = await workspace.fields(card.id);
	expect(fields.map(({ name }) => name)).toEqual(['Key', 'Amount', 'Status', 'New']);
	expect([...(fields[2]?.options ?? [])].sort()).toEqual(['A', 'B', 'C', 'Open']);
	expect(await workspace.rows(card.id)).toHaveLength(3);
});

describe('while one execution creates', () => {
	/** Starts a run whose creation hangs for 30 s, and one that waits for it: it has found its card by name. */
	async function startTwo() {
		// A name of its own, although the tests' cards have one name.
		await workspace.send('PATCH', `/cards/${card.id}`, { name: card.id });
		workspace.fail('POST', '/records$', { mode: 'hang' });
		const first = startRun('upsert', byKey, items(1));
		while (sent(/^POST .*\/records$/) === 0) await new Promise(setImmediate);
		const second = startRun('upsert', { ...byKey, cardId: byName(card.id) }, items(2));
		while (sent(/^GET .*\/cards$/) === 0) await new Promise(setImmediate);
		return { first, second, elapsed: startStopwatch() };
	}

	test('one that waits ends as soon as it is canceled', async () => {
		const { first, second, elapsed } = await startTwo();
		second.cancel();
		expect((await second.running).error?.message).toBe('The execution was canceled');
		expect(elapsed()).toBeLessThan(5_000);
		expect(sent(/^GET .*\/records$/)).toBe(1);
		first.cancel();
		await first.running;
	});

	test('a canceled one lets go at once', async () => {
		const { first, second, elapsed } = await startTwo();
		first.cancel();
		await first.running;
		succeeded(await second.running);
		expect(elapsed()).toBeLessThan(5_000);
		expect(await workspace.rows(card.id)).toHaveLength(2);
	});

	test('a failed one lets go at once', async () => {
		workspace.fail('POST', '/records$', { status: 422 });
		const both = await Promise.all([
			run('upsert', byKey, items(1)),
			run('upsert', byKey, items(2)),
		]);
		expect(both.map(({ error }) => error?.httpCode)).toEqual(['422', undefined]);
		expect(await workspace.rows(card.id)).toHaveLength(2);
	});
});

test('upserts of single items wait for the creations of a long run, not for its changes', async () => {
	succeeded(await run('upsert', byKey, items(40, { Amount: 0 })));
	workspace.service.control.setLatency({ ms: 60 });
	let isLongOver = false;
	const options = { maxParallel: 2 };
	const long = run('upsert', { ...byKey, options }, items(42, { Amount: 1 })).then((result) => {
		isLongOver = true;
		return result;
	});
	while (sent(/^POST .*\/records$/) < 42) await new Promise(setImmediate);
	succeeded(await run('upsert', byKey, [{ Key: 'mine' }]));
	expect(isLongOver).toBe(false);
	succeeded(await long);
});
