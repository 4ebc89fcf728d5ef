import { z } from 'zod/v4';
import { hasOptions } from '../foundation/fieldTypes.ts';
import {
	cardParams,
	fieldCreateSchema,
	fieldParams,
	fieldSchema,
	fieldUpdateSchema,
} from './resources.ts';
import type { Field } from '../storage/fields.ts';
import { answersOf, noBody } from './answersOf.ts';
import type { App, RouteContext } from '../http/context.ts';

const all = '/workspaces/:wid/cards/:cid/fields';
const one = `${all}/:fid`;
const tags = ['Fields'];

/** A field as the API shows it. */
const show = ({ id, name, type, options }: Field) => ({
	id,
	name,
	type,
	options: hasOptions(type) ? options.map((option) => option.name) : [],
});

/** Adds the field endpoints. @see service interface, part 4 "Fields" */
export function addFieldRoutes(app: App, { data: { fields } }: RouteContext) {
	app.get(
		all,
		{
			schema: {
				operationId: 'listFields',
				summary: 'List the fields of a card with types and options',
				description: 'Gives the mapping of field names to the field ids that records are keyed by.',
				tags,
				params: cardParams,
				response: answersOf({ 200: z.object({ fields: z.array(fieldSchema) }) }),
			},
		},
		({ params }) => ({ fields: fields.list(params.wid, params.cid).map(show) }),
	);

	app.post(
		all,
		{
			schema: {
				operationId: 'createField',
				summary: 'Add a field',
				description: 'Options are for select fields only: names, or objects with a name.',
				tags,
				params: cardParams,
				body: fieldCreateSchema,
				response: answersOf({ 201: fieldSchema }),
			},
		},
		({ params, body }, reply) =>
			reply.code(201).send(show(fields.create(params.wid, params.cid, body))),
	);

	app.patch(
		one,
		{
			schema: {
				operationId: 'updateField',
				summary: 'Update a field',
				description:
					'Refused with 409 where records have values that the new type or options do not allow.',
				tags,
				params: fieldParams,
				body: fieldUpdateSchema,
				response: answersOf({ 200: fieldSchema }),
			},
		},
		async ({ params, body }) => show(await fields.update(params.wid, params.cid, params.fid, body)),
	);

	app.delete(
		one,
		{
			schema: {
				operationId: 'deleteField',
				summary: 'Delete a field and its values',
				description: 'The values that records have in this field are deleted with it.',
				tags,
				params: fieldParams,
				response: answersOf({ 204: noBody }),
			},
		},
		({ params }, reply) => {
			fields.remove(params.wid, params.cid, params.fid);
			return reply.code(204).send();
		},
	);
}
