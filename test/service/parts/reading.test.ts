/** Reading records and cards: pages, counts and searches, over a store alone. */
import { heavyBytes } from '../../../service/foundation/heavyWork.ts';
import { openedStore } from './openedStore.ts';

type Opened = ReturnType<typeof openedStore>;
let all: Opened;
let cid: string;
let fid: string;
const open = (quotas = {}) => {
	all = openedStore(quotas);
	const { data, wid } = all;
	cid = data.cards.create(wid, { name: 'Card' }).id;
	fid = data.fields.create(wid, cid, { name: 'x', type: 'long_text' }).id;
};
beforeEach(() => open());
afterEach(() => {
	jest.restoreAllMocks();
	all.store.close();
});

const add = (value: unknown) => all.data.records.create(all.wid, cid, { [fid]: value }).id;
const addMany = (count: number, value: (n: number) => unknown = (n) => `value ${n}`) =>
	all.store.database.transaction(() => Array.from({ length: count }, (_, n) => add(value(n))));

describe('a page', () => {
	/** Reads a page; how many turns it took, too. */
	async function page(limit: number, after = '') {
		let turns = 0;
		const turn = async () => void (turns += 1);
		const { records, more } = await all.data.records.page(all.wid, cid, { after, limit }, turn);
		return { ids: records.map(({ id }) => id), more, turns };
	}

	test('has as many records as are asked for, and says whether there are more', async () => {
		jest.spyOn(performance, 'now').mockReturnValue(0);
		const ids = addMany(3);
		expect(await page(2)).toEqual({ ids: ids.slice(0, 2), more: true, turns: 0 });
		expect(await page(3)).toEqual({ ids, more: false, turns: 0 });
		expect(await page(2, ids[1])).toEqual({ ids: ids.slice(2), more: false, turns: 0 });
		expect(await page(2, ids[2])).toEqual({ ids: [], more: false, turns: 0 });
	});

	test('that is large is read in turns, and loses and repeats nothing', async () => {
		jest.spyOn(performance, 'now').mockReturnValue(0);
		const ids = addMany(5, () => 'x'.repeat(heavyBytes / 2));
		expect(await page(10)).toEqual({ ids, more: false, turns: 1 });
		expect(await page(5)).toEqual({ ids, more: false, turns: 1 });
		expect(await page(4)).toEqual({ ids: ids.slice(0, 4), more: true, turns: 1 });
	});

	test('ends where the next record has no room, but has one at least', async () => {
		all.store.close();
		open({ pageBytes: 100_000 });
		const ids = [...addMany(1, () => 'x'.repeat(150_000)), ...addMany(3, () => 'x'.repeat(45_000))];
		expect((await page(10)).ids).toEqual(ids.slice(0, 1));
		expect(await page(10, ids[0])).toMatchObject({ ids: ids.slice(1, 3), more: true });
		expect(await page(10, ids[2])).toMatchObject({ ids: ids.slice(3), more: false });
	});

	test('that takes long is read in turns, too', async () => {
		let now = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => (now += 0.6));
		const ids = addMany(6);
		const { turns, ...read } = await page(10);
		expect(read).toEqual({ ids, more: false });
		expect(turns).toBeGreaterThan(1);
	});

	test('has room for exactly its bytes: 84 and the data for each record', () => {
		jest.spyOn(performance, 'now').mockReturnValue(0);
		addMany(3, () => 'abc');
		const { records, bytes, end } = all.store.records.piece(cid, '', 10, 1e9);
		const each = 84 + Buffer.byteLength('{"1":"abc"}');
		expect([records.length, bytes, end]).toEqual([3, each * 3, 'card']);
		const ended = (room: number, takesOne?: boolean) => {
			const piece = all.store.records.piece(cid, '', 10, room, takesOne);
			return [piece.records.length, piece.end];
		};
		expect(ended(each * 3)).toEqual([3, 'card']);
		expect(ended(each * 3 - 1)).toEqual([2, 'room']);
		expect(ended(each - 1)).toEqual([0, 'room']);
		expect(ended(1)).toEqual([0, 'room']);
		expect(ended(1, true)).toEqual([1, 'room']);
		expect(ended(each * 2 - 1, true)).toEqual([1, 'room']);
	});
});

describe('a count', () => {
	test.each([0, 1, 4_999, 5_000, 5_001, 10_000])('of %d records is right', async (count) => {
		const insert = all.store.database.sql.prepare(
			`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
			INSERT INTO records SELECT ?1, printf('%06d', n), '{}', '' FROM numbers WHERE n <= ?2`,
		);
		insert.run(cid, count);
		expect(await all.data.records.count(all.wid, cid)).toBe(count);
	});
});

