/** The plan of a card's writes: what is done to which record, in the order of the items. */
import { planWrites } from '../../../nodes/WorkspaceData/records/plan';
import type { Find, FindByKey, Wish } from '../../../nodes/WorkspaceData/records/entry';
import type { Plan, Rules, SyncRules } from '../../../nodes/WorkspaceData/records/overlay';
import { InputError } from '../../../nodes/WorkspaceData/values/inputError';
import { field } from './fields';

type Data = Record<string, unknown>;

/** Records r0, r1 …, each a day younger than the one before. */
const recordsOf = (...data: Data[]) =>
	data.map((values, place) => {
		const createdAt = `2026-01-${String(place + 1).padStart(2, '0')}T00:00:00Z`;
		return { id: `r${place}`, data: values, createdAt, raw: {} };
	});
const keyOf = ({ k }: Data) => (k === undefined || k === '' ? undefined : String(k));
const rules = (sync?: Partial<SyncRules>, of = keyOf): Rules => ({
	...{ card: 'C', breathe: async () => {} },
	key: {
		fields: [],
		isSame: (_id, one, other) => String(one ?? '') === String(other ?? ''),
		of,
		shown: ({ k }) => JSON.stringify(k),
	},
	...(sync && {
		sync: { meets: () => true, deletes: false, maxDeletions: 0, now: '2026-02-01', ...sync },
	}),
});
const withoutKey = rules(undefined, () => undefined);
const columns = () => ({
	...{ entries: [], matchingKeys: [], fieldIds: new Map(), isAutomatic: false },
});
const wish = (find: Find, values: Data, more: Partial<Wish> = {}, entry = {}): Wish => ({
	entry: { itemIndex: 0, find, columns, result: { json: [] }, ...entry },
	...{ values, refused: [], ...more },
});
const keyed = (
	values: Data,
	policies: Partial<FindByKey> = {},
	more: Partial<Wish> = {},
	entry = {},
) => {
	const matching = { matchingKeys: ['k'], fieldIds: new Map() };
	const find = { by: 'key', matching, ignoresCase: false, ...policies } as const;
	return wish(find, values, { key: String(values.k), ...more }, entry);
};
const planOf = async (wishes: Wish[], records: Data[] | undefined, by = rules()) =>
	await planWrites(
		wishes.map((one, itemIndex) => ({ ...one, entry: { ...one.entry, itemIndex } })),
		records && recordsOf(...records),
		by,
	);
/** Each step as `item action id sent`, then the refusals and the deletions. */
const told = ({ items, deletions }: Plan) => [
	...items.flatMap(({ entry: { itemIndex }, steps }) =>
		steps.map(
			({ action, before: { id }, sent }) =>
				`${itemIndex} ${action} ${id || 'new'} ${JSON.stringify(sent)}`,
		),
	),
	...items.flatMap(({ entry, refusal }) =>
		refusal ? `${entry.itemIndex} refused: ${refusal.message}` : [],
	),
	...deletions.map(({ row }) => `delete ${row.record.id}`),
];
const TWO = "No record of card 'C' matches this item";

