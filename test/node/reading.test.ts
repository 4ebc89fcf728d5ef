/** Reading records: what is asked of the service, what comes out, and Get Many with Sort, Search and Since Last Run. */
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';
import { type ActionRun, placesOf, succeeded } from '../support/n8n';
import { byId, fromList, mapAutomatically, mapEach, where } from '../support/parameters';
import { GOING_ON, runCounted } from '../support/runs';
import { answer, card, useCard, workspace } from '../support/workspace';

describe('records', () => {
	const Tags = { type: 'multi_select', options: ['red', 'blue'] };
	useCard('Records', { Key: 'text', Amount: 'number', Tags });

	const requested = (what: string) =>
		workspace.requests(new RegExp(`^GET /cards/${card.id}/${what}$`));

	describe('Get Many', () => {
		beforeEach(() => {
			workspace.service.control.fillCard({ cardId: card.id, count: 2_500 });
		});

		test('walks all pages, in the largest that the service gives, once for several items', async () => {
			const { json } = await runCounted('getAll', { returnAll: true }, [{}, {}, {}]);
			expect(json).toHaveLength(7_500);
			expect(new Set(json.map(({ id }) => id)).size).toBe(2_500);
			expect(requested('records')).toHaveLength(3);
			expect(requested('fields')).toHaveLength(1);
			expect(workspace.requests()).toHaveLength(4);
		});

		test.each([
			[20, ['20']],
			[1_020, ['1000', '1000']],
		])('a limit of %s stops early, and asks for no more than it needs', async (limit, pages) => {
			const { json } = await runCounted('getAll', { returnAll: false, limit });
			expect(json).toHaveLength(limit);
			const sizes = workspace.service.control
				.requests()
				.flatMap(({ query }) => new URLSearchParams(query).get('limit') ?? []);
			expect(sizes).toEqual(pages);
		});
	});

	// Each condition: test/rules/values/condition.
	test('conditions: all or any of them; a limit counts the records that meet them', async () => {
		await workspace.records(card.id, [
			{ Key: 'Alpha', Amount: 1, Tags: ['red', 'blue'] },
			{ Key: 'beta', Amount: 10 },
			{ Key: 'Gamma' },
		]);
		const keys = async (conditions: Array<[string, string, unknown]>, more: IDataObject = {}) => {
			const given = conditions.map(([field, condition, value]) => ({ field, condition, value }));
			const filters = { conditions: given } as IDataObject;
			const { json } = succeeded(await runCounted('getAll', { returnAll: true, filters, ...more }));
			return json.map(({ Key }) => Key);
		};
		for (const blue of ['blue', fromList('blue', 'blue')])
			expect(await keys([['Tags', 'isAnyOf', blue]])).toEqual(['Alpha']);
		expect(await keys([['created_at', 'lessThan', '2020-01-01T00:00:00Z']])).toEqual([]);
		const both: Parameters<typeof keys>[0] = [
			['Key', 'contains', 'A'],
			['Amount', 'equals', '10'],
		];
		expect(await keys(both, { returnAll: false, limit: 1 })).toEqual(['beta']);
		expect(await keys(both, { matchType: 'anyCondition' })).toEqual(['Alpha', 'beta', 'Gamma']);
	});

	describe('records by id', () => {
		test('Get reads the listing once for all items, and stops where it has them', async () => {
			workspace.service.control.fillCard({ cardId: card.id, count: 3_200 });
			const { json: all } = await runCounted('getAll', { returnAll: false, limit: 1_500 });
			const wanted = [all[1_400], all[3], all[77]].map((record) => ({ id: String(record?.id) }));
			const { json } = await runCounted('get', { recordId: byId('={{ $json.id }}') }, wanted);
			expect(json.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
			// The third page is requested while the second is looked through.
			expect(requested('records')).toHaveLength(3);
		});

		const changes = { columns: mapEach({ Key: 'x' }) };

		test.each(['get', 'update', 'delete'])('%s: If Not Found, for each item', async (operation) => {
			const [id = ''] = await workspace.records(card.id, [{ Key: 'there' }]);
			const items = [{ id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }, { id }];
			const run = async (ifNotFound: string, more: IDataObject = {}, given = items.slice(0, 1)) => {
				const recordId = byId('={{ $json.id }}');
				const parameters = { recordId, ...changes, options: { ifNotFound }, ...more };
				return await runCounted(operation, parameters, given);
			};
			expect((await run('error')).error?.message).toMatch(/Record not found|has no record/);
			expect((await run('empty')).json).toEqual([{}]);
			// A card that doesn't exist isn't taken for a missing record.
			const { error } = await run('skip', { cardId: byId('crd_unknown') });
			expect(error).toMatchObject({ httpCode: '404', context: { kind: 'card-not-found' } });
			expect(placesOf((await run('skip', {}, items)).items)).toEqual([1]);
		});

		test.each([
			['get', 'Record', {}],
			['update', 'Record', changes],
			['delete', 'Field', { resource: 'field', fieldId: byId('..') }],
			['update', 'Field', { resource: 'field', fieldId: byId('..'), updateFields: { name: 'x' } }],
		])("%s: nothing is read for a %s that can't be", async (operation, parameter, parameters) => {
			const { error } = await runCounted(operation, { recordId: byId('..'), ...parameters });
			expect(error?.message).toBe(`'${parameter}' can't be '..'`);
			expect(workspace.requests()).toEqual([]);
		});
	});

	test.each([
		['error', [1, 1]],
		['first', [9, 1]],
		['all', [9, 9]],
	])('Create or Update, several matches: %s', async (multipleMatches, amounts) => {
		const row = { Key: 'a', Amount: 1 };
		await workspace.records(card.id, [row, row]);
		const parameters = { columns: mapAutomatically(['Key']), options: { multipleMatches } };
		const { error } = await runCounted('upsert', parameters, [{ Key: 'a', Amount: 9 }]);
		if (multipleMatches === 'error') expect(error?.message).toMatch(/^2 records of card .* match/);
		expect((await workspace.rows(card.id)).map(({ Amount }) => Amount)).toEqual(amounts);
	});
});

describe('Get Many', () => {
	const Level = { type: 'single_select', options: ['Low', 'Normal', 'High'] };
	useCard('Asked', { Title: 'text', Amount: 'number', Level });

	const getAll = async (
		parameters: IDataObject,
		items: IDataObject[] = [{}],
		more: Partial<ActionRun> = {},
	) => await runCounted('getAll', { returnAll: true, ...parameters }, items, more);
	type Result = Awaited<ReturnType<typeof getAll>>;
	const titles = ({ json }: Result) => json.map(({ Title }) => Title);
	const by = (...keys: Array<[string, 'asc' | 'desc']>): IDataObject => ({
		sort: { by: keys.map(([field, direction]) => ({ field, direction })) } as IDataObject,
	});

	// Each kind of field: test/rules/records/sort.
	test('Sort: by several fields or the record’s own time; a limit takes the first of the order', async () => {
		for (const row of [
			{ Title: 'b', Amount: 10, Level: 'High' },
			{ Title: 'a', Amount: 9, Level: 'Low' },
			{ Title: 'C', Amount: 9, Level: 'Normal' },
			{ Title: 'd', Level: 'Low' },
		]) {
			await workspace.records(card.id, [row]);
			await new Promise((done) => setTimeout(done, 2));
		}
		const sorted = async (...keys: Parameters<typeof by>) =>
			titles(succeeded(await getAll({ ...by(...keys), returnAll: false, limit: 3 })));
		expect(await sorted(['Level', 'desc'], ['Title', 'desc'])).toEqual(['b', 'C', 'd']);
		expect(await sorted(['created_at', 'desc'])).toEqual(['d', 'C', 'a']);
		expect(await sorted(['Amount', 'desc'])).toEqual(['b', 'a', 'C']);
	});

	test.each<[IDataObject, string]>([
		[by(['Nope', 'asc']), "has no field 'Nope'"],
		[by(['', 'asc']), "'Field Name or ID' in 'Sort' is empty"],
		[by(['Title', 'up' as 'asc']), "'Direction' can't be 'up'"],
		[{ since: 'yesterday' }, "'Since Last Run' can't be 'yesterday'"],
		[{ search: '={{ ["a"] }}' }, `'Search' can't be ["a"]`],
	])('%j is refused, and no record is read', async (parameters, message) => {
		const { error } = await getAll(parameters);
		expect(error?.message).toContain(message);
		expect(error?.description).toBeTruthy();
		expect(workspace.requests(/records/)).toEqual([]);
	});

	test('Search looks into every field, and goes together with conditions', async () => {
		await workspace.records(card.id, [
			{ Title: 'Emma', Level: 'High' },
			{ Title: 'Walden', Amount: 12.5 },
			{ Title: 'Ulysses' },
		]);
		const found = async (search: string, more: IDataObject = {}) =>
			titles(await getAll({ search, ...more }));
		expect(await found('  ')).toHaveLength(3);
		expect(await found('L')).toEqual(['Walden', 'Ulysses']);
		expect(await found('12.5')).toEqual(['Walden']);
		expect(await found('HIGH', where('Title', 'equals', 'Emma'))).toEqual(['Emma']);
		expect(await found('HIGH', where('Title', 'equals', 'Walden'))).toEqual([]);
	});

	describe('Since Last Run', () => {
		/** A published workflow: what it keeps survives from run to run, as in n8n's database. */
		function published(parameters: IDataObject) {
			let staticData: IDataObject = {};
			return async (more: Partial<ActionRun> = {}, changes: IDataObject = {}, items = [{}]) => {
				const given = { mode: 'trigger' as const, staticData, ...more };
				const result = await getAll({ ...parameters, ...changes }, items, given);
				({ staticData } = result);
				return result;
			};
		}
		const change = async (id: string, title: string) => {
			const data = { [String(card.fieldIds.Title)]: title };
			await workspace.send('PATCH', `/cards/${card.id}/records/${id}`, { data });
		};
		/** Adds records of these titles. @returns their IDs */
		const add = async (...added: string[]) =>
			await workspace.records(
				card.id,
				added.map((Title) => ({ Title })),
			);

		/** What several runs return, one after the other. */
		const expectRuns = async (poll: ReturnType<typeof published>, ...runs: string[][]) => {
			for (const expected of runs) expect(titles(await poll())).toEqual(expected);
		};

		test('new: each record once, also after a restart, and after a listing that lacks it', async () => {
			const poll = published({ since: 'new' });
			await expectRuns(poll, []);
			const [id = ''] = await add('a', 'b');
			await expectRuns(poll, ['a', 'b'], []);
			answer('GET', '/records$', { records: [], next_cursor: null });
			await expectRuns(poll, [], []);
			await change(id, 'changed');
			await add('c');
			await expectRuns(poll, ['c']);
		});

		test('new: what was looked at and left out by a condition does not come later', async () => {
			const poll = published({ since: 'new' });
			await add('a', 'b');
			expect(titles(await poll({}, where('Title', 'equals', 'b')))).toEqual(['b']);
			await expectRuns(poll, []);
		});

		/** Answers the next listing with records of these IDs. @param timeOf their times, in minutes */
		function list(ids: string[], timeOf: (place: number) => number = () => 0) {
			const start = Date.UTC(2026, 0, 1);
			const records = ids.map((id, place) => ({
				id,
				data: { [String(card.fieldIds.Title)]: id },
				created_at: new Date(start + timeOf(place) * 60_000).toISOString(),
			}));
			answer('GET', '/records$', { records, next_cursor: null });
		}
		const many = Array.from({ length: 3_000 }, (_, n) => String(7_000 + n));
		const random = many.map((id) => createHash('sha256').update(id).digest('hex'));

		test.each<[string, string[], (place: number) => number]>([
			['have one time', many, () => 0],
			['have one time and random IDs', random, () => 0],
			['have minutes between them', many, (place) => place],
		])('new: records that %s come once each, as they are added', async (_, ids, timeOf) => {
			const poll = published({ since: 'new', returnAll: false, limit: 2_000 });
			const read = async (count: number) => {
				list(ids.slice(0, count), timeOf);
				return titles(await poll());
			};
			const first = [...(await read(2_900)), ...(await read(2_900))];
			expect([...first].sort()).toEqual(ids.slice(0, 2_900).sort());
			expect((await read(3_000)).sort()).toEqual(ids.slice(2_900).sort());
			expect(await read(3_000)).toEqual([]);
		});

		test('new: a record that appears eight minutes late comes, one of an hour ago does not', async () => {
			const poll = published({ since: 'new' });
			const read = async (...minutes: number[]) => {
				list(minutes.map(String), (place) => minutes[place] ?? 0);
				return titles(await poll());
			};
			expect(await read(0, 50, 60)).toEqual(['0', '50', '60']);
			expect(await read(0, 1, 50, 52, 60, 61)).toEqual(['52', '61']);
			// Without the newest, those before it are known as well.
			expect(await read(0, 1, 50, 52)).toEqual([]);
			expect(await read(0, 1, 50, 52, 60, 61)).toEqual([]);
		});

		test('new: more records of one moment than are remembered come once', async () => {
			const poll = published({ since: 'new' });
			const ids = Array.from({ length: 5_500 }, (_, n) => `r${String(n).padStart(5, '0')}`);
			for (const count of [5_500, 0]) {
				list(ids);
				expect((await poll()).json).toHaveLength(count);
			}
		});

		test('Sort is refused: new records come oldest first', async () => {
			const { error } = await published({ since: 'new', ...by(['Title', 'desc']) })();
			expect(error?.message).toBe("'Sort' can't be used with 'Since Last Run'");
			expect(workspace.requests()).toEqual([]);
		});

		test('a run by hand shows what would come, and changes nothing', async () => {
			const poll = published({ since: 'new' });
			await add('a');
			await poll();
			await add('b');
			expect(titles(await poll({ mode: 'manual' }))).toEqual(['b']);
			await expectRuns(poll, ['b']);
		});

		test("a failed run doesn't count, whichever item failed", async () => {
			const poll = published({ since: 'new', search: '={{ $json.search ?? "" }}' });
			await add('a');
			const failed = await poll({}, {}, [{}, { search: ['no text'] }]);
			expect(failed.error?.message).toContain("'Search' can't be");
			await expectRuns(poll, ['a']);
			workspace.fail('GET', 'records', { status: 400, times: 9 });
			await add('b');
			expect((await poll()).error).toBeDefined();
			workspace.service.control.reset();
			await expectRuns(poll, ['b']);
		});

		test('with Continue On Fail, the items that worked count', async () => {
			const poll = published({ since: 'new', search: '={{ $json.search ?? "" }}' });
			await add('a');
			const { json } = await poll(GOING_ON, {}, [{ search: ['no text'] }, {}]);
			expect(json).toMatchObject([{ error: expect.any(String) }, { Title: 'a' }]);
			await expectRuns(poll, []);
		});

		test('items of one run share the records returned before; each card has separate ones', async () => {
			const other = await workspace.card('Other', { Title: 'text' });
			const poll = published({ since: 'new', cardId: byId('={{ $json.card }}') });
			await add('a');
			await workspace.records(other.id, [{ Title: 'o' }]);
			const items = [{ card: card.id }, { card: card.id }, { card: other.id }];
			const result = await poll({}, {}, items);
			expect(titles(result)).toEqual(['a', 'o']);
			expect(placesOf(result.items)).toEqual([0, 2]);
			expect(titles(await poll({}, {}, items))).toEqual([]);
		});

		test('two items of one card with a limit: each takes the next ones, and what is left comes in the next run', async () => {
			const poll = published({ since: 'new', returnAll: false, limit: 1 });
			await add('a', 'b', 'c');
			const first = await poll({}, {}, [{}, {}]);
			expect(titles(first)).toEqual(['a', 'b']);
			expect(placesOf(first.items)).toEqual([0, 1]);
			await expectRuns(poll, ['c'], []);
		});
	});
});
