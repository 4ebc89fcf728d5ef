import { z } from 'zod/v4';
import {
	cardCreateSchema,
	cardParams,
	cardSchema,
	cardUpdateSchema,
	workspaceParams,
} from './resources.ts';
import { answersOf, noBody } from './answersOf.ts';
import type { App, RouteContext } from '../http/app.ts';

const all = '/workspaces/:wid/cards';
const one = `${all}/:cid`;
const tags = ['Cards'];

/** Adds the card endpoints. @see service interface, part 4 "Cards" */
export function addCardRoutes(app: App, { data, answers }: RouteContext) {
	app.get(
		all,
		{
			schema: {
				operationId: 'listCards',
				summary: 'List all cards in the workspace',
				tags,
				params: workspaceParams,
				response: answersOf({ 200: z.object({ cards: z.array(cardSchema) }) }),
			},
		},
		(request, reply) => answers.list(reply, 'cards', data.listCards(request.params.wid)),
	);

	app.get(
		one,
		{
			schema: {
				operationId: 'getCard',
				summary: 'Get one card',
				tags,
				params: cardParams,
				response: answersOf({ 200: cardSchema }),
			},
		},
		({ params }, reply) => answers.object(reply, 'card', data.getCard(params.wid, params.cid)),
	);

	app.post(
		all,
		{
			schema: {
				operationId: 'createCard',
				summary: 'Create a card',
				tags,
				params: workspaceParams,
				body: cardCreateSchema,
				response: answersOf({ 201: cardSchema }),
			},
		},
		({ params, body }, reply) =>
			answers.object(reply, 'card', data.createCard(params.wid, body), 'create'),
	);

	app.patch(
		one,
		{
			schema: {
				operationId: 'updateCard',
				summary: "Update a card's name or description",
				tags,
				params: cardParams,
				body: cardUpdateSchema,
				response: answersOf({ 200: cardSchema }),
			},
		},
		({ params, body }, reply) =>
			answers.object(reply, 'card', data.updateCard(params.wid, params.cid, body), 'update'),
	);

	app.delete(
		one,
		{
			schema: {
				operationId: 'deleteCard',
				summary: 'Delete a card with its fields and records',
				tags,
				params: cardParams,
				response: answersOf({ 204: noBody }),
			},
		},
		({ params }, reply) =>
			answers.object(reply, 'card', data.deleteCard(params.wid, params.cid), 'delete'),
	);
}
