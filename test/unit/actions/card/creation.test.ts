/** A card is created once and told apart from others, whatever the service answers. */
import { createCard } from '../../../../nodes/WorkspaceData/actions/card/create.operation';
import { deleteCard } from '../../../../nodes/WorkspaceData/actions/card/delete.operation';
import { updateCard } from '../../../../nodes/WorkspaceData/actions/card/update.operation';
import {
	ApiFailure,
	Unreachable,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { cardOf, memoryService, runOperation } from '../../../support/memoryService';
import { FIELDS, ROWS, cardId, changes } from '../record/books';

const PAGE = '<!DOCTYPE html><html><body>Sign in</body></html>';
const BROKEN = '{"id": "new1", "na';
const NO_ID =
	'The service created a card, but its answer shows no ID, so the output has none. Do not create the card again: look for it in the service.';

const service = () =>
	memoryService(cardOf(FIELDS, ROWS), cardOf([], [], { id: 'c2', name: 'Films' }));
type Service = ReturnType<typeof service>;

const create = async (own: Service, name: string, ifExists?: string) =>
	await runOperation(own, createCard, { name, additionalFields: ifExists ? { ifExists } : {} });
const saying = (method: string, answer: object) => {
	const own = service();
	own.hooks.say = (request) => (request.method === method ? answer : {});
	return own;
};

describe('a creation whose answer is empty', () => {
	test('gives what was sent, and a hint that there is no ID', async () => {
		const { json, hints } = await create(saying('POST', { body: '' }), 'Plays');
		expect(json).toEqual([{ name: 'Plays' }]);
		expect(hints).toEqual([NO_ID]);
	});

	test('gives the ID that the header Location tells', async () => {
		const headers = { location: '/workspaces/w1/cards/new1' };
		const { json, hints } = await create(saying('POST', { body: '', headers }), 'Plays');
		expect(json).toEqual([{ id: 'new1', name: 'Plays' }]);
		expect(hints).toEqual([]);
	});

	test.each(['reuse', 'error'])(
		'is looked up where one of the name would be looked for: %s',
		async (policy) => {
			const own = saying('POST', { body: '' });
			const { json, hints } = await create(own, ' Plays ', policy);
			expect(json).toEqual([{ id: 'new1', name: ' Plays ' }]);
			expect(hints).toEqual([]);
			expect(changes(own)).toEqual(['POST cards']);
		},
	);

	test('is an error where it is not listed then', async () => {
		const own = saying('POST', { body: '' });
		own.hooks.lose = ({ method }) => void (method === 'POST' && own.cards.pop());
		const { errors } = await create(own, 'Plays', 'reuse');
		expect(errors).toMatchObject([{ message: "Card 'Plays' was created, but is not listed" }]);
	});
});

test('a creation whose answer shows the card needs no hint', async () => {
	const { json, hints } = await create(service(), 'Plays');
	expect(json).toEqual([{ id: 'new1', name: 'Plays' }]);
	expect(hints).toEqual([]);
});

describe('a creation whose answer is lost', () => {
	const lost = new Unreachable('No answer', { transient: true });
	const losing = (meanwhile: (own: Service) => void) => {
		const own = service();
		own.hooks.refuse = ({ method }) => {
			if (method !== 'POST') return;
			meanwhile(own);
			throw lost;
		};
		return own;
	};

	test('is not found in a card that was there before and has the name now', async () => {
		const own = losing(({ cards }) => {
			if (cards[1]) cards[1].name = 'Plays';
		});
		expect((await create(own, 'Plays', 'reuse')).errors).toEqual([lost]);
	});

	test('is not found in a new card of another name', async () => {
		const own = losing(({ cards }) => void cards.push(cardOf([], [], { id: 'c3', name: 'Other' })));
		expect((await create(own, 'Plays', 'reuse')).errors).toEqual([lost]);
	});

	test('is found in a new card whose name has other outer spaces', async () => {
		const own = losing(({ cards }) => void cards.push(cardOf([], [], { id: 'c3', name: 'Plays' })));
		expect((await create(own, ' Plays ', 'reuse')).json).toEqual([{ id: 'c3', name: 'Plays' }]);
	});

	test('is the error that shows, where the cards cannot be listed either', async () => {
		const own = losing(() => {
			own.hooks.refuse = () => {
				throw new ApiFailure({ status: 403, title: 'No' });
			};
		});
		expect((await create(own, 'Plays', 'reuse')).errors).toEqual([lost]);
	});
});

test('a card that somebody else creates meanwhile is not taken for the one that the service refused', async () => {
	const own = service();
	const refusal = new ApiFailure({ status: 409, title: 'Exists' });
	own.hooks.refuse = ({ method }) => {
		if (method !== 'POST') return;
		own.cards.push(cardOf([], [], { id: 'c3', name: 'Plays' }));
		throw refusal;
	};
	expect((await create(own, 'Plays', 'reuse')).errors).toEqual([refusal]);
});

test('two cards of the name to reuse are refused: either could be meant', async () => {
	const own = memoryService(cardOf([]), cardOf([], [], { id: 'c2' }));
	expect((await create(own, 'Books', 'reuse')).errors).toMatchObject([
		{ message: "The workspace has 2 cards called 'Books'" },
	]);
	expect(changes(own)).toEqual([]);
});

test('of two cards whose names differ in case only, the one that is named is meant', async () => {
	const own = memoryService(
		cardOf([], [], { name: 'plays' }),
		cardOf([], [], { id: 'c2', name: 'Plays' }),
	);
	expect((await create(own, ' Plays ', 'reuse')).json).toEqual([{ id: 'c2', name: 'Plays' }]);
	expect((await create(own, ' Plays ', 'error')).errors).toMatchObject([
		{ message: "A card called 'Plays' exists already" },
	]);
});

test('a description among the custom properties counts where no other one is entered', async () => {
	const customProperties = '{"description":"own"}';
	const own = service();
	await runOperation(own, createCard, { name: 'Plays', additionalFields: { customProperties } });
	await runOperation(own, updateCard, { cardId, updateFields: { customProperties } });
	const name = '{"name":"Own"}';
	await runOperation(own, updateCard, { cardId, updateFields: { customProperties: name } });
	expect(own.api.sent.map(({ body }) => JSON.stringify(body))).toEqual([
		'{"description":"own","name":"Plays"}',
		'{"description":"own"}',
		'{"name":"Own"}',
	]);
});

test('a policy that is none is refused before anything is sent', async () => {
	const own = service();
	expect((await create(own, 'Plays', 'maybe')).errors).toMatchObject([
		{ message: "'If Card Exists' cannot be 'maybe'" },
	]);
	expect(own.requests()).toEqual([]);
});

describe('a change whose answer', () => {
	const update = async (own: Service) =>
		await runOperation(own, updateCard, { cardId, updateFields: { name: 'New' } });
	const remove = async (own: Service) => await runOperation(own, deleteCard, { cardId });

	test('is empty gives what was sent', async () => {
		expect((await update(saying('PATCH', { body: '' }))).json).toEqual([{ id: 'c1', name: 'New' }]);
		expect((await remove(saying('DELETE', { body: '' }))).json).toEqual([
			{ deleted: true, id: 'c1' },
		]);
	});

	test.each([
		[
			'a web page',
			PAGE,
			'The answer is not a card',
			'The service returned a web page instead of data',
		],
		[
			'JSON that ends in the middle',
			BROKEN,
			'The card may not have been changed: the answer is not valid JSON',
			'The card may not have been deleted: the answer is not valid JSON',
		],
	])('is %s does not count as done', async (_, body, onUpdate, onDelete) => {
		expect((await update(saying('PATCH', { body }))).errors).toMatchObject([{ message: onUpdate }]);
		expect((await remove(saying('DELETE', { body }))).errors).toMatchObject([
			{ message: onDelete },
		]);
	});
});

test('a card is deleted by its exact name only; a change finds it in another case, too', async () => {
	const near = { __rl: true, mode: 'name', value: 'books' };
	const own = service();
	const { errors } = await runOperation(own, deleteCard, { cardId: near });
	expect(errors).toMatchObject([{ message: "The workspace has no card called 'books'" }]);
	const updateFields = { name: 'New' };
	const { json } = await runOperation(own, updateCard, { cardId: near, updateFields });
	expect(json).toEqual([{ id: 'c1', name: 'New' }]);
});
