/** After a failure nothing further is sent, and no second record is made (D2, D4, D7). */
import { hurry } from '../support/quickTime';
import type { IDataObject } from 'n8n-workflow';
import { byId, mapAutomatically } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Stops',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
	],
	(made) => ({ workspace, card } = made),
);

const { run } = recordRuns(() => ({ workspace, card }));
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

describe('200 items, one is refused (D2)', () => {
	const items = Array.from({ length: 200 }, (_, n) => ({ Key: `k${n}` }));

	test.each([
		[1, 400],
		[1, 404],
		[1, 409],
		[1, 422],
		[1, 500],
		[10, 422],
		[10, 500],
	])('%d at a time, status %d: nothing further is sent', async (maxParallel, status) => {
		workspace.service.control.fail({
			method: 'POST',
			path: '/records$',
			skip: 1,
			status,
			json: { title: 'Refused' },
		});
		const { error } = await run(
			'create',
			{ columns: mapAutomatically(), options: { maxParallel } },
			items,
		);
		await quiet();
		expect(error?.message).toBe('Refused');
		// The refused one is the second; at most one round may have been on its way at the same time.
		expect(writes('POST')).toBeGreaterThanOrEqual(2);
		expect(writes('POST')).toBeLessThanOrEqual(maxParallel + 1);
	});

	test.each([{}, { maxParallel: 0 }, { maxParallel: '0' }])(
		'automatic (%j): nothing but what was under way is sent',
		async (options) => {
			workspace.service.control.fail({
				method: 'POST',
				path: '/records$',
				skip: 1,
				status: 422,
				json: { title: 'Refused' },
			});
			const { error } = await run('create', { columns: mapAutomatically(), options }, items);
			await quiet();
			expect(error?.message).toBe('Refused');
			expect(writes('POST')).toBeGreaterThanOrEqual(2);
			// The limit of the key is shared by all tests of this file: 64 is the most that it can be.
			expect(writes('POST')).toBeLessThanOrEqual(64 + 1);
		},
	);

	test('deletions stop as well', async () => {
		const ids = await workspace.records(card.id, items.slice(0, 20));
		workspace.service.control.resetRequests();
		workspace.service.control.fail({
			method: 'DELETE',
			skip: 1,
			status: 409,
			json: { title: 'No' },
		});
		const { error } = await run(
			'delete',
			{ recordId: byId('={{ $json.id }}'), options: { maxParallel: 1 } },
			ids.map((id) => ({ id })),
		);
		expect(error?.message).toBe('No');
		expect(error?.description).toContain('1 of 20 items were processed');
		expect(writes('DELETE')).toBe(2);
	});

	test('with Continue On Fail all others are sent', async () => {
		workspace.service.control.fail({ method: 'POST', skip: 1, status: 422, json: { title: 'No' } });
		const { items: output } = await run(
			'create',
			{ columns: mapAutomatically() },
			items.slice(0, 30),
			{
				node: { onError: 'continueRegularOutput' },
			},
		);
		expect(writes('POST')).toBe(30);
		expect(output.filter(({ json }) => json.error !== undefined)).toHaveLength(1);
	});
});

describe('upsert of items with one key, when the first create has no clear answer (D4)', () => {
	const items = [
		{ Key: 'a', Amount: 1 },
		{ Key: 'a', Amount: 2 },
		{ Key: 'a', Amount: 3 },
	];
	// The others wait until the first request can no longer be carried out.
	beforeEach(hurry);
	const upsert = async () =>
		await run('upsert', { columns: mapAutomatically(['Key']) }, items, {
			node: { onError: 'continueRegularOutput' },
		});

	test('it was stored: the others update it', async () => {
		workspace.service.control.fail({ method: 'POST', path: '/records$', mode: 'dropAfter' });
		const { json } = await upsert();
		expect(json[0]?.error).toContain('may have been created');
		expect(json.slice(1).map(({ action }) => action)).toEqual(['updated', 'updated']);
		expect(writes('POST')).toBe(1);
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 3 }]);
	});

	test.each<[string, IDataObject]>([
		['the connection was cut', { mode: 'dropBefore' }],
		['the service failed', { status: 500, json: { title: 'Sorry' } }],
		['a web page came', { status: 200, body: 'html' }],
	])('it is not listed, %s: the others say so, and create none', async (_, fault) => {
		workspace.service.control.fail({ method: 'POST', path: '/records$', ...fault });
		const { json } = await upsert();
		expect(json.map(({ error }) => error)).toEqual([
			expect.any(String),
			'This record may exist already, but the service does not list it',
			'This record may exist already, but the service does not list it',
		]);
		expect(writes('POST')).toBe(1);
	});

	test('it was refused for certain: the next one creates it', async () => {
		workspace.service.control.fail({
			method: 'POST',
			path: '/records$',
			status: 422,
			json: { title: 'No' },
		});
		const { json } = await upsert();
		expect(json.map(({ error, action }) => error ?? action)).toEqual(['No', 'created', 'updated']);
	});
});

describe('Update All, one of 20 refused (D7)', () => {
	beforeEach(async () => {
		await workspace.records(
			card.id,
			Array.from({ length: 20 }, () => ({ Key: 'same' })),
		);
		workspace.service.control.resetRequests();
		workspace.service.control.fail({
			method: 'PATCH',
			skip: 2,
			status: 409,
			json: { title: 'No' },
		});
	});

	test.each([
		['stopAndFail', 2],
		['continueRegularOutput', 2],
	] as const)('%s, %d at a time: nothing after the end', async (mode, maxParallel) => {
		const { error, json } = await run(
			'upsert',
			{
				columns: mapAutomatically(['Key']),
				options: { multipleMatches: 'all', maxParallel },
			},
			[{ Key: 'same', Amount: 1 }],
			mode === 'stopAndFail' ? {} : { node: { onError: mode } },
		);
		const atTheEnd = writes('PATCH');
		await quiet();
		expect(error?.message ?? json[0]?.error).toBe('No');
		expect(writes('PATCH')).toBe(atTheEnd);
		expect(atTheEnd).toBeLessThanOrEqual(2 + maxParallel);
	});
});
