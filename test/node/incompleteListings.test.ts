/** Listings that come in other ways than the interface shows: all of it is read, or nothing is created or deleted after it. */
import { mapAutomatically, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';
import { runAction } from '../support/n8n';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Listed',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'Note', type: 'text' },
	],
	(made) => ({ workspace, card } = made),
);

const { run, runCounted, answer } = recordRuns(() => ({ workspace, card }));
const list = async (resource: 'card' | 'field') =>
	await runAction({
		credentials: workspace.apiKey,
		parameters: {
			resource,
			operation: 'getAll',
			returnAll: true,
			cardId: { __rl: true, mode: 'id', value: card.id },
		},
	});
const upsert = async (key: string) =>
	await run('upsert', { columns: mapEach({ Key: key }, { matchingColumns: ['Key'] }) });
const pages = () => workspace.requests().filter((request) => /GET .*\/records/.test(request));

describe('cards and fields in pages', () => {
	test('are read to the end (O12)', async () => {
		workspace.service.control.setVariants({ listPages: 'pages' });
		const listed = await list('field');
		expect(listed.error).toBeUndefined();
		expect(listed.json).toHaveLength(3);
		const { json, error } = await run('create', { columns: mapEach({ Note: 'on page 2' }) });
		expect(error).toBeUndefined();
		expect(json[0]?.fields).toEqual({ Note: 'on page 2' });
	});

	test('are read to the end by their links (O12)', async () => {
		const fields = ['Key', 'Amount', 'Note'].map((name) => ({ id: card.fieldIds[name], name }));
		const { control } = workspace.service;
		control.fail({
			...{ method: 'GET', path: '/fields$', mode: 'answer', status: 200, body: 'json' },
			json: { fields: fields.slice(0, 2) },
			headers: { link: '</x?page=1>; rel="prev", </x?page=2&size=2>; rel="next"' },
			times: 1,
		});
		answer('GET', '/fields', { fields: fields.slice(2) });
		const { json, error } = await list('field');
		expect(error).toBeUndefined();
		expect(json).toHaveLength(3);
		expect(workspace.service.control.requests().at(-1)?.query).toBe('page=2&size=2');
	});

	test.each([
		['says that there are more', { total: 9 }, 'shows 1 of 9'],
		['says so in an object next to it', { meta: { total_count: 9 } }, 'shows 1 of 9'],
		['says so in a text', { meta: { pagination: { total: '9' } } }, 'shows 1 of 9'],
		['has a next page', { pageInfo: { hasNextPage: true } }, 'it continues'],
		['is not the last page', { isLast: false }, 'it continues'],
		['is cut', { truncated: true }, 'it continues'],
		['has an offset for the next page', { offset: 'itrX' }, 'it continues'],
		['shows an ID twice', { fields: [{ id: 'f1' }, { id: 'f1' }] }, 'the ID f1 twice'],
	])('a list that %s is refused before anything is created (O12)', async (_, more, message) => {
		answer('GET', '/fields$', { fields: [{ id: 'f1', name: 'Other', type: 'text' }], ...more });
		const columns = mapAutomatically(['Fresh']);
		const options = { unknownFields: 'create' };
		const { error } = await run('create', { columns, options }, [{ Fresh: 1 }]);
		expect(error?.message).toContain(message);
		expect(workspace.requests().some((request) => request.startsWith('POST'))).toBe(false);
	});
});

test.each(['cards', 'fields', 'records'])(
	'an empty list of %s may have no body (O15)',
	async (noun) => {
		const { control } = workspace.service;
		control.fail({
			method: 'GET',
			path: `/${noun}$`,
			mode: 'answer',
			status: 204,
			body: 'empty',
			times: 1,
		});
		const { json, error } =
			noun === 'records'
				? await run('getAll', { returnAll: true })
				: await list(noun === 'cards' ? 'card' : 'field');
		expect(error).toBeUndefined();
		expect(json).toEqual([]);
	},
);

describe('pages that are refused for their size', () => {
	test.each([403, 404, 406, 409, 414, 416, 500, 501] as const)(
		'with %d: smaller ones are read, and remembered (O11)',
		async (limitAboveTen) => {
			const rows = Array.from({ length: 25 }, (_, n) => ({ Key: `k${n}` }));
			await workspace.records(card.id, rows);
			workspace.service.control.setVariants({ limitAboveTen });
			const all = await run('getAll', { returnAll: true });
			expect(all.error).toBeUndefined();
			expect(all.json).toHaveLength(25);
			expect((await upsert('k24')).json[0]?.action).toBe('unchanged');
			await runCounted('count', {});
			expect(pages()).toHaveLength(3);
		},
	);
});

describe('pages whose order shifts: the second begins with the last record of the first', () => {
	const keys = Array.from({ length: 15 }, (_, n) => `k${String(n).padStart(2, '0')}`);
	const shift = (times: number) => {
		const { control } = workspace.service;
		control.setVariants({ limitAboveTen: 403 });
		control.setPaging({ mode: 'shifting', times });
	};
	beforeEach(async () => {
		await workspace.records(
			card.id,
			keys.map((Key) => ({ Key })),
		);
	});
	const count = async () => {
		workspace.service.control.reset();
		return (await workspace.rows(card.id)).length;
	};
	const sync = async (wanted: string[]) =>
		await run(
			'sync',
			{ columns: mapAutomatically(['Key']), missingRecords: 'delete', maxDeletions: 100 },
			wanted.map((Key) => ({ Key })),
		);

	test('are read again: nothing is created twice, nothing deleted that was only skipped (O14)', async () => {
		// The first record of the second page is not shown.
		shift(1);
		expect((await upsert('k10')).json[0]?.action).toBe('unchanged');
		shift(2);
		expect((await sync(keys)).json.map(({ action }) => action)).toEqual(
			keys.map(() => 'unchanged'),
		);
		expect(await count()).toBe(15);
	});

	test('each time: records that are found are updated, none is created or deleted (O14)', async () => {
		shift(100);
		expect((await upsert('k14')).json[0]?.action).toBe('unchanged');
		for (const refused of [await upsert('k10'), await sync(keys), await sync(keys.slice(0, 9))]) {
			expect(refused.error?.message).toContain('list of records is not complete');
			expect(refused.error?.description).toContain('Nothing was created or deleted');
		}
		expect(await count()).toBe(15);
	});

	test('what is only read says that records may be missing (O14)', async () => {
		for (const operation of ['getAll', 'count']) {
			shift(1);
			const { error, run: ran } = await run(operation, { returnAll: true });
			expect(error).toBeUndefined();
			const hints = JSON.stringify(ran.data.resultData.runData['Workspace Data']?.[0]?.hints);
			expect(hints).toContain('they may have skipped others');
		}
	});

	test('Delete Many reads them again (O14)', async () => {
		shift(1);
		const filters = { conditions: [{ field: 'Key', condition: 'startsWith', value: 'k1' }] };
		expect((await run('deleteMany', { filters, maxChanges: -1 })).json).toHaveLength(5);
		expect(await count()).toBe(10);
	});
});