describe('by key', () => {
	const updateOnly = { mode: 'updateOnly' } as const;
	const first = { multipleMatches: 'first' } as const;
	const all = { multipleMatches: 'all' } as const;
	test.each<[string, Wish[], Data[], string[]]>([
		['a new record', [keyed({ k: 'a', v: 1 })], [], ['0 create new {"k":"a","v":1}']],
		['null is left out of it', [keyed({ k: 'a', v: null })], [], ['0 create new {"k":"a"}']],
		[
			'what differs',
			[keyed({ k: 'a', v: 2, w: 1 })],
			[{ k: 'a', v: 1, w: 1 }],
			['0 change r0 {"v":2}'],
		],
		['null clears', [keyed({ k: 'a', v: null })], [{ k: 'a', v: 1 }], ['0 change r0 {"v":null}']],
		['nothing differs', [keyed({ k: 'a', v: 1 })], [{ k: 'a', v: 1 }], ['0 keep r0 {}']],
		[
			'two items with one key act on one record',
			[keyed({ k: 'a', v: 1 }), keyed({ k: 'a', v: 2 })],
			[],
			['0 create new {"k":"a","v":1}', '1 change new {"v":2}'],
		],
		[
			'a later item sees what earlier ones change',
			[keyed({ k: 'a', v: 2 }), keyed({ k: 'a', v: 2 }), keyed({ k: 'a', v: 1 })],
			[{ k: 'a', v: 1 }],
			['0 change r0 {"v":2}', '1 keep r0 {}', '2 change r0 {"v":1}'],
		],
		[
			'a key twice in the card',
			[keyed({ k: 'a', v: 2 }), keyed({ k: 'a', v: 3 }, first), keyed({ k: 'a', v: 4 }, all)],
			[{ k: 'a' }, { k: 'a' }],
			[
				...['1 change r0 {"v":3}', '2 change r0 {"v":4}', '2 change r1 {"v":4}'],
				"0 refused: 2 records of card 'C' match this item",
			],
		],
		[
			'create only, twice',
			[
				keyed({ k: 'a', v: 1 }, { mode: 'createOnly' }),
				keyed({ k: 'a', v: 2 }, { mode: 'createOnly' }),
			],
			[],
			['0 create new {"k":"a","v":1}', '1 keep new {}'],
		],
		[
			'update only, with and without a record',
			[keyed({ k: 'a', v: 1 }, updateOnly), keyed({ k: 'b' }, updateOnly)],
			[{ k: 'a' }],
			['0 change r0 {"v":1}', `1 refused: ${TWO}`],
		],
		[
			'update only, skipped without a record',
			[keyed({ k: 'b' }, updateOnly, {}, { ifNotFound: 'skip' })],
			[],
			[],
		],
	])('%s', async (_, wishes, records, expected) => {
		expect(told(await planOf(wishes, records))).toEqual(expected);
	});

	const error = new InputError("Field 'V' can't hold this");
	const refused = [{ id: 'v', value: 'x', error, field: 'V' }];
	test.each<[string, Partial<Wish>, Data[], string[]]>([
		['that the record lacks', { refused }, [{ k: 'a', v: 'y' }], [`0 refused: ${error.message}`]],
		['that the record has', { refused }, [{ k: 'a', v: 'x' }], ['0 keep r0 {}']],
		['of a new record', { refused }, [], [`0 refused: ${error.message}`]],
	])('a value that its field refuses, %s', async (_, more, records, expected) => {
		expect(told(await planOf([keyed({ k: 'a' }, {}, more)], records))).toEqual(expected);
	});
});

test('no record is created by a key that the service computes', async () => {
	const { key, ...others } = rules();
	const plan = await planWrites([keyed({ k: 'a' })], [], {
		...others,
		key: { ...key, fields: [{ ...field('N', 'autonumber'), isReadOnly: true }] },
	});
	expect(told(plan)).toEqual(["0 refused: Field 'N' can't be written"]);
});

describe('by ID', () => {
	const byId = (values: Data, entry = {}): Wish => wish({ by: 'id', id: 'r0' }, values, {}, entry);
	test.each<[string, Wish[], Data[] | undefined, string[]]>([
		[
			'not read: all values',
			[byId({ v: 1 }), byId({ v: 1 })],
			undefined,
			['0 change r0 {"v":1}', '1 change r0 {"v":1}'],
		],
		['read: what differs', [byId({ v: 1, w: 2 })], [{ v: 1 }], ['0 change r0 {"w":2}']],
		['read, and not there', [byId({ v: 1 })], [], ["0 refused: Card 'C' has no record 'r0'"]],
		['deleted', [byId({}, { columns: undefined })], undefined, ['0 delete r0 {}']],
	])('%s', async (_, wishes, records, expected) => {
		expect(told(await planOf(wishes, records, withoutKey))).toEqual(expected);
	});
});

