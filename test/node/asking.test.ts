/** Get Many with Sort, Search and Since Last Run (issue "Ask and change in bulk"). */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { type ActionRun } from '../support/n8n';
import { byId } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';
import { cases } from '../support/cases';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Asked',
	[
		{ name: 'Title', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'Due', type: 'date' },
		{ name: 'Level', type: 'single_select', options: ['Low', 'Normal', 'High'] },
	],
	(made) => ({ workspace, card } = made),
);

const { runCounted, answer } = recordRuns(() => ({ workspace, card }));

async function getAll(
	parameters: IDataObject,
	items: IDataObject[] = [{}],
	more: Partial<ActionRun> = {},
) {
	return await runCounted('getAll', { returnAll: true, ...parameters }, items, more);
}
type Result = Awaited<ReturnType<typeof getAll>>;
const titles = ({ json }: Result) =>
	json.map(({ fields }) => (fields as IDataObject | undefined)?.Title);
const hintsOf = ({ run }: Result) =>
	(run.data.resultData.runData['Workspace Data']?.[0]?.hints ?? []).map(({ message }) => message);
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
		['numbers, empty last', [['Amount', 'asc']], ['a', 'C', 'b', 'd']],
		['numbers downwards, empty last', [['Amount', 'desc']], ['b', 'a', 'C', 'd']],
		['texts by locale', [['Title', 'asc']], ['a', 'b', 'C', 'd']],
		['days', [['Due', 'asc']], ['d', 'a', 'b', 'C']],
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
		['ids', [['id', 'asc']], ['b', 'a', 'C', 'd']],
	])('%s', async (_, keys, expected) => {
		for (const row of rows) {
			await workspace.records(card.id, [row]);
			await new Promise((done) => setTimeout(done, 2));
		}
		const result = await getAll(by(...keys));
		expect(result.error).toBeUndefined();
		expect(titles(result)).toEqual(expected);
	});

	test('a limit takes the first of the order; a hint says how many were read for it', async () => {
		workspace.service.control.fillCard({ cardId: card.id, count: 150 });
		await workspace.records(card.id, [{ Title: 'last', Amount: 1_000_000_000 }]);
		const result = await getAll({
			...by(['Amount', 'desc']),
			returnAll: false,
			limit: 1,
		});
		expect(titles(result)).toEqual(['last']);
		expect(hintsOf(result)).toContainEqual(
			expect.stringMatching(/^151 records were read, although 'Limit' is 1/),
		);
	});

	test('one reading serves all items', async () => {
		await workspace.records(card.id, rows);
		const result = await getAll(by(['Title', 'asc']), [{}, {}, {}]);
		expect(titles(result)).toHaveLength(12);
		expect(workspace.requests().filter((one) => /records/.test(one))).toHaveLength(1);
	});

	test.each<[IDataObject, string]>([
		[by(['Nope', 'asc']), "has no field 'Nope'"],
		[by(['', 'asc']), "'Field Name or ID' in 'Sort' is empty"],
		[
			{ sort: { by: [{ field: 'Title', direction: 'up' }] } },
			"'Direction' in 'Sort' cannot be 'up'",
		],
		[{ since: 'yesterday' }, "'Since Last Run' cannot be 'yesterday'"],
		[{ search: '={{ { a: 1 } }}' }, `'Search' cannot be '{"a":1}'`],
		[{ search: '={{ ["a"] }}' }, `'Search' cannot be '["a"]'`],
	])('%j is refused, and no record is read', async (parameters, message) => {
		const { error } = await getAll(parameters);
		expect(error?.message).toContain(message);
		expect(error?.description).toBeTruthy();
		expect(workspace.requests().filter((one) => /records/.test(one))).toEqual([]);
	});
});