describe('a search', () => {
	const search = async (text: string, limit = 10, before?: string) =>
		await all.data.records.search(all.wid, cid, { text, before, limit });

	test('finds a text in any case, newest first, in any kind of value', async () => {
		const json = all.data.fields.create(all.wid, cid, { name: 'y', type: 'json' }).id;
		const a = add('Größe ÄB');
		const b = all.data.records.create(all.wid, cid, { [json]: { deep: ['xäby'] } }).id;
		add('other');
		const { records, next } = await search('äb');
		expect([records.map(({ id }) => id), next]).toEqual([[b, a], null]);
		expect((await search('')).records).toHaveLength(3);
		expect((await search('none')).records).toEqual([]);
		all.data.records.create(all.wid, cid, {});
		expect((await search('')).records).toHaveLength(4);
		expect((await search('other')).records).toHaveLength(1);
	});

	test('continues before the last one that it has looked at', async () => {
		const ids = addMany(120, (n) => (n % 2 === 0 ? 'even' : 'odd')).reverse();
		const wanted = ids.filter((_, place) => place % 2 === 1);
		const first = await search('even', 25);
		expect(first.records.map(({ id }) => id)).toEqual(wanted.slice(0, 25));
		const second = await search('even', 100, first.next ?? '');
		expect(second.records.map(({ id }) => id)).toEqual(wanted.slice(25));
		expect(second.next).toBeNull();
	});

	test('that takes more than two seconds ends with what it has found', async () => {
		const ids = addMany(300).reverse();
		let now = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => (now += 6));
		const { records, next } = await search('', 1_000);
		expect(records.length).toBeGreaterThan(5);
		expect(records.length).toBeLessThan(200);
		expect(records.map(({ id }) => id)).toEqual(ids.slice(0, records.length));
		expect(next).toBe(records.at(-1)?.id);
	});
});

test('a record is large from 32 KiB on', () => {
	const frame = '{"1":""}'.length;
	const small = add('x'.repeat(heavyBytes - frame - 1));
	const large = add('x'.repeat(heavyBytes - frame));
	const { isLarge } = all.data.records;
	expect([isLarge(cid, small), isLarge(cid, large), isLarge(cid, 'none')]).toEqual([
		false,
		true,
		false,
	]);
});

test('a long list of cards is read in turns, in the order of their creation', async () => {
	const { data, wid } = all;
	const description = 'x'.repeat(10_000);
	for (let n = 0; n < 9; n++) data.cards.create(wid, { name: `Card ${n}`, description });
	let turns = 0;
	const cards = await data.cards.listInTurns(wid, async () => void (turns += 1));
	expect(turns).toBe(2);
	expect(cards).toEqual(data.cards.list(wid));
	expect(cards).toHaveLength(10);
	// The name and the description count, and 160 bytes.
	const room = (bytes: number) => all.store.cards.some(wid, 0, bytes).cards.length;
	expect([room(164), room(165), room(164 + 10_166), room(164 + 10_167)]).toEqual([1, 2, 2, 3]);
});

describe('a change of a field', () => {
	test('looks at every value of its card, in slices, and lets none in meanwhile that does not fit', async () => {
		const { data, wid } = all;
		addMany(60, () => '12');
		const text = data.fields.create(wid, cid, { name: 't', type: 'text' }).id;
		data.records.create(wid, cid, { [text]: 'a@b' });
		const last = data.records.create(wid, cid, { [text]: 'nobody' }).id;
		const change = async () => await data.fields.update(wid, cid, text, { type: 'email' });
		await expect(change()).rejects.toThrow('not of type "email": expected an e-mail address');
		data.records.update(wid, cid, last, { [text]: 'c@d' });
		const changing = change();
		await expect(change()).rejects.toThrow('is being changed by another request');
		expect((await changing).type).toBe('email');
		expect(() => data.records.create(wid, cid, { [text]: 'nobody' })).toThrow('e-mail address');
	});

	test('keeps the ids of options by id, by name, or by what a name was called before', async () => {
		const { data, wid } = all;
		const made = data.fields.create(wid, cid, {
			name: 's',
			type: 'single_select',
			options: ['A', 'B'],
		});
		const [a = '', b = ''] = made.options.map(({ id }) => id);
		const change = async (...options: object[]) =>
			(await data.fields.update(wid, cid, made.id, { options: options as never })).options;
		expect(await change({ id: b, name: 'A' }, { id: a, name: 'B' })).toEqual([
			{ id: b, name: 'A' },
			{ id: a, name: 'B' },
		]);
		expect(await change({ value: 'A', label: 'C' }, { name: 'B' })).toEqual([
			{ id: b, name: 'C' },
			{ id: a, name: 'B' },
		]);
		const [first, second] = await change({ id: b, name: 'D' }, { id: b, name: 'E' });
		expect(first).toEqual({ id: b, name: 'D' });
		expect(second?.id).toMatch(/^opt_/);
		expect(second?.id).not.toBe(b);
	});

	test('of its name alone, or to what it is, changes nothing else', async () => {
		const { data, wid } = all;
		const input = { name: 's', type: 'multi_select' as const, options: ['A'] };
		const made = data.fields.create(wid, cid, input);
		expect(await data.fields.update(wid, cid, made.id, { name: 's' })).toBe(
			data.fields.get(wid, cid, made.id),
		);
		const renamed = await data.fields.update(wid, cid, made.id, { name: 't' });
		expect(renamed).toEqual({ ...made, name: 't' });
		const text = await data.fields.update(wid, cid, made.id, { type: 'text' });
		expect(text).toEqual({ ...made, name: 't', type: 'text', options: [] });
		await expect(data.fields.update(wid, cid, made.id, { options: ['A'] })).rejects.toThrow(
			'has no options',
		);
	});
});
