import { z } from 'zod/v4';
import {
	cardCreateSchema,
	cardParams,
	cardSchema,
	cardUpdateSchema,
	workspaceParams,
} from './resources.ts';
import { answersOf, noBody } from './answersOf.ts';
import type { App, RouteContext } from '../http/context.ts';

const all = '/workspaces/:wid/cards';
const one = `${all}/:cid`;
const tags = ['Cards'];

/** Adds the card endpoints. @see service interface, part 4 "Cards" */
export function addCardRoutes(app: App, { data: { cards } }: RouteContext) {
	app.get(
		all,
		{
			schema: {
				operationId: 'listCards',
				summary: 'List all cards in the workspace',
				description: 'All cards at once; this list has no pages.',
				tags,
				params: workspaceParams,
				response: answersOf({ 200: z.object({ cards: z.array(cardSchema) }) }),
			},
		},
		async ({ params, turn }) => ({ cards: await cards.listInTurns(params.wid, turn) }),
	);

	app.get(
		one,
		{
			schema: {
				operationId: 'getCard',
				summary: 'Get one card',
				description: 'Gives the card itself. Its fields and records have lists of their own.',
				tags,
				params: cardParams,
				response: answersOf({ 200: cardSchema }),
			},
		},
		({ params }) => cards.get(params.wid, params.cid),
	);

	app.post(
		all,
		{
			schema: {
				operationId: 'createCard',
				summary: 'Create a card',
				description: 'The name need not be unique. Emits card.created.',
				tags,
				params: workspaceParams,
				body: cardCreateSchema,
				response: answersOf({ 201: cardSchema }),
			},
		},
		({ params, body }, reply) => reply.code(201).send(cards.create(params.wid, body)),
	);

	app.patch(
		one,
		{
			schema: {
				operationId: 'updateCard',
				summary: "Update a card's name or description",
				description:
					'Properties that are not given stay unchanged. Emits card.updated where something changes.',
				tags,
				params: cardParams,
				body: cardUpdateSchema,
				response: answersOf({ 200: cardSchema }),
			},
		},
		({ params, body }) => cards.update(params.wid, params.cid, body),
	);

	app.delete(
		one,
		{
			schema: {
				operationId: 'deleteCard',
				summary: 'Delete a card with its fields and records',
				description:
					'Deletes the card with its fields, its records and the subscriptions for it. Records that go with it have no events.',
				tags,
				params: cardParams,
				response: answersOf({ 204: noBody }),
			},
		},
		({ params }, reply) => {
			cards.remove(params.wid, params.cid);
			return reply.code(204).send();
		},
	);
}
