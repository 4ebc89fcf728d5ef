/** Since Last Run: what n8n keeps for a node between two runs, and what of it counts. */
import { getManyRecords } from '../../../../nodes/WorkspaceData/actions/record/getAll.operation';
import type { JsonObject } from '../../../../nodes/WorkspaceData/model/answer/shapes';
import {
	tokenOf,
	writeSeen,
	type ValueText,
} from '../../../../nodes/WorkspaceData/model/recordMemory';
import {
	cardOf,
	memoryService,
	type Given,
	type MemoryService,
} from '../../../support/memoryService';
import { FIELDS, ROWS, books, cardId, keysOf, many, run, where } from '../record/books';

const NEW = { since: 'new', returnAll: true };
const CHANGED = { since: 'newOrChanged', returnAll: true };
const START_AGAIN = { options: { startAgain: 'x' } };
const ofCard = (value: string) => ({ cardId: { ...cardId, value } });

/** A node whose static data stay, and how often they were set. */
function nodeOf(service: MemoryService, saved?: object[]) {
	const kept: JsonObject = saved ? { returnedRecords: JSON.stringify(saved) } : {};
	let saves = 0;
	const staticData = new Proxy(kept, {
		set(target, key, value) {
			saves += 1;
			return Reflect.set(target, key, value);
		},
	});
	const get = async (given: Given | Given[]) =>
		await run(service, getManyRecords, given, { staticData });
	return {
		get,
		keys: async (given: Given) => keysOf((await get(given)).json),
		saved: () => JSON.parse(String(kept.returnedRecords)) as Array<Record<string, unknown>>,
		saves: () => saves,
	};
}

const recordsOf = ({ cards }: MemoryService) => cards[0]?.records ?? [];

describe('what an earlier version has saved', () => {
	/** All books count as returned, by tokens made of the JSON of their values. */
	const savedBefore = (by: 'new' | 'newOrChanged') => {
		const names = new Map(FIELDS.map(({ name }, n) => [`f${n + 1}`, name]));
		const jsonOf: ValueText = (id, value) => [names.get(id) ?? id, JSON.stringify(value)];
		const tokens = recordsOf(books()).map((record) =>
			tokenOf({ ...record, createdAt: null, raw: {} }, by, jsonOf),
		);
		return { card: 'c1', by, mark: '', tokens: tokens.join('') };
	};

	test.each([
		['new', NEW],
		['newOrChanged', CHANGED],
	] as const)('counts after the upgrade, by %s: nothing comes a second time', async (by, given) => {
		const { keys } = nodeOf(books(), [savedBefore(by)]);
		expect(await keys(given)).toEqual([]);
		expect(await keys(given)).toEqual([]);
	});

	test('a record that changed with the upgrade comes, and only once', async () => {
		const service = books();
		const { keys } = nodeOf(service, [savedBefore('newOrChanged')]);
		Object.assign(recordsOf(service)[1]?.data ?? {}, { f2: 100 });
		expect(await keys(CHANGED)).toEqual(['b']);
		expect(await keys(CHANGED)).toEqual([]);
	});
});

describe('records older than all that are remembered', () => {
	const upTo = { at: Date.UTC(2026, 0, 1, 0, 1), id: 'r2' };
	const saved = [
		{ card: 'c1', by: 'new', mark: '', ...writeSeen({ tokens: new Set(), spans: [{ upTo }] }) },
	];

	test('count as returned, and the others come', async () => {
		const { keys } = nodeOf(books(), saved);
		expect(await keys(NEW)).toEqual(['c']);
		expect(await keys(NEW)).toEqual([]);
	});

	test('count for the question that they were saved for only', async () => {
		expect(await nodeOf(books(), saved).keys(CHANGED)).toHaveLength(3);
	});
});

