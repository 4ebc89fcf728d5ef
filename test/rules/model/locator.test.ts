/** Which card, record or field a person has chosen, in whatever way n8n gives it. */
import {
	cardsOfName,
	findCardByName,
	locateCard,
	locatorValue,
	peekLocator,
	readLocator,
} from '../../../nodes/WorkspaceData/model/locator';

const card = (id: string, name: string) => ({ id, name, raw: {} });
const cards = [
	card('c1', 'Orders'),
	card('c2', 'orders'),
	card('c3', ' Archive '),
	card('c4', 'Twin'),
	card('c5', 'Twin'),
];

test.each<[unknown, object | undefined]>([
	['c1', { mode: 'id', text: 'c1', entered: 'c1', shown: 'c1' }],
	[' c1 ', { mode: 'id', text: 'c1', entered: ' c1 ', shown: 'c1' }],
	[17, { mode: 'id', text: '17', entered: '17', shown: '17' }],
	[
		{ __rl: true, mode: 'list', value: 'c1', cachedResultName: 'Orders' },
		{ mode: 'list', text: 'c1', entered: 'c1', shown: 'Orders' },
	],
	[
		{ __rl: true, mode: 'name', value: ' Orders', cachedResultName: '' },
		{ mode: 'name', text: 'Orders', entered: ' Orders', shown: 'Orders' },
	],
	[{ value: 'c1' }, { mode: 'id', text: 'c1', entered: 'c1', shown: 'c1' }],
	['', undefined],
	[' ', undefined],
	[null, undefined],
	[undefined, undefined],
	[true, undefined],
	[{ mode: 'id', value: { a: 1 } }, undefined],
	[[], undefined],
])('%j means %j', (value, reading) => {
	expect(peekLocator(value)).toEqual(reading);
});

test('a value is itself, and that of a locator is in it', () => {
	expect(locatorValue({ __rl: true, mode: 'id', value: 5 })).toBe(5);
	const object = { value: 5 };
	for (const value of [object, 'text', null, undefined, [1]])
		expect(locatorValue(value)).toBe(value);
});

describe('a choice that must be there', () => {
	test('is read', () => {
		expect(readLocator('c1', 'Card').text).toBe('c1');
		// Any name will do: names are not part of an address.
		expect(readLocator({ mode: 'name', value: '..' }, 'Card').text).toBe('..');
		expect(readLocator(Number.MAX_SAFE_INTEGER, 'Card').text).toBe('9007199254740991');
	});

	test.each<[unknown, string]>([
		['', "'Card' is empty"],
		[undefined, "'Card' is empty"],
		[{ __rl: true, mode: 'list', value: '' }, "'Card' is empty"],
		['..', "'Card' can't be '..'"],
		[{ mode: 'list', value: '.' }, "'Card' can't be '.'"],
		[2 ** 53, "'Card' can't be the number 9007199254740992"],
		[1.5, "'Card' can't be the number 1.5"],
		[{ __rl: true, mode: 'id', value: 1e300 }, "'Card' can't be the number 1e+300"],
	])('%j is refused: %s', (value, message) => {
		expect(() => readLocator(value, 'Card')).toThrow(message);
	});
});

describe('a card by its name', () => {
	test.each([
		['Orders', ['c1']],
		['orders', ['c2']],
		['ORDERS', ['c1', 'c2']],
		['archive', ['c3']],
		[' Archive ', ['c3']],
		['Twin', ['c4', 'c5']],
		['none', []],
	])('%j: exactly, else but for the case: %j', (name, ids) => {
		expect(cardsOfName(cards, name).map(({ id }) => id)).toEqual(ids);
	});

	test('one is found, several are named by their IDs, for none the nearest is named', () => {
		expect(findCardByName(cards, 'Orders').id).toBe('c1');
		expect(findCardByName(cards, 'archive').id).toBe('c3');
		expect(() => findCardByName(cards, 'Twin')).toThrow(
			expect.objectContaining({
				message: "The workspace has 2 cards called 'Twin'",
				description: expect.stringContaining('c4, c5'),
			}),
		);
		expect(() => findCardByName(cards, 'Ordrs')).toThrow(
			expect.objectContaining({
				message: "The workspace has no card called 'Ordrs'",
				description: expect.stringContaining("'Orders'"),
			}),
		);
		expect(() => findCardByName(cards, 'zzz')).toThrow(
			expect.objectContaining({
				description: "The cards are 'Orders', 'orders', ' Archive ' and 2 more.",
			}),
		);
		expect(() => findCardByName([], 'Orders')).toThrow(
			expect.objectContaining({ description: 'The workspace has no cards yet.' }),
		);
	});

	const named = (value: string) => readLocator({ mode: 'name', value }, 'Card');
	const locate = async (value: string, isExact?: boolean) =>
		await locateCard(named(value), async () => await Promise.resolve(cards), isExact);

	test('an ID needs no listing, and is shown as the user knows it', async () => {
		const listed = jest.fn();
		const chosen = readLocator({ mode: 'list', value: 'c9', cachedResultName: 'Nine' }, 'Card');
		expect(await locateCard(chosen, listed)).toEqual({ id: 'c9', name: 'Nine' });
		expect(listed).not.toHaveBeenCalled();
	});

	test('read: near enough is enough', async () => {
		expect(await locate(' ARCHIVE')).toMatchObject({ id: 'c3' });
		expect(await locate('orders')).toMatchObject({ id: 'c2' });
	});

	test('changed in bulk or deleted: only what is spelled exactly so, and is there once', async () => {
		expect(await locate(' Archive ', true)).toMatchObject({ id: 'c3' });
		expect(await locate('orders', true)).toMatchObject({ id: 'c2' });
		for (const near of ['Archive', 'ORDERS', ' Orders']) {
			await expect(locate(near, true)).rejects.toMatchObject({
				message: expect.stringContaining('no card called'),
				description: expect.stringContaining('Nothing was sent'),
			});
		}
		await expect(locate('Twin', true)).rejects.toThrow("has 2 cards called 'Twin'");
		const none = locateCard(named('Orders'), async () => await Promise.resolve([]), true);
		await expect(none).rejects.toMatchObject({ description: 'The workspace has no cards yet.' });
	});
});
