/** The cards of a workspace and the fields of a card, in whatever pages they come. */
import type { Session } from '../../../nodes/WorkspaceData/transport/session';
import { UnexpectedAnswer } from '../../../nodes/WorkspaceData/transport/failure/failures';
import {
	getCard,
	listCards,
	listFields,
	openCardListing,
} from '../../../nodes/WorkspaceData/transport/cardAndFieldListings';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';

function service(answer: (request: ApiRequest) => unknown) {
	const sent: ApiRequest[] = [];
	const request = async (one: ApiRequest) => {
		sent.push(one);
		return await Promise.resolve({ status: 200, headers: {}, body: answer(one) });
	};
	return { sent, session: { request } as unknown as Session };
}
const card = (n: number) => ({ id: `c${n}`, name: `Card ${n}` });
const options = { timeoutMs: 5_000, impatient: true };

test('all cards come, page after page, with the same settings', async () => {
	const { session, sent } = service(({ query }) =>
		query ? { cards: [card(2)], next_cursor: null } : { cards: [card(1)], next_cursor: 'two' },
	);
	expect((await listCards(session, options)).map(({ id }) => id)).toEqual(['c1', 'c2']);
	expect(sent).toEqual([
		{ method: 'GET', path: ['cards'], ...options },
		{ method: 'GET', path: ['cards'], query: { cursor: 'two' }, ...options },
	]);
});

test('a card is looked for only as far as it is', async () => {
	const { session, sent } = service(() => ({ cards: [card(1)], next_cursor: 'more' }));
	expect(await openCardListing(session).find('c1')).toMatchObject({ name: 'Card 1' });
	expect(sent).toHaveLength(1);
});

test('an answer without a cursor is complete', async () => {
	const { session, sent } = service(() => [card(1), card(2)]);
	expect(await listCards(session)).toHaveLength(2);
	expect(sent).toHaveLength(1);
});

test('one card is read by its ID', async () => {
	const { session, sent } = service(() => ({ card: card(7) }));
	expect(await getCard(session, 'c/7', options)).toMatchObject({ id: 'c7', name: 'Card 7' });
	expect(sent).toEqual([
		{ method: 'GET', path: ['cards', { value: 'c/7', parameter: 'Card' }], ...options },
	]);
});

test('the fields of a card', async () => {
	const { session, sent } = service(() => ({ fields: [{ id: 'f1', name: 'Name', type: 'text' }] }));
	expect(await listFields(session, 'c1', options)).toMatchObject([{ id: 'f1', name: 'Name' }]);
	expect(sent).toEqual([
		{ method: 'GET', path: ['cards', { value: 'c1', parameter: 'Card' }, 'fields'], ...options },
	]);
});

test('fields without end are reported by what they are', async () => {
	let count = 0;
	const { session } = service(() => ({
		fields: [{ id: `f${(count += 1)}` }],
		next_cursor: 'again',
	}));
	await expect(listFields(session, 'c1')).rejects.toThrow('The list of fields does not end');
});

test.each([
	['cards', async (session: Session) => await listCards(session), 'a list of cards'],
	['fields', async (session: Session) => await listFields(session, 'c1'), 'a list of fields'],
	['a card', async (session: Session) => await getCard(session, 'c1'), 'a card'],
])('%s: another answer is refused, and the address is to be checked', async (_, read, what) => {
	const { session } = service(() => '<html>Sign in</html>');
	await expect(read(session)).rejects.toBeInstanceOf(UnexpectedAnswer);
	await expect(read(session)).rejects.toMatchObject({
		message: `The answer is not ${what}`,
		description: expect.stringContaining("'Base URL'"),
	});
});
