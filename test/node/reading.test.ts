/** Reading records: what is asked of the service, what comes out, and Get Many with Sort, Search and Since Last Run. */
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';
import { type ActionRun, placesOf, succeeded } from '../support/n8n';
import { byId, mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
const { runCounted, answer } = recordRuns(() => ({ workspace, card }));

describe('records', () => {
	const FIELDS = [
		{ name: 'Key', type: 'text' },
		{ name: 'Region', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'Tags', type: 'multi_select', options: ['red', 'green', 'blue'] },
	];

	useCard('Records', FIELDS, (made) => ({ workspace, card } = made));

	const { runCounted: run } = recordRuns(() => ({ workspace, card }));

	const requested = (method: string, what: string) =>
		workspace.requests().filter((request) => request === `${method} /cards/${card.id}/${what}`);

	describe('output', () => {});

	describe('Get Many', () => {
		beforeEach(() => {
			workspace.service.control.fillCard({ cardId: card.id, count: 2_500 });
		});

		test('walks all pages, in the largest that the service gives', async () => {
			const { json } = await run('getAll', { returnAll: true });
			expect(new Set(json.map(({ id }) => id)).size).toBe(2_500);
			expect(requested('GET', 'records')).toHaveLength(3);
			expect(requested('GET', 'fields')).toHaveLength(1);
			expect(workspace.requests()).toHaveLength(4);
		});

		test('a limit stops early and asks for no more than it needs, in pages of one size', async () => {
			const { json } = await run('getAll', { returnAll: false, limit: 1_020 });
			expect(json).toHaveLength(1_020);
			const sizes = workspace.service.control
				.requests()
				.filter(({ path }) => path.endsWith('/records'))
				.map(({ query }) => new URLSearchParams(query).get('limit'));
			// A cursor may be a page number.
			expect(sizes).toEqual(['510', '510']);
		});

		test('several items read the listing once', async () => {
			const { json } = await run('getAll', { returnAll: true }, [{}, {}, {}]);
			expect(json).toHaveLength(7_500);
			expect(requested('GET', 'records')).toHaveLength(3);
			expect(requested('GET', 'fields')).toHaveLength(1);
		});
	});

	describe('filters', () => {
		beforeEach(async () => {
			await workspace.records(card.id, [
				{ Key: 'Alpha', Amount: 1, Tags: ['red', 'blue'] },
				{ Key: 'beta', Amount: 10, Tags: ['green'] },
				{ Key: 'Gamma' },
			]);
		});

		const keys = async (conditions: IDataObject[], more: IDataObject = {}) => {
			const parameters = { returnAll: true, filters: { conditions }, ...more };
			const { json, error } = await run('getAll', parameters);
			if (error) throw error;
			return json.map(({ Key }) => Key);
		};

		// Each condition: test/rules/model/value/condition.
		test.each([
			['Key', 'contains', 'MM', ['Gamma']],
			['Amount', 'greaterOrEqual', '1', ['Alpha', 'beta']],
			['Amount', 'isEmpty', '', ['Gamma']],
			['Tags', 'isAnyOf', 'blue', ['Alpha']],
			['created_at', 'lessThan', '2020-01-01T00:00:00Z', []],
		])('%s %s %j → %j', async (field, condition, value, expected) => {
			expect(await keys([{ field, condition, value }])).toEqual(expected);
			// As the editor keeps it, or as an expression gives it.
			const chosen = { __rl: true, mode: 'list', value, cachedResultName: value };
			expect(await keys([{ field, condition, value: chosen }])).toEqual(expected);
		});

		test('all conditions, or any', async () => {
			const conditions = [
				{ field: 'Key', condition: 'contains', value: 'a' },
				{ field: 'Amount', condition: 'equals', value: '10' },
			];
			expect(await keys(conditions)).toEqual(['beta']);
			expect(await keys(conditions, { matchType: 'anyCondition' })).toEqual([
				'Alpha',
				'beta',
				'Gamma',
			]);
		});

		test('a limit counts the records that pass', async () => {
			const conditions = [{ field: 'Amount', condition: 'equals', value: '10' }];
			expect(await keys(conditions, { returnAll: false, limit: 1 })).toEqual(['beta']);
		});
	});

	describe('records by id', () => {
		test('Get reads the listing once for all items, and stops where it has them', async () => {
			workspace.service.control.fillCard({ cardId: card.id, count: 3_200 });
			const { json: all } = await run('getAll', { returnAll: false, limit: 1_500 });
			const wanted = [all[1_400], all[3], all[77]].map((record) => ({ id: String(record?.id) }));
			const { json } = await run('get', { recordId: byId('={{ $json.id }}') }, wanted);
			expect(json.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
			expect(requested('GET', 'records')).toHaveLength(2);
		});

		const missing = { recordId: byId('={{ $json.id }}') };
		const changes: Record<string, IDataObject> = {
			get: {},
			update: { columns: mapEach({ Key: 'x' }) },
			delete: {},
		};

		test.each(['get', 'update', 'delete'])('%s: If Not Found, for each item', async (operation) => {
			const [id = ''] = await workspace.records(card.id, [{ Key: 'there' }]);
			const items = [{ id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }, { id }];
			const parameters = { ...missing, ...changes[operation] };
			const failed = await run(operation, parameters, items.slice(0, 1));
			expect(failed.error?.message).toMatch(/Record not found|has no record/);
			const otherwise = async (ifNotFound: string, given: IDataObject[]) =>
				await run(operation, { ...parameters, options: { ifNotFound } }, given);
			expect((await otherwise('empty', items.slice(0, 1))).json).toEqual([{}]);
			expect(placesOf((await otherwise('skip', items)).items)).toEqual([1]);
		});

		test("a card that doesn't exist isn't taken for a missing record", async () => {
			const { error } = await run('delete', {
				cardId: byId('crd_unknown'),
				recordId: byId('01ARZ3NDEKTSV4RRFFQ69G5FAV'),
				options: { ifNotFound: 'skip' },
			});
			expect(error?.httpCode).toBe('404');
			expect(error?.context?.kind).toBe('card-not-found');
		});

		test.each([
			['get', 'Record', {}],
			['update', 'Record', { columns: mapEach({ Key: 'x' }) }],
			['delete', 'Field', { resource: 'field', fieldId: byId('..') }],
			['update', 'Field', { resource: 'field', fieldId: byId('..'), updateFields: { name: 'x' } }],
		])("%s: nothing is read for a %s that can't be", async (operation, parameter, parameters) => {
			const { error } = await run(operation, { recordId: byId('..'), ...parameters });
			expect(error?.message).toBe(`'${parameter}' can't be '..'`);
			expect(workspace.requests()).toEqual([]);
		});
	});

	describe('upsert', () => {
		const upsert = async (
			items: IDataObject[],
			options: IDataObject = {},
			matching: string[] = ['Key'],
		) => await run('upsert', { columns: mapAutomatically(matching), options }, items);

		test.each([
			['error', [1, 1]],
			['first', [9, 1]],
			['all', [9, 9]],
		] as const)('several matches: %s', async (multipleMatches, amounts) => {
			const row = { Key: 'a', Amount: 1 };
			await workspace.records(card.id, [row, row]);
			const { error } = await upsert([{ Key: 'a', Amount: 9 }], { multipleMatches });
			if (multipleMatches === 'error')
				expect(error?.message).toMatch(/^2 records of card .* match/);
			expect((await workspace.rows(card.id)).map(({ Amount }) => Amount)).toEqual(amounts);
		});

		test('Create Only leaves existing records, Update Only creates none', async () => {
			await workspace.records(card.id, [{ Key: 'a', Amount: 1 }]);
			const create = { upsertMode: 'createOnly' };
			const created = await upsert([{ Key: 'a', Amount: 2 }, { Key: 'b' }], create);
			expect(created.json.map(({ Key, Amount, action }) => [Key, Amount, action])).toEqual([
				['a', 1, 'unchanged'],
				['b', null, 'created'],
			]);
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }, { Key: 'b' }]);
			const update = { upsertMode: 'updateOnly', ifNotFound: 'skip' };
			const { json } = await upsert([{ Key: 'a', Amount: 5 }, { Key: 'c' }], update);
			expect(json.map(({ action }) => action)).toEqual(['updated']);
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 5 }, { Key: 'b' }]);
		});
	});
});

