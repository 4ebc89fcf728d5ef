/** Which card, record or field a person has chosen, in whatever way n8n gives it. */
import {
	cardCalled,
	locateCard,
	peekLocator,
	readLocator,
} from '../../../nodes/WorkspaceData/records/locator';
import { refusal } from '../refusal';

const card = (id: string, name: string) => ({ id, name, raw: {} });
const NAMES = ['Orders', 'orders', ' Archive ', 'Twin', 'Twin'];
const cards = NAMES.map((name, place) => card(`c${place + 1}`, name));

test.each<[unknown, string[] | undefined]>([
	['c1', ['id', 'c1', 'c1', 'c1']],
	[17, ['id', '17', '17', '17']],
	[{ mode: 'list', value: 'c1', cachedResultName: 'Orders' }, ['list', 'c1', 'c1', 'Orders']],
	[{ mode: 'name', value: ' A', cachedResultName: '' }, ['name', 'A', ' A', 'A']],
	...['', ' ', null, undefined, true, { mode: 'id', value: { a: 1 } }, []].map(
		(nothing): [unknown, undefined] => [nothing, undefined],
	),
])('%j means %j', (value, reading) => {
	const [mode, text, entered, shown] = reading ?? [];
	expect(peekLocator(value)).toEqual(reading && { mode, text, entered, shown });
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
		[{ __rl: true, mode: 'list', value: '' }, "'Card' is empty"],
		['..', "'Card' can't be '..'"],
		[{ mode: 'url', value: 'c1' }, "'Card' can't be selected by 'url'"],
		[{ mode: 'list', value: '.' }, "'Card' can't be '.'"],
		[2 ** 53, "'Card' can't be the number 9007199254740992"],
		[{ __rl: true, mode: 'id', value: 1e300 }, "'Card' can't be the number 1e+300"],
	])('%j is refused: %s', (value, message) => {
		expect(() => readLocator(value, 'Card')).toThrow(message);
	});
});

describe('a card by its name', () => {
	test.each([
		['Orders', false, 'c1'],
		['orders', false, 'c2'],
		['archive', false, 'c3'],
		['archive', true, undefined],
		['nope', false, undefined],
	])('%j, exact %s: %s', (name, isExact, id) => {
		expect(cardCalled(cards, name, isExact)?.id).toBe(id);
	});

	test('that differs in case from two is in doubt', () => {
		expect(() => cardCalled(cards, 'ORDERS')).toThrow('2 cards called');
	});

	const locate = async (value: string, all: typeof cards) =>
		await locateCard(
			readLocator({ mode: 'name', value }, 'Card'),
			async () => await Promise.resolve(all),
		);

	test('one is found', async () => expect((await locate(' archive ', cards)).id).toBe('c3'));

	test.each([
		['Twin', cards, "The workspace has 2 cards called 'Twin'", /c4, c5/],
		[
			'Ordrs',
			cards,
			"The workspace has no card called 'Ordrs'",
			/^The cards are 'Orders', 'orders', /,
		],
		['Orders', [], /no card/, /^The workspace has no cards yet\.$/],
	])('%s names no one card', async (name, all, message, description) => {
		await expect(locate(name, all)).rejects.toThrow(refusal(message, description));
	});
});
