/** The card endpoints. */
import { z } from 'zod/v4';
import type { App, RouteContext } from '../http/context.ts';
import { endpoint } from './endpoint.ts';
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
			['list', 'Card'],
			'List all cards in the workspace. This list has no pages.',
			{ params: workspaceParams },
			z.object({ cards: z.array(cardSchema) }),
		),
		({ params }) => ({ cards: cards.list(params.wid) }),
	);
	app.get(
		one,
		endpoint(
			['get', 'Card'],
			'Get one card. Its fields and records have separate lists.',
			{ params: cardParams },
			cardSchema,
		),
		({ params }) => cards.get(params.wid, params.cid),
	);
	app.post(
		all,
		endpoint(
			['create', 'Card'],
			'Create a card. The name need not be unique. Emits card.created.',
			{ params: workspaceParams, body: cardCreateSchema },
			cardSchema,
		),
		({ params, body }) => cards.create(params.wid, body),
	);
	app.patch(
		one,
		endpoint(
			['update', 'Card'],
			'Update name or description. Emits card.updated if one changes.',
			{ params: cardParams, body: cardUpdateSchema },
			cardSchema,
		),
		({ params, body }) => cards.update(params.wid, params.cid, body),
	);
	app.delete(
		one,
		endpoint(['delete', 'Card'], 'Delete a card with all that it has. Records have no events.', {
			params: cardParams,
		}),
		async ({ params }) => cards.remove(params.wid, params.cid),
	);
}
