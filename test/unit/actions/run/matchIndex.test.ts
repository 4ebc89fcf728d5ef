/** How items find their records by values: listed records, and records that this process has written since. */
import {
	createMatchIndex,
	identityOf,
} from '../../../../nodes/WorkspaceData/actions/run/matchIndex';
import {
	createRecordStates,
	type WriteEvent,
} from '../../../../nodes/WorkspaceData/actions/run/recordStates';
import { indexFields } from '../../../../nodes/WorkspaceData/model/fieldIndex';
import { UNKNOWN_ID, type DataRecord } from '../../../../nodes/WorkspaceData/model/answer/record';
import type { JsonObject } from '../../../../nodes/WorkspaceData/model/answer/shapes';
import { field } from '../../model/fields';
import { zone } from '../../model/value/zone';

const recordOf = (id: string, data: JsonObject, createdAt: string | null = null): DataRecord => ({
	id,
	data,
	createdAt,
	raw: { id, data, owner: 'Ada' },
});

/** An index of the records that the service lists now. */
async function indexOf(listed: DataRecord[], fieldIds = ['key']) {
	const states = createRecordStates();
	const keyOf = (data: JsonObject) => JSON.stringify(fieldIds.map((id) => data[id] ?? null));
	const index = createMatchIndex(
		async (take) => {
			await Promise.resolve();
			reads += 1;
			listed.forEach(take);
			return true;
		},
		{ keyOf, nearKeyOf: (data) => keyOf(data).toLowerCase(), yieldToLoop: async () => {} },
		fieldIds,
		states,
	);
	let reads = 0;
	await index.read();
	const apply = (...events: WriteEvent[]) => {
		for (const event of events) {
			states.apply(event);
			index.apply(event);
		}
	};
	return {
		apply,
		all: () => index.all().map(({ id }) => id),
		find: async (data: JsonObject) => await index.find(data),
		ids: async (data: JsonObject) => (await index.find(data)).map(({ id }) => id),
		reads: () => reads,
	};
}

const created = (id: string, sent: JsonObject, held = sent): WriteEvent => ({
	type: 'created',
	record: recordOf(id, held),
	sent,
});
const changed = (id: string, sent: JsonObject, held = sent): WriteEvent[] => [
	{ type: 'changing', id },
	{ type: 'changed', record: { ...recordOf(id, held), raw: { id } }, sent },
];
const deleted = (id: string): WriteEvent[] => [
	{ type: 'changing', id },
	{ type: 'deleted', id },
];

test('several records with the same values are all found, the oldest first, however they are listed', async () => {
	const { ids, all } = await indexOf([
		recordOf('r4', { key: 'a' }),
		recordOf('r2', { key: 'a' }, '2026-01-02T00:00:00Z'),
		recordOf('r3', { key: 'a' }, '2026-01-03T00:00:00Z'),
		recordOf('r1', { key: 'a' }, '2026-01-01T00:00:00Z'),
		recordOf('r5', { key: 'b' }),
	]);
	expect(await ids({ key: 'a' })).toEqual(['r1', 'r2', 'r3', 'r4']);
	expect(await ids({ key: 'b' })).toEqual(['r5']);
	expect(await ids({ key: 'c' })).toEqual([]);
	expect(all().sort()).toEqual(['r1', 'r2', 'r3', 'r4', 'r5']);
});

describe('a record that this process has written', () => {
	test('is found by the values it was sent, and by those that the service keeps', async () => {
		const { apply, ids, all } = await indexOf([]);
		apply(created('n1', { key: 'A' }, { key: 'a' }));
		expect(await ids({ key: 'A' })).toEqual(['n1']);
		expect(await ids({ key: 'a' })).toEqual(['n1']);
		expect(all()).toEqual(['n1']);
	});

	test('is still found by them after a change of other values', async () => {
		const { apply, ids } = await indexOf([]);
		apply(created('n1', { key: 'A' }, { key: 'a' }), ...changed('n1', { pages: 5 }));
		expect(await ids({ key: 'A' })).toEqual(['n1']);
		expect(await ids({ key: 'a' })).toEqual(['n1']);
	});

	test('is found by its new values only, once these were changed', async () => {
		const { apply, ids, all } = await indexOf([recordOf('r1', { key: 'a' })]);
		apply(created('n1', { key: 'A' }, { key: 'x' }));
		apply(...changed('r1', { key: 'b' }), ...changed('n1', { key: 'B' }, { key: 'y' }));
		expect(await ids({ key: 'a' })).toEqual([]);
		expect(await ids({ key: 'b' })).toEqual(['r1']);
		for (const key of ['A', 'x']) expect(await ids({ key })).toEqual([]);
		for (const key of ['B', 'y']) expect(await ids({ key })).toEqual(['n1']);
		expect(all().sort()).toEqual(['n1', 'r1']);
	});

	test('keeps what only the listing shows of it', async () => {
		const { apply, find } = await indexOf([recordOf('r1', { key: 'a' })]);
		apply(...changed('r1', { key: 'a', pages: 5 }));
		const data = { key: 'a', pages: 5 };
		expect(await find({ key: 'a' })).toEqual([
			{ ...recordOf('r1', data), raw: { id: 'r1', data, owner: 'Ada' } },
		]);
	});

	test('keeps it also where several have these values', async () => {
		const twins = ['r1', 'r2'].map((id) => recordOf(id, { key: 'a' }));
		const { apply, find } = await indexOf(twins);
		apply(...changed('r1', { key: 'a', pages: 5 }));
		expect((await find({ key: 'a' })).map(({ raw }) => raw.owner)).toEqual(['Ada', 'Ada']);
	});

	test('is not found any more after its deletion', async () => {
		const twins = ['r1', 'r2'].map((id) => recordOf(id, { key: 'a' }));
		const { apply, ids, all } = await indexOf(twins);
		apply(...deleted('r1'));
		expect(await ids({ key: 'a' })).toEqual(['r2']);
		expect(all()).toEqual(['r2']);
		apply(...deleted('r2'));
		expect(await ids({ key: 'a' })).toEqual([]);
		expect(all()).toEqual([]);
	});
});