describe('Search', () => {
	test.each<[string, string[]]>([
		['', ['Emma', 'Walden', 'Ulysses']],
		['  ', ['Emma', 'Walden', 'Ulysses']],
		['EMM', ['Emma']],
		['12.5', ['Walden']],
		['2026-03', ['Ulysses']],
		['hig', ['Emma']],
		['l', ['Walden', 'Ulysses']],
		['nothing', []],
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
		const found = await getAll({
			search: 'NEEDLE',
			filters: { conditions: [{ field: 'Amount', condition: 'equals', value: 1 }] },
		});
		expect(found.json.map((one) => one.id)).toEqual([id]);
		const none = await getAll({
			search: 'needle',
			filters: { conditions: [{ field: 'Amount', condition: 'equals', value: 2 }] },
		});
		expect(none.json).toEqual([]);
	});

	test('any text finds exactly the records that a plain search of all values finds', async () => {
		const letters = fc.string({ unit: fc.constantFrom('a', 'B', 'ä', '1', ' '), maxLength: 3 });
		const rows = fc.array(fc.record({ Title: letters, Amount: fc.nat(30) }), {
			minLength: 1,
			maxLength: 8,
		});
		await fc.assert(
			fc.asyncProperty(rows, letters, async (values, search) => {
				card = await workspace.card('Any', [
					{ name: 'Title', type: 'text' },
					{ name: 'Amount', type: 'number' },
				]);
				const ids = await workspace.records(card.id, values);
				const wanted = search.trim().toLowerCase();
				const expected = ids.filter((_, row) =>
					Object.values(values[row] ?? {}).some((value) =>
						String(value).toLowerCase().includes(wanted),
					),
				);
				const { json } = await getAll({ search: `={{ ${JSON.stringify(search)} }}` });
				expect(json.map(({ id }) => id)).toEqual(expected);
			}),
			cases(15),
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

	test.each(['new', 'newOrChanged'])(
		'%s: a record that does not meet the conditions comes when it does',
		async (since) => {
			const poll = published({ since });
			const conditions = [{ field: 'Title', condition: 'equals', value: 'b' }];
			await workspace.records(card.id, [{ Title: 'a' }, { Title: 'b' }]);
			expect(titles(await poll({}, { filters: { conditions } }))).toEqual(['b']);
			expect(titles(await poll())).toEqual(['a']);
			expect(titles(await poll())).toEqual([]);
		},
	);

	test('newOrChanged: fields that got new ids change nothing', async () => {
		const poll = published({ since: 'newOrChanged' });
		await workspace.records(card.id, [{ Title: 'a' }]);
		expect(titles(await poll())).toEqual(['a']);
		workspace.service.control.rotateFieldIds({ cardId: card.id });
		expect(titles(await poll())).toEqual([]);
	});

	/** Answers the next listing with one record of these values by field name. */
	function listOne(values: IDataObject): void {
		const data = Object.fromEntries(
			Object.entries(values).map(([name, value]) => [String(card.fieldIds[name]), value]),
		);
		const records = [{ id: 'rec_1', data, created_at: '2026-01-31T12:00:00Z' }];
		answer('GET', '/records$', { records, next_cursor: null });
	}

	test('newOrChanged: another spelling of the same values is no change', async () => {
		card = await workspace.card('Spelled', [
			{ name: 'Amount', type: 'number' },
			{ name: 'At', type: 'datetime' },
			{ name: 'Tags', type: 'multi_select', options: ['red', 'blue'] },
		]);
		const poll = published({ since: 'newOrChanged' });
		listOne({ Amount: 7, At: '2026-01-31T12:00:00Z', Tags: ['red', 'blue'] });
		expect((await poll()).json).toHaveLength(1);
		listOne({ Amount: '7.0', At: '2026-01-31T13:00:00.000+01:00', Tags: ['blue', 'red'] });
		expect((await poll()).json).toEqual([]);
		listOne({ Amount: 7, At: '2026-01-31T12:00:00.001Z', Tags: ['red', 'blue'] });
		expect((await poll()).json).toHaveLength(1);
	});

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
		['have a day only', (place) => `2026-01-0${1 + Math.floor(place / 1_000)}`],
		['have a number of seconds', (place) => 1_767_225_600 + place],
		['have a number of milliseconds', (place) => 1_767_225_600_000 + place],
		['have no time', () => undefined],
	])('new: records that %s come once each, as they are added (O4)', async (_, timeOf) => {
		const poll = published({ since: 'new', returnAll: true });
		listAll(many, timeOf);
		expect((await poll()).json).toHaveLength(2_500);
		const later = [...many, '10001', '10002'];
		listAll(later, timeOf);
		expect(titles(await poll())).toEqual(['10001', '10002']);
		listAll(later, timeOf);
		expect(titles(await poll())).toEqual([]);
	});

	test('new: random IDs of one time come once each (O4)', async () => {
		const poll = published({ since: 'new', returnAll: true });
		const ids = many.map((id) => createHash('sha256').update(id).digest('hex'));
		listAll(ids.slice(0, 2_400), () => '2026-01-01T00:00:00Z');
		expect((await poll()).json).toHaveLength(2_400);
		listAll(ids, () => '2026-01-01T00:00:00Z');
		expect(new Set(titles(await poll()))).toEqual(new Set(ids.slice(2_400)));
	});

	test('new: more records of one time than can be remembered are refused (O4)', async () => {
		const ids = Array.from({ length: 10_001 }, (_, n) => `r${n}`);
		listAll(ids, () => '2026-01-01T00:00:00Z');
		const { error } = await published({ since: 'new', returnAll: true })();
		expect(error?.message).toContain("can't tell which records");
	});

	test('newOrChanged: signed links to the same file are no change (O19)', async () => {
		card = await workspace.card('Files', [{ name: 'Amount', type: 'json' }]);
		const poll = published({ since: 'newOrChanged' });
		const file = (id: string, mark: number) => [{ id, url: `https://files.example.com/${mark}` }];
		listOne({ Amount: file('f1', 1) });
		expect((await poll()).json).toHaveLength(1);
		listOne({ Amount: file('f1', 2) });
		expect((await poll()).json).toEqual([]);
		listOne({ Amount: file('f2', 2) });
		expect((await poll()).json).toHaveLength(1);
	});

	test('newOrChanged: only Output Field Names are compared where they are set (O19)', async () => {
		card = await workspace.card('Some', [
			{ name: 'Amount', type: 'number' },
			{ name: 'Note', type: 'text' },
		]);
		const poll = published({ since: 'newOrChanged', options: { outputFields: 'Amount' } });
		listOne({ Amount: 1, Note: 'a' });
		expect((await poll()).json).toHaveLength(1);
		listOne({ Amount: 1, Note: 'b' });
		expect((await poll()).json).toEqual([]);
		listOne({ Amount: 2, Note: 'b' });
		expect((await poll()).json).toHaveLength(1);
	});

	describe('what an earlier version saved', () => {
		/** The token of a record as versions before 0.2.0 made it: of the JSON of its values, by field name. */
		const outdatedToken = (id: string, values: Array<[string, string]>) =>
			createHash('sha256')
				.update(JSON.stringify([id, values]))
				.digest('base64url')
				.slice(0, 12);
		const savedData = (state: IDataObject): IDataObject => ({
			'node:Workspace Data': {
				returnedRecords: JSON.stringify([{ card: card.id, mark: '', ...state }]),
			},
		});

		test('newOrChanged: unchanged records do not come again, and are remembered in the new form', async () => {
			const [a = '', b = ''] = await workspace.records(card.id, [
				{ Title: 'a', Amount: 7 },
				{ Title: 'b' },
			]);
			const tokens =
				outdatedToken(a, [
					['Amount', '7'],
					['Title', '"a"'],
				]) + outdatedToken(b, [['Title', '"b"']]);
			const staticData = savedData({ by: 'newOrChanged', tokens });
			await workspace.records(card.id, [{ Title: 'c' }]);
			await change(b, { [String(card.fieldIds.Title)]: 'B' });
			const first = await getAll({ since: 'newOrChanged' }, [{}], { mode: 'trigger', staticData });
			expect(titles(first)).toEqual(['B', 'c']);
			expect(JSON.stringify(first.staticData)).toContain('version\\":3');
			expect(JSON.stringify(first.staticData)).not.toContain(tokens.slice(0, 12));
			const next = { mode: 'trigger' as const, staticData: first.staticData };
			expect(titles(await getAll({ since: 'newOrChanged' }, [{}], next))).toEqual([]);
		});

		test('new: neither the remembered records nor older ones come again', async () => {
			const [a = '', b = '', c = ''] = await workspace.records(card.id, [
				{ Title: 'a' },
				{ Title: 'b' },
				{ Title: 'c' },
			]);
			const listed = await workspace.send('GET', `/cards/${card.id}/records`);
			const { created_at: at } = (listed as { records: Array<{ created_at: string }> })
				.records[0] ?? { created_at: '' };
			const state = {
				by: 'new',
				tokens: outdatedToken(c, []),
				floor: { at: Date.parse(at), id: a },
			};
			const staticData = savedData(state);
			const { json } = await getAll({ since: 'new' }, [{}], { mode: 'trigger', staticData });
			expect(json.map(({ id }) => id)).toEqual([b]);
		});
	});

	test('with a limit the oldest come first, the others in the next runs', async () => {
		const poll = published({
			since: 'new',
			returnAll: false,
			limit: 2,
			...by(['Title', 'desc']),
		});
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
		expect(hintsOf(manual)).toContainEqual(expect.stringContaining('manual run'));
		expect(titles(await poll())).toEqual(['b']);
	});

	test('a failed run does not count, whichever item failed', async () => {
		const poll = published({ since: 'new', search: '={{ $json.search }}' });
		await workspace.records(card.id, [{ Title: 'a' }]);
		const failed = await poll({}, {}, [{ search: '' }, { search: ['no text'] }]);
		expect(failed.error?.message).toContain("'Search' cannot be");
		expect(titles(await poll({}, {}, [{ search: '' }]))).toEqual(['a']);
		workspace.service.control.fail({ method: 'GET', path: 'records', status: 400, times: 9 });
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
		const other = await workspace.card('Other', [{ name: 'Title', type: 'text' }]);
		const poll = published({ since: 'new', cardId: byId('={{ $json.card }}') });
		await workspace.records(card.id, [{ Title: 'a' }]);
		await workspace.records(other.id, [{ Title: 'o' }]);
		const items = [{ card: card.id }, { card: card.id }, { card: other.id }];
		const result = await poll({}, {}, items);
		expect(titles(result)).toEqual(['a', 'o']);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(titles(await poll({}, {}, items))).toEqual([]);
	});

	test('two items of one card with a limit: each takes the next ones, and what is left comes in the next run', async () => {
		const poll = published({ since: 'new', returnAll: false, limit: 1 });
		await workspace.records(
			card.id,
			['a', 'b', 'c'].map((Title) => ({ Title })),
		);
		const first = await poll({}, {}, [{}, {}]);
		expect(titles(first)).toEqual(['a', 'b']);
		expect(first.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
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
		const some = { filters: { conditions: [{ field: 'id', condition: 'isEmpty' }] } };
		expect((await poll({}, some)).error).toBeUndefined();
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
