/** Items that fail among others, and runs that n8n repeats. */
import type { IDataObject } from 'n8n-workflow';
import { n8nMajor, runAction } from '../support/n8n';
import { byId, createKey, mapEach } from '../support/parameters';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Items',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
	],
	(made) => ({ workspace, card } = made),
);

const create = (more: IDataObject = {}) => createKey(card.id, more);
const columns = mapEach({ Amount: '={{ $json.amount }}' });
const mixed = [{ amount: 1 }, { amount: 'two' }, { amount: 3 }];

test('without Continue On Fail the run stops, and says how far it came', async () => {
	const { error, json } = await runAction({
		credentials: workspace.apiKey,
		parameters: create({ columns, options: { maxParallel: 1 } }),
		items: mixed,
	});
	expect(json).toEqual([]);
	expect(error?.context?.itemIndex).toBe(1);
	expect(error?.description).toMatch(/\d of 3 items were processed/);
});

test('Continue On Fail puts the error in the item’s place', async () => {
	const { items, error } = await runAction({
		credentials: workspace.apiKey,
		parameters: create({ columns }),
		items: mixed,
		node: { onError: 'continueRegularOutput' },
	});
	expect(error).toBeUndefined();
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
	expect(items[1]?.json).toEqual({
		error: 'Field \'Amount\' cannot hold "two"',
		details: { description: expect.stringContaining('number') },
	});
});

test('the error output takes failing items, with the data of their input', async () => {
	const { items, errorItems } = await runAction({
		credentials: workspace.apiKey,
		parameters: create({ columns }),
		items: mixed,
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

test('a record field called error does not make Retry On Fail run the node again (B25)', async () => {
	const odd = await workspace.card('Error field', [{ name: 'error', type: 'text' }]);
	const { error, json } = await runAction({
		credentials: workspace.apiKey,
		parameters: create({ cardId: byId(odd.id), columns: mapEach({ error: 'not one' }) }),
		node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 },
	});
	expect(error).toBeUndefined();
	expect(json[0]?.fields).toEqual({ error: 'not one' });
	expect(await workspace.rows(odd.id)).toHaveLength(1);
});

test.each([
	['card', '/cards$', {}],
	['field', '/fields$', { cardId: true, type: 'text' }],
] as const)(
	'a %s with a property called error does not make Retry On Fail run the node again (D22)',
	async (resource, path, more) => {
		const json = { id: 'new', name: 'One', error: 'not one' };
		workspace.service.control.fail({
			method: 'POST',
			path,
			mode: 'answer',
			status: 201,
			body: 'json',
			json,
			times: 3,
		});
		const { error, json: output } = await runAction({
			credentials: workspace.apiKey,
			parameters: {
				resource,
				operation: 'create',
				name: 'One',
				...more,
				...('cardId' in more && { cardId: byId(card.id) }),
			},
			node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 },
		});
		expect(error).toBeUndefined();
		expect(output).toEqual([{ id: 'new', name: 'One', error_: 'not one' }]);
		expect(workspace.requests().filter((request) => request.startsWith('POST'))).toHaveLength(1);
	},
);

test('Retry On Fail with a failing item: Create or Update makes no duplicates (B24)', async () => {
	const keyed = await workspace.card('Retried', [
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
	]);
	const items = Array.from({ length: 10 }, (_, n) => ({ Key: `k${n}`, Amount: n }));
	workspace.service.control.fail({
		method: 'POST',
		path: `/cards/${keyed.id}/records$`,
		skip: 6,
		status: 500,
	});
	const { error } = await runAction({
		credentials: workspace.apiKey,
		parameters: {
			resource: 'record',
			operation: 'upsert',
			cardId: byId(keyed.id),
			columns: { mappingMode: 'autoMapInputData', value: null, matchingColumns: ['Key'] },
		},
		items,
		node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
	});
	expect(error).toBeUndefined();
	const rows = await workspace.rows(keyed.id);
	expect(rows.map(({ Key }) => Key).sort()).toEqual(items.map(({ Key }) => Key).sort());
});

/** n8n 1 pairs items as n8n 2 does; there, a tenth of them shows it. */
const MANY = n8nMajor === 2 ? 10_000 : 1_000;

test(`${MANY} items, every third one invalid: the others are written, pairing is right (B38)`, async () => {
	const bulk = await workspace.card('Bulk', [{ name: 'Amount', type: 'number' }]);
	const items = Array.from({ length: MANY }, (_, n) => ({ amount: n % 3 === 0 ? 'bad' : n }));
	const { items: output, error } = await runAction({
		credentials: workspace.apiKey,
		parameters: create({ cardId: byId(bulk.id), columns, options: { maxParallel: 50 } }),
		items,
		node: { onError: 'continueRegularOutput' },
	});
	expect(error).toBeUndefined();
	expect(output).toHaveLength(MANY);
	const failed = output.filter(({ json }) => json.error !== undefined);
	expect(failed).toHaveLength(Math.ceil(MANY / 3));
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	const amounts = output.map(({ json }) => (json.fields as IDataObject | undefined)?.Amount);
	expect(amounts).toEqual(items.map(({ amount }) => (amount === 'bad' ? undefined : amount)));
	expect(await workspace.rows(bulk.id)).toHaveLength(Math.floor((MANY / 3) * 2));
}, 600_000);

test('connections closed at random: nothing is written twice, and nothing is lost in silence (B39)', async () => {
	const shaky = await workspace.card('Shaky', [{ name: 'Key', type: 'text' }]);
	workspace.service.control.setDropRatio({ ratio: 0.05 });
	const items = Array.from({ length: 300 }, (_, n) => ({ key: `k${n}` }));
	const { items: output } = await runAction({
		credentials: workspace.apiKey,
		parameters: create({ cardId: byId(shaky.id) }),
		items,
		node: { onError: 'continueRegularOutput' },
	});
	workspace.service.control.clearFailures();
	const keys = (await workspace.rows(shaky.id)).map(({ Key }) => String(Key));
	expect(new Set(keys).size).toBe(keys.length);
	const doubtful = output.filter(({ json }) => json.error !== undefined);
	for (const { json } of doubtful) expect(json.error).toContain('may have been created');
	const reported = output.flatMap(
		({ json }) => (json.fields as IDataObject | undefined)?.Key ?? [],
	);
	expect(keys).toEqual(expect.arrayContaining(reported));
	expect(reported.length + doubtful.length).toBe(300);
}, 600_000);