describe('Get Many', () => {
	useCard(
		'Asked',
		{
			Title: 'text',
			Amount: 'number',
			Due: 'date',
			Level: { type: 'single_select', options: ['Low', 'Normal', 'High'] },
		},
		(made) => ({ workspace, card } = made),
	);

	async function getAll(
		parameters: IDataObject,
		items: IDataObject[] = [{}],
		more: Partial<ActionRun> = {},
	) {
		return await runCounted('getAll', { returnAll: true, ...parameters }, items, more);
	}
	type Result = Awaited<ReturnType<typeof getAll>>;
	const titles = ({ json }: Result) => json.map(({ Title }) => Title);
	const by = (...keys: Array<[string, 'asc' | 'desc']>): IDataObject => ({
		sort: { by: keys.map(([field, direction]) => ({ field, direction })) } as IDataObject,
	});

	describe('Sort', () => {
		const rows = [
			{ Title: 'b', Amount: 10, Due: '2026-02-01', Level: 'High' },
			{ Title: 'a', Amount: 9, Due: '2026-01-31', Level: 'Low' },
			{ Title: 'C', Amount: 9, Level: 'Normal' },
			{ Title: 'd', Due: '2025-12-31', Level: 'Low' },
		];

		test.each<[string, Array<[string, 'asc' | 'desc']>, string[]]>([
			// Each kind of field: test/rules/actions/reading/sort.
			['numbers downwards, empty last', [['Amount', 'desc']], ['b', 'a', 'C', 'd']],
			['choices in the order of the field', [['Level', 'asc']], ['a', 'd', 'C', 'b']],
			[
				'several keys',
				[
					['Level', 'desc'],
					['Title', 'desc'],
				],
				['b', 'C', 'd', 'a'],
			],
			['the record’s own time', [['created_at', 'desc']], ['d', 'C', 'a', 'b']],
		])('%s', async (_, keys, expected) => {
			for (const row of rows) {
				await workspace.records(card.id, [row]);
				await new Promise((done) => setTimeout(done, 2));
			}
			const result = succeeded(await getAll(by(...keys)));
			expect(titles(result)).toEqual(expected);
		});

		test('a limit takes the first of the order', async () => {
			workspace.service.control.fillCard({ cardId: card.id, count: 150 });
			await workspace.records(card.id, [{ Title: 'last', Amount: 1_000_000_000 }]);
			const result = await getAll({ ...by(['Amount', 'desc']), returnAll: false, limit: 1 });
			expect(titles(result)).toEqual(['last']);
		});

		test.each<[IDataObject, string]>([
			[by(['Nope', 'asc']), "has no field 'Nope'"],
			[by(['', 'asc']), "'Field Name or ID' in 'Sort' is empty"],
			[by(['Title', 'up' as 'asc']), "'Direction' can't be 'up'"],
			[{ since: 'yesterday' }, "'Since Last Run' can't be 'yesterday'"],
			[{ search: '={{ ["a"] }}' }, `'Search' can't be '["a"]'`],
		])('%j is refused, and no record is read', async (parameters, message) => {
			const { error } = await getAll(parameters);
			expect(error?.message).toContain(message);
			expect(error?.description).toBeTruthy();
			expect(workspace.requests().filter((one) => /records/.test(one))).toEqual([]);
		});
	});

	describe('Search', () => {
		test.each<[string, string[]]>([
			['  ', ['Emma', 'Walden', 'Ulysses']],
			['L', ['Walden', 'Ulysses']],
			['12.5', ['Walden']],
		])('%j finds %j', async (search, expected) => {
			await workspace.records(card.id, [
				{ Title: 'Emma', Level: 'High' },
				{ Title: 'Walden', Amount: 12.5 },
				{ Title: 'Ulysses', Due: '2026-03-01' },
			]);
			expect(titles(await getAll({ search }))).toEqual(expected);
		});

		test('reads no further than the limit needs, and goes together with conditions', async () => {
			workspace.service.control.fillCard({ cardId: card.id, count: 250 });
			const [id = ''] = await workspace.records(card.id, [{ Title: 'needle', Amount: 1 }]);
			const found = await getAll({ search: 'NEEDLE', ...where('Amount', 'equals', 1) });
			expect(found.json.map((one) => one.id)).toEqual([id]);
			expect((await getAll({ search: 'needle', ...where('Amount', 'equals', 2) })).json).toEqual(
				[],
			);
		});
	});

	describe('Since Last Run', () => {
		/** A published workflow: what it keeps survives from run to run, as in n8n's database. */
		function published(parameters: IDataObject) {
			let staticData: IDataObject = {};
			return async (
				more: Partial<ActionRun> = {},
				changes: IDataObject = {},
				items?: IDataObject[],
			) => {
				const result = await getAll({ ...parameters, ...changes }, items, {
					mode: 'trigger',
					staticData,
					...more,
				});
				staticData = result.staticData;
				return result;
			};
		}
		const change = async (id: string, data: IDataObject) =>
			await workspace.send('PATCH', `/cards/${card.id}/records/${id}`, { data });

		test('new: each record once, also after a restart', async () => {
			const poll = published({ since: 'new' });
			expect(titles(await poll())).toEqual([]);
			const [id = ''] = await workspace.records(card.id, [{ Title: 'a' }, { Title: 'b' }]);
			expect(titles(await poll())).toEqual(['a', 'b']);
			expect(titles(await poll())).toEqual([]);
			await change(id, { [String(card.fieldIds.Title)]: 'changed' });
			await workspace.records(card.id, [{ Title: 'c' }]);
			expect(titles(await poll())).toEqual(['c']);
		});

		test('new: a record that one listing lacks comes once', async () => {
			const poll = published({ since: 'new' });
			await workspace.records(card.id, [{ Title: 'a' }, { Title: 'b' }]);
			expect(titles(await poll())).toEqual(['a', 'b']);
			answer('GET', '/records$', { records: [], next_cursor: null });
			expect(titles(await poll())).toEqual([]);
			expect(titles(await poll())).toEqual([]);
		});

		test('newOrChanged: again when its values differ, not when an empty field was added', async () => {
			const poll = published({ since: 'newOrChanged' });
			const [id = ''] = await workspace.records(card.id, [{ Title: 'a' }, { Title: 'b' }]);
			expect(titles(await poll())).toEqual(['a', 'b']);
			await workspace.send('POST', `/cards/${card.id}/fields`, { name: 'More', type: 'text' });
			expect(titles(await poll())).toEqual([]);
			await change(id, { [String(card.fieldIds.Title)]: 'A' });
			expect(titles(await poll())).toEqual(['A']);
			expect(titles(await poll())).toEqual([]);
		});

		test.each(['new', 'newOrChanged'])("%s: what didn't pass comes when it does", async (since) => {
			const poll = published({ since });
			await workspace.records(card.id, [{ Title: 'a' }, { Title: 'b' }]);
			expect(titles(await poll({}, where('Title', 'equals', 'b')))).toEqual(['b']);
			expect(titles(await poll())).toEqual(['a']);
			expect(titles(await poll())).toEqual([]);
		});

		test('newOrChanged: fields that got new ids or names change nothing', async () => {
			const poll = published({ since: 'newOrChanged' });
			await workspace.records(card.id, [{ Title: 'a' }]);
			expect(titles(await poll())).toEqual(['a']);
			for (const name of ['New', 'Title']) {
				await workspace.send('PATCH', `/cards/${card.id}/fields/${card.fieldIds.Title}`, { name });
				expect((await poll()).json).toEqual([]);
			}
			workspace.service.control.rotateFieldIds({ cardId: card.id });
			expect(titles(await poll())).toEqual([]);
		});

		/** The values of a record, and how many records come then. */
		type Step = [IDataObject, number];

		/** Answers the next listing with one record of these values by field name. */
		function listOne(values: IDataObject): void {
			const data = Object.fromEntries(
				Object.entries(values).map(([name, value]) => [String(card.fieldIds[name]), value]),
			);
			const records = [{ id: 'rec_1', data, created_at: '2026-01-31T12:00:00Z' }];
			answer('GET', '/records$', { records, next_cursor: null });
		}

		/** Answers the next listing with records of these IDs and times. */
		function listAll(ids: readonly string[], timeOf: (place: number) => unknown): void {
			const records = ids.map((id, place) => ({
				id,
				data: { [String(card.fieldIds.Title)]: id },
				created_at: timeOf(place),
			}));
			answer('GET', '/records$', { records, next_cursor: null });
		}
		const many = Array.from({ length: 2_500 }, (_, n) => String(7_000 + n));

		test.each<[string, (place: number) => unknown]>([
			['have one time', () => '2026-01-01T00:00:00Z'],
			['have a number of seconds', (place) => 1_767_225_600 + place],
			['have no time', () => undefined],
		])('new: records that %s come once each, as they are added', async (_, timeOf) => {
			const poll = published({ since: 'new' });
			listAll(many, timeOf);
			expect((await poll()).json).toHaveLength(2_500);
			const later = [...many, '10001', '10002'];
			listAll(later, timeOf);
			expect(titles(await poll())).toEqual(['10001', '10002']);
			listAll(later, timeOf);
			expect(titles(await poll())).toEqual([]);
		});

		const atOnce = () => '2026-01-01T00:00:00Z';

		test('new: random IDs of one time come once each', async () => {
			const poll = published({ since: 'new' });
			const ids = many.map((id) => createHash('sha256').update(id).digest('hex'));
			listAll(ids.slice(0, 2_400), atOnce);
			expect((await poll()).json).toHaveLength(2_400);
			listAll(ids, atOnce);
			expect(new Set(titles(await poll()))).toEqual(new Set(ids.slice(2_400)));
		});

		test('new: more records of one time than can be remembered are refused', async () => {
			listAll(
				Array.from({ length: 10_001 }, (_, n) => `r${n}`),
				atOnce,
			);
			const { error } = await published({ since: 'new' })();
			expect(error?.message).toContain("can't tell which records");
		});

		async function expectCounts(fields: Parameters<TestWorkspace['card']>[1], steps: Step[]) {
			card = await workspace.card('Compared', fields);
			const poll = published({ since: 'newOrChanged' });
			for (const [values, count] of steps) {
				listOne(values);
				expect((await poll()).json).toHaveLength(count);
			}
		}

		test('newOrChanged: another spelling of the same values is no change, a later millisecond is', async () => {
			const Tags = { type: 'multi_select', options: ['red', 'blue'] };
			await expectCounts({ Amount: 'number', At: 'datetime', Tags }, [
				[{ Amount: 7, At: '2026-01-31T12:00:00Z', Tags: ['red', 'blue'] }, 1],
				[{ Amount: '7.0', At: '2026-01-31T13:00:00.000+01:00', Tags: ['blue', 'red'] }, 0],
				[{ Amount: 7, At: '2026-01-31T12:00:00.001Z', Tags: ['red', 'blue'] }, 1],
			]);
		});

		const file = (id: string, url: string, more: IDataObject = {}) => ({
			Amount: [{ id, url: `https://x/${url}`, ...more }],
		});
		const pdf = (size: number) => file('f1', `${size}`, { filename: 'a.pdf', size });
		const thumb = (url: string) => ({ thumb: { url: `https://x/${url}` } });
		test.each<[string, IDataObject, IDataObject, number]>([
			['a signed link to the same file is none', file('f1', 'a'), file('f1', 'b'), 0],
			['its size is none', pdf(1), pdf(2), 0],
			['a signed preview is none', file('f1', 'a', thumb('1')), file('f1', 'b', thumb('2')), 0],
			['another file is one', file('f1', 'a'), file('f2', 'a'), 1],
			['a value is one', file('f1', 'a', { is: 'open' }), file('f1', 'b', { is: 'done' }), 1],
		])('newOrChanged: %s', async (_, first, second, count) => {
			await expectCounts({ Amount: 'json' }, [
				[first, 1],
				[second, count],
			]);
		});

		test('newOrChanged: only Output Field Names are compared where they are set', async () => {
			const poll = published({ since: 'newOrChanged', options: { outputFields: 'Amount' } });
			for (const [Amount, Title, count] of [
				[1, 'a', 1],
				[1, 'b', 0],
				[2, 'b', 1],
			] as const) {
				listOne({ Amount, Title });
				expect((await poll()).json).toHaveLength(count);
			}
		});

		test('with a limit the oldest come first, the others in the next runs', async () => {
			const order = by(['Title', 'desc']);
			const poll = published({ since: 'new', returnAll: false, limit: 2, ...order });
			await workspace.records(card.id, [{ Title: 'a' }, { Title: 'b' }, { Title: 'c' }]);
			expect(titles(await poll())).toEqual(['b', 'a']);
			expect(titles(await poll())).toEqual(['c']);
			expect(titles(await poll())).toEqual([]);
		});

		test('a run by hand shows what would come, and changes nothing', async () => {
			const poll = published({ since: 'new' });
			await workspace.records(card.id, [{ Title: 'a' }]);
			await poll();
			await workspace.records(card.id, [{ Title: 'b' }]);
			const manual = await poll({ mode: 'manual' });
			expect(titles(manual)).toEqual(['b']);
			expect(titles(await poll())).toEqual(['b']);
		});

		test("a failed run doesn't count, whichever item failed", async () => {
			const poll = published({ since: 'new', search: '={{ $json.search }}' });
			await workspace.records(card.id, [{ Title: 'a' }]);
			const failed = await poll({}, {}, [{ search: '' }, { search: ['no text'] }]);
			expect(failed.error?.message).toContain("'Search' can't be");
			expect(titles(await poll({}, {}, [{ search: '' }]))).toEqual(['a']);
			workspace.fail('GET', 'records', { status: 400, times: 9 });
			await workspace.records(card.id, [{ Title: 'b' }]);
			expect((await poll({}, {}, [{ search: '' }])).error).toBeDefined();
			workspace.service.control.reset();
			expect(titles(await poll({}, {}, [{ search: '' }]))).toEqual(['b']);
		});

		test('with Continue On Fail, the items that worked count', async () => {
			const poll = published({ since: 'new', search: '={{ $json.search }}' });
			const node = { onError: 'continueRegularOutput' as const };
			await workspace.records(card.id, [{ Title: 'a' }]);
			const first = await poll({ node }, {}, [{ search: ['no text'] }, { search: '' }]);
			expect(first.json.map(({ id, error }) => [id === undefined, error === undefined])).toEqual([
				[true, false],
				[false, true],
			]);
			expect((await poll({ node }, {}, [{ search: '' }])).json).toEqual([]);
		});

		test('items of one run share the records returned before; each card has separate ones', async () => {
			const other = await workspace.card('Other', { Title: 'text' });
			const poll = published({ since: 'new', cardId: byId('={{ $json.card }}') });
			await workspace.records(card.id, [{ Title: 'a' }]);
			await workspace.records(other.id, [{ Title: 'o' }]);
			const items = [{ card: card.id }, { card: card.id }, { card: other.id }];
			const result = await poll({}, {}, items);
			expect(titles(result)).toEqual(['a', 'o']);
			expect(placesOf(result.items)).toEqual([0, 2]);
			expect(titles(await poll({}, {}, items))).toEqual([]);
		});

		test('two items of one card with a limit: each takes the next ones, and what is left comes in the next run', async () => {
			const poll = published({ since: 'new', returnAll: false, limit: 1 });
			await workspace.records(card.id, [{ Title: 'a' }, { Title: 'b' }, { Title: 'c' }]);
			const first = await poll({}, {}, [{}, {}]);
			expect(titles(first)).toEqual(['a', 'b']);
			expect(placesOf(first.items)).toEqual([0, 1]);
			expect(titles(await poll({}, {}, [{}, {}]))).toEqual(['c']);
			expect(titles(await poll({}, {}, [{}, {}]))).toEqual([]);
		});

		test('Start Again forgets, once', async () => {
			const poll = published({ since: 'new' });
			await workspace.records(card.id, [{ Title: 'a' }]);
			await poll();
			const again = { options: { startAgain: '2' } };
			expect(titles(await poll({}, again))).toEqual(['a']);
			expect(titles(await poll({}, again))).toEqual([]);
		});

		test('a card with more records than can be compared: a message says so, and nothing is remembered', async () => {
			workspace.service.control.fillCard({ cardId: card.id, count: 10_001 });
			const poll = published({ since: 'newOrChanged' });
			const { error } = await poll();
			expect(error?.message).toContain('10001 records of card');
			expect(error?.message).toContain('can compare 10000');
			succeeded(await poll({}, where('id', 'isEmpty')));
		});

		test('the stored state is small, and only written when it changes', async () => {
			workspace.service.control.fillCard({ cardId: card.id, count: 3_000 });
			const poll = published({ since: 'new' });
			const first = await poll();
			expect(first.json).toHaveLength(3_000);
			expect(JSON.stringify(first.staticData).length).toBeLessThan(30_000);
			const second = await poll();
			expect(second.json).toEqual([]);
			expect(second.staticData).toEqual(first.staticData);
			await workspace.records(card.id, [{ Title: 'one more' }]);
			expect(titles(await poll())).toEqual(['one more']);
		});
	});
});