describe('H7 of two fields to match on, another execution changes one', () => {
	const two = async () => await indexOf([recordOf('r1', { a: 1, b: 1 })], ['a', 'b']);

	test('the record is found by the values that it holds then, so it is not created twice', async () => {
		const { apply, ids, all } = await two();
		apply(...changed('r1', { b: 2 }, { a: 1, b: 2 }));
		expect(await ids({ a: 1, b: 2 })).toEqual(['r1']);
		expect(await ids({ a: 1, b: 1 })).toEqual([]);
		expect(all()).toEqual(['r1']);
	});

	test('the record is not taken for one whose other value is empty, and so not overwritten', async () => {
		const { apply, ids } = await two();
		apply(...changed('r1', { b: 2 }, { a: 1, b: 2 }));
		expect(await ids({ a: null, b: 2 })).toEqual([]);
		expect(await ids({ b: 2 })).toEqual([]);
	});

	test('the value that was sent belongs to the one that the record holds', async () => {
		const { apply, ids } = await two();
		apply(...changed('r1', { b: 'B' }, { a: 1, b: 'b' }));
		expect(await ids({ a: 1, b: 'B' })).toEqual(['r1']);
		expect(await ids({ a: 1, b: 'b' })).toEqual(['r1']);
	});

	test('it is no longer found by what was sent for it before', async () => {
		const { apply, ids } = await two();
		apply(...changed('r1', { a: 'A', b: 'B' }, { a: 'x', b: 'x' }));
		expect(await ids({ a: 'A', b: 'B' })).toEqual(['r1']);
		apply(...changed('r1', { b: 'C' }, { a: 'x', b: 'c' }));
		expect(await ids({ a: 'A', b: 'B' })).toEqual([]);
		expect(await ids({ a: 'x', b: 'c' })).toEqual(['r1']);
	});
});

describe('a service that does not tell the ID of a new record', () => {
	const NO_ID = created(UNKNOWN_ID, { key: 'a' });
	const LOST: WriteEvent = { type: 'maybeCreated', sent: { key: 'a' } };

	test.each([
		['that was created', NO_ID],
		['whose creation got no answer', LOST],
	])('a record %s is looked up in a new listing, once for all items', async (_, event) => {
		const listed = [recordOf('r1', { key: 'b' })];
		const { apply, ids, reads, all } = await indexOf(listed);
		apply(event);
		listed.push(recordOf('r2', { key: 'a' }));
		expect(await Promise.all([ids({ key: 'a' }), ids({ key: 'a' })])).toEqual([['r2'], ['r2']]);
		expect(await ids({ key: 'a' })).toEqual(['r2']);
		expect(reads()).toBe(2);
		expect(all().sort()).toEqual(['r1', 'r2']);
	});

	test('items with other values need no new listing', async () => {
		const { apply, ids, reads } = await indexOf([recordOf('r1', { key: 'b' })]);
		apply(NO_ID);
		expect(await ids({ key: 'b' })).toEqual(['r1']);
		expect(await ids({ key: 'c' })).toEqual([]);
		expect(reads()).toBe(1);
	});

	test.each([
		['was created', NO_ID, 'that an earlier item created cannot be found'],
		['may have been created', LOST, 'may have created this record, but'],
	])('nothing is written twice where it %s, but is not listed', async (_, event, message) => {
		const { apply, ids, reads } = await indexOf([]);
		apply(event);
		await expect(ids({ key: 'a' })).rejects.toThrow(message);
		await expect(ids({ key: 'a' })).rejects.toThrow(message);
		expect(reads()).toBe(2);
		// Another execution has created it, and knows its ID.
		apply(created('n1', { key: 'a' }));
		expect(await ids({ key: 'a' })).toEqual(['n1']);
	});

	test('creates that are under way end before the new listing: it shows them all', async () => {
		const listed: DataRecord[] = [];
		const { apply, ids } = await indexOf(listed);
		let settle = (_: { failed: boolean }): void => {};
		const settled = new Promise<void>((resolve, reject) => {
			settle = ({ failed }) => (failed ? reject(new Error('lost')) : resolve());
		});
		apply(LOST, { type: 'creating', settled });
		const found = ids({ key: 'a' });
		await new Promise(setImmediate);
		listed.push(recordOf('r1', { key: 'a' }));
		settle({ failed: true });
		expect(await found).toEqual(['r1']);
	});

	test('a deleted record that is still listed stays away', async () => {
		const { apply, ids, all } = await indexOf([
			recordOf('r1', { key: 'a' }),
			recordOf('r2', { key: 'b' }),
		]);
		apply(...deleted('r2'), LOST);
		expect(await ids({ key: 'a' })).toEqual(['r1']);
		expect(await ids({ key: 'b' })).toEqual([]);
		expect(all()).toEqual(['r1']);
	});
});

test('values of a field that the card does not list are the same where their JSON is', () => {
	const index = indexFields([field('Pages', 'number')], 'Books');
	const identity = (value: unknown) => identityOf(index, 'gone', value, zone);
	expect(identity({ a: 1 })).toBe(identity({ a: 1 }));
	expect(identity(1)).not.toBe(identity(2));
	expect(identity(undefined)).toBe(identity(null));
	expect(identity(0)).not.toBe(identity(null));
});
