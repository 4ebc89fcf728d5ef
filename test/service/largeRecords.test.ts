/** Records of 1 MB: each piece of work on them is short, so that nobody waits for a key that has many. */
import fastify from 'fastify';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { machineClock } from '../../service/foundation/clock.ts';
import { defaultQuotas } from '../../service/foundation/quotas.ts';
import { answerInTurns, readLargeBodies } from '../../service/http/largeRequests.ts';
import { afterAll as afterAllRecords } from '../../service/storage/recordRows.ts';
import { openStore, type Store } from '../../service/storage/store.ts';
import { leastOf, workMs } from '../support/cpuTime.mts';

describe('(L2) among records of 1 MB', () => {
	const count = 32;
	let store: Store;
	let cardId: string;
	let ids: string[];
	beforeEach(() => {
		store = openStore(':memory:', machineClock, defaultQuotas);
		const { id } = store.identities.createWorkspace('Workspace', 'owner@example.com');
		cardId = store.cards.create(id, 'Card', '').id;
		const data = { 1: 'x'.repeat(1_000_000) };
		ids = Array.from({ length: count }, () => store.records.create(cardId, data).id);
	});
	afterEach(() => store.close());

	test('one is found without reading the others', async () => {
		const searches = 100;
		const search = () => {
			for (let n = 0; n < searches; n++) store.records.bytesOf(cardId, ids[n % count] ?? '');
		};
		// Reading the records on the way takes 1 ms and more for each search.
		expect(await leastOf(50, async () => await workMs(search))).toBeLessThan(50);
	});

	test('what has no room in a page is not read', () => {
		const parse = jest.spyOn(JSON, 'parse');
		expect(store.records.piece(cardId, '', 10, 1_000)).toEqual({
			records: [],
			bytes: 0,
			end: 'room',
		});
		expect(parse).not.toHaveBeenCalled();
		parse.mockRestore();
		const { records } = store.records.piece(cardId, '', 10, 1_000, true);
		expect(records.map(({ id }) => id)).toEqual([ids[0]]);
	});

	test('a step of a search or of a check reads a few of them', () => {
		const newest = store.records.someBefore(cardId, afterAllRecords);
		expect(newest.length).toBeGreaterThan(0);
		expect(newest.length).toBeLessThan(count);
		expect(newest.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, newest.length));
		const { values, last } = store.records.someValues(cardId, 1, '');
		expect(values.length).toBeLessThan(count);
		expect(last).toBe(ids[values.length - 1]);
	});

	test.each<[string, (id: string) => void]>([
		['card', (id) => store.leftovers.add('card', id)],
		['field', (id) => store.leftovers.add('field', id, 1)],
	])('a step that clears a deleted %s away touches one of them', (_name, remove) => {
		const touched = () =>
			ids.filter((id) => (store.records.find(cardId, id)?.data[1] ?? null) === null).length;
		remove(cardId);
		for (const step of [1, 2, 3]) {
			expect(store.leftovers.clearSome()).toBe(true);
			expect(touched()).toBe(step);
		}
		while (store.leftovers.clearSome());
		expect(touched()).toBe(count);
	});
});

test('(L2) the steps of a large request have turns of their own, and its answer is the same', async () => {
	const app = fastify();
	const turns: string[] = [];
	const turn = async () => {
		await nextTurn();
		turns.push('turn');
	};
	readLargeBodies(app, turn);
	answerInTurns(app, ({ rid }) => rid === 'large');
	const slow = (n: number) => ({
		toJSON() {
			const until = performance.now() + 2;
			while (performance.now() < until);
			return { n };
		},
	});
	app.get('/records/:rid', () => {
		turns.push('work');
		return { records: [1, 2, 3, 4, 5, 6].map(slow), next_cursor: null, none: undefined };
	});
	const small = await app.inject('/records/small');
	expect(turns.splice(0)).toEqual(['work']);
	const large = await app.inject('/records/large');
	expect(turns.slice(0, 4)).toEqual(['turn', 'work', 'turn', 'turn']);
	expect(large.body).toBe(small.body);
	expect(large.headers['content-type']).toBe(small.headers['content-type']);
	await app.close();
});

test('(L2) a large answer is the same as a small one, to the byte, wherever it is cut', async () => {
	const app = fastify();
	readLargeBodies(app, async () => void (await nextTurn()));
	answerInTurns(app, ({ rid }) => rid !== undefined);
	// Each is cut between or within the two code units of a character, from the first 256 Ki characters on.
	const faces = (before: number) => 'x'.repeat(before) + '😀é'.repeat(200_000);
	const answers: object[] = [
		...[0, 1, 2, 3].map((before) => [faces(before)]),
		...[0, 1, 2, 3].map((before) => ({ records: [{ data: faces(before) }], next_cursor: null })),
		...[[], {}, { records: [] }, { none: undefined }, { a: 1, records: [1, 'b'], b: {} }],
	];
	app.get('/small/:n', ({ params }) => answers[Number((params as { n: string }).n)]);
	app.get('/large/:n/:rid', ({ params }) => answers[Number((params as { n: string }).n)]);
	for (const n of answers.keys()) {
		const [small, large] = [await app.inject(`/small/${n}`), await app.inject(`/large/${n}/r`)];
		expect(large.rawPayload.equals(small.rawPayload)).toBe(true);
		expect(large.headers['content-length']).toBe(small.headers['content-length']);
	}
	await app.close();
});
