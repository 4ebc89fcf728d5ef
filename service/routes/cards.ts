/** The card endpoints. */
import { z } from 'zod/v4';
import type { App, RouteContext } from '../http/context.ts';
import { endpoint, noBody } from './endpoint.ts';
import {
	cardCreateSchema,
	cardParams,
	cardSchema,
	cardUpdateSchema,
	workspaceParams,
} from './resources.ts';

const all = '/workspaces/:wid/cards';
const one = `${all}/:cid`;

/** Adds the card endpoints. @see service interface, part 4 "Cards" */
export function addCardRoutes(app: App, { data: { cards } }: RouteContext) {
	app.get(
		all,
		endpoint(
			'listCards',
			'List all cards in the workspace. This list has no pages.',
			[200, z.object({ cards: z.array(cardSchema) })],
			{ params: workspaceParams },
		),
		({ params }) => ({ cards: cards.list(params.wid) }),
	);

	app.get(
		one,
		endpoint(
			'getCard',
			'Get one card. Its fields and records have separate lists.',
			[200, cardSchema],
			{ params: cardParams },
		),
		({ params }) => cards.get(params.wid, params.cid),
	);

	app.post(
		all,
		endpoint(
			'createCard',
			'Create a card. The name need not be unique. Emits card.created.',
			[201, cardSchema],
			{ params: workspaceParams, body: cardCreateSchema },
		),
		({ params, body }, reply) => reply.code(201).send(cards.create(params.wid, body)),
	);

	app.patch(
		one,
		endpoint(
			'updateCard',
			"Update a card's name or description. Emits card.updated if one changes.",
			[200, cardSchema],
			{ params: cardParams, body: cardUpdateSchema },
		),
		({ params, body }) => cards.update(params.wid, params.cid, body),
	);

	app.delete(
		one,
		endpoint(
			'deleteCard',
			'Delete a card with its fields, records and subscriptions. Records have no events.',
			[204, noBody],
			{ params: cardParams },
		),
		({ params }, reply) => {
			cards.remove(params.wid, params.cid);
			return reply.code(204).send();
		},
	);
}