describe('by conditions', () => {
	const matching = (from: number, values: Data, entry = {}, most = 2): Wish => {
		const find = { by: 'filter', filters: {}, matchType: 'allConditions', label: 'Max' } as const;
		return wish({ ...find, most }, values, { test: ({ data }) => data.v === from }, entry);
	};
	test.each<[string, Wish[], string[]]>([
		[
			'items take turns',
			[matching(1, { v: 2 }), matching(2, { v: 3 })],
			[
				...['0 change r0 {"v":2}', '0 change r1 {"v":2}'],
				"1 refused: 3 records of card 'C' would be updated, but 'Max' is 2",
			],
		],
		[
			'what is equal does not count',
			[matching(1, { v: 1 }, {}, 1)],
			['0 keep r0 {}', '0 keep r1 {}'],
		],
		[
			'deleted once',
			[matching(1, {}, { columns: undefined }), matching(1, {}, { columns: undefined })],
			[...['0 delete r0 {}', '0 delete r1 {}']],
		],
	])('%s', async (_, wishes, expected) => {
		const records = [{ v: 1 }, { v: 1 }, { v: 2 }];
		expect(told(await planOf(wishes, records, withoutKey))).toEqual(expected);
	});
});

describe('Sync', () => {
	const isIn = ({ data }: { data: Data }) => data.in !== false;
	const gone = (count: number) => Array.from({ length: count }, (_, n) => ({ k: `x${n}` }));
	const A = keyed({ k: 'a' });
	test.each<[string, Partial<SyncRules>, Data[], string[]]>([
		['records without an item stay', {}, [{ k: 'a' }, { k: 'x' }], ['0 keep r0 {}']],
		[
			'… or are deleted',
			{ deletes: true },
			[{ k: 'a' }, { k: 'x' }],
			['0 keep r0 {}', 'delete r1'],
		],
		[
			'0 lets five go',
			{ deletes: true },
			gone(5),
			[
				...[
					'0 create new {"k":"a"}',
					'delete r0',
					'delete r1',
					'delete r2',
					'delete r3',
					'delete r4',
				],
			],
		],
		[
			'only those that take part',
			{ deletes: true, meets: isIn },
			[{ k: 'x', in: false }, { k: 'y' }],
			[...['0 create new {"k":"a"}', 'delete r1']],
		],
		[
			'two keys outside the conditions',
			{ meets: isIn },
			[
				{ k: 'x', in: false },
				{ k: 'x', in: false },
			],
			['0 create new {"k":"a"}'],
		],
	])('%s', async (_, sync, records, expected) => {
		expect(told(await planOf([A], records, rules(sync)))).toEqual(expected);
	});

	test.each<[string, Wish[], Partial<SyncRules>, Data[], string]>([
		['two items with one key', [A, A], {}, [], 'Several items have the same values'],
		['a key twice in the card', [A], {}, [{ k: 'x' }, { k: 'x' }], 'Several records of card'],
		['a blank key in the card', [A], {}, [{ v: 1 }], "is empty in 1 record of card 'C'"],
		[
			'a record outside the conditions',
			[A],
			{ meets: isIn },
			[{ k: 'a', in: false }],
			"of 1 item don't meet",
		],
		[
			'values outside them',
			[keyed({ k: 'a', in: false })],
			{ meets: isIn },
			[],
			"of 1 item don't meet",
		],
		[
			'more than five deletions',
			[A],
			{ deletes: true },
			gone(6),
			"6 of 6 records of card 'C' have no item",
		],
		[
			'more than a tenth',
			[A],
			{ deletes: true },
			[...gone(7), ...Array.from({ length: 62 }, (_, n) => ({ k: n }))],
			'69 of 69 records',
		],
		[
			'more than given',
			[A],
			{ deletes: true, maxDeletions: 1 },
			gone(2),
			"'Max Records to Delete' is 1",
		],
	])('%s is refused', async (_, wishes, sync, records, message) => {
		await expect(planOf(wishes, records, rules(sync))).rejects.toThrow(message);
	});

	test('as many deletions as allowed, or any number', async () => {
		for (const [maxDeletions, count] of [
			[2, 2],
			[Infinity, 500],
		] as const) {
			const plan = await planOf([A], gone(count), rules({ deletes: true, maxDeletions }));
			expect(plan.deletions).toHaveLength(count);
		}
		const kept = Array.from({ length: 80 }, (_, n) => keyed({ k: n }));
		const records = [...kept.map(({ values }) => values), ...gone(8)];
		expect((await planOf(kept, records, rules({ deletes: true }))).deletions).toHaveLength(8);
	});
});
