/** The card endpoints. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { WorkspaceData } from '../data/workspaceData.ts';
import { addEndpoint } from './endpoint.ts';
import { cardCreateSchema, cardSchema, cardUpdateSchema } from './resources.ts';

/** Adds the card endpoints. @see service interface, part 4 "Cards" */
export function addCardRoutes(app: FastifyInstance, { cards }: WorkspaceData) {
	addEndpoint(app, 'list', 'card', {
		summary: 'List all cards in the workspace. This list has no pages.',
		response: z.object({ cards: z.array(cardSchema) }),
		run: ({ wid }) => ({ cards: cards.list(wid) }),
	});
	addEndpoint(app, 'get', 'card', {
		summary: 'Get one card. Its fields and records have separate lists.',
		response: cardSchema,
		run: ({ wid, cid }) => cards.get(wid, cid),
	});
	addEndpoint(app, 'create', 'card', {
		summary: 'Create a card. The name need not be unique. Emits card.created.',
		body: cardCreateSchema,
		response: cardSchema,
		run: ({ wid }, { body }) => cards.create(wid, body),
	});
	addEndpoint(app, 'update', 'card', {
		summary: 'Update name or description. Emits card.updated if one changes.',
		body: cardUpdateSchema,
		response: cardSchema,
		run: ({ wid, cid }, { body }) => cards.update(wid, cid, body),
	});
	addEndpoint(app, 'delete', 'card', {
		summary: 'Delete a card with all that it has. Records have no events.',
		run: ({ wid, cid }) => cards.remove(wid, cid),
	});
}