describe('a record counts as changed', () => {
	const names = ['Key', 'Other'].map((name) => ({ name, type: 'text' }));
	const notes = () => memoryService(cardOf(names, [{ Key: 'a' }]));

	test('where a value went from one field to another', async () => {
		const service = notes();
		const { get } = nodeOf(service);
		expect((await get(CHANGED)).json).toHaveLength(1);
		const [first] = recordsOf(service);
		if (first) first.data = { f2: 'a' };
		expect((await get(CHANGED)).json).toHaveLength(1);
		expect((await get(CHANGED)).json).toEqual([]);
	});

	test('where values of fields that the card does not list differ', async () => {
		const service = notes();
		const { get } = nodeOf(service);
		const [first] = recordsOf(service);
		for (const data of [{ gone: 1 }, { gone: 2 }, { lost: 2 }]) {
			if (first) first.data = data;
			expect((await get(CHANGED)).json).toHaveLength(1);
		}
	});

	test('not where its fields have other IDs: somebody has made them again', async () => {
		const service = notes();
		const { keys } = nodeOf(service);
		expect(await keys(CHANGED)).toEqual(['a']);
		for (const field of service.cards[0]?.fields ?? []) field.id = `${field.id}-again`;
		const [first] = recordsOf(service);
		if (first) first.data = { 'f1-again': 'a' };
		expect(await keys(CHANGED)).toEqual([]);
	});
});

describe('conditions', () => {
	test.each([NEW, CHANGED])('what does not meet them comes when it does (%j)', async (since) => {
		const { keys } = nodeOf(books());
		expect(await keys({ ...since, ...where('Status', 'Open') })).toEqual(['a', 'c']);
		expect(await keys(since)).toEqual(['b']);
		expect(await keys(since)).toEqual([]);
	});
});

describe('one run of several items', () => {
	test('each gets the records of its own card', async () => {
		const service = memoryService(
			cardOf(FIELDS, ROWS),
			cardOf(FIELDS, [{ Key: 'x' }], { id: 'c2', name: 'Films' }),
		);
		const { get, saved } = nodeOf(service);
		const { outputs } = await get([NEW, { ...NEW, ...ofCard('c2') }]);
		expect(outputs.map(keysOf)).toEqual([['a', 'b', 'c'], ['x']]);
		expect(saved().map(({ card }) => card)).toEqual(['c1', 'c2']);
	});

	test('what a limit holds back comes in the next run, before anything newer', async () => {
		const { get, keys } = nodeOf(many(2_005));
		const first = { since: 'new', returnAll: false, limit: 1 };
		// Newer ones are returned, more than are remembered one by one, and two older ones remain.
		const newer = { ...NEW, ...where('Pages', 3, 'greaterOrEqual') };
		expect((await get([first, newer])).outputs.map(({ length }) => length)).toEqual([1, 2_002]);
		expect(await keys(NEW)).toEqual(['k1', 'k2']);
		expect(await keys(NEW)).toEqual([]);
	});
});

describe('what is saved', () => {
	test('is set only where it changes: n8n writes it to its database each time', async () => {
		const { get, saves } = nodeOf(books());
		await get(NEW);
		await get(NEW);
		expect(saves()).toBe(1);
	});

	test('under another mark forgets all cards, and all questions about them', async () => {
		const { keys, saved } = nodeOf(books());
		await keys(CHANGED);
		await keys({ ...NEW, ...START_AGAIN });
		expect(saved()).toHaveLength(1);
		expect(await keys(CHANGED)).toHaveLength(3);
	});

	test('is replaced where it cannot be read', async () => {
		const { keys, saved } = nodeOf(books(), [{ card: 5, mark: '' }]);
		expect(await keys(NEW)).toHaveLength(3);
		expect(saved()).toEqual([expect.objectContaining({ card: 'c1', by: 'new' })]);
	});
});

test('a run of the published workflow says nothing about manual runs', async () => {
	expect((await nodeOf(books()).get(NEW)).hints).toEqual([]);
});

test.each([
	[10_000, CHANGED, 0],
	[10_001, CHANGED, 1],
	[10_001, NEW, 0],
])('of %d records with %j, too many to compare: %d', async (count, given, failures) => {
	const { errors, json } = await nodeOf(many(count)).get(given);
	expect(errors).toEqual(
		Array.from({ length: failures }, () =>
			expect.objectContaining({
				message: `10001 records of card 'c1' are too many to compare: 'New or Changed Records' can compare 10000`,
			}),
		),
	);
	expect(json).toHaveLength(failures ? 0 : count);
});

test('with conditions that few records meet, any number can be compared', async () => {
	const few = where('Pages', 2, 'lessOrEqual');
	expect(await nodeOf(many(10_001)).keys({ ...CHANGED, ...few })).toEqual(['k0', 'k1', 'k2']);
});
