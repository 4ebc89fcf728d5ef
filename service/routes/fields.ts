/** The field endpoints. */
import { z } from 'zod/v4';
import type { Field } from '../data/fields.ts';
import type { App, RouteContext } from '../http/context.ts';
import { endpoint, noBody } from './endpoint.ts';
import {
	cardParams,
	fieldCreateSchema,
	fieldParams,
	fieldSchema,
	fieldUpdateSchema,
} from './resources.ts';

const all = '/workspaces/:wid/cards/:cid/fields';
const one = `${all}/:fid`;

/** A field as the API shows it. */
export const showField = ({ id, name, type, options }: Field) => ({
	id,
	name,
	type,
	options: options.map((option) => option.name),
});

/** Adds the field endpoints. @see service interface, part 4 "Fields" */
export function addFieldRoutes(app: App, { data: { fields } }: RouteContext) {
	app.get(
		all,
		endpoint(
			'listFields',
			[
				'List the fields of a card with types and options',
				'Returns the mapping of field names to the field IDs that records are keyed by.',
			],
			{ 200: z.object({ fields: z.array(fieldSchema) }) },
			{ params: cardParams },
		),
		({ params }) => ({ fields: fields.list(params.wid, params.cid).map(showField) }),
	);

	app.post(
		all,
		endpoint(
			'createField',
			['Add a field', 'Options are for select fields only: names, or objects with a name.'],
			{ 201: fieldSchema },
			{ params: cardParams, body: fieldCreateSchema },
		),
		({ params, body }, reply) =>
			reply.code(201).send(showField(fields.create(params.wid, params.cid, body))),
	);

	app.patch(
		one,
		endpoint(
			'updateField',
			[
				'Update a field',
				'Refused with 409 if records have values that the new type or options do not allow.',
			],
			{ 200: fieldSchema },
			{ params: fieldParams, body: fieldUpdateSchema },
		),
		({ params, body }) => showField(fields.update(params.wid, params.cid, params.fid, body)),
	);

	app.delete(
		one,
		endpoint(
			'deleteField',
			[
				'Delete a field and its values',
				'The values that records have in this field are deleted with it.',
			],
			{ 204: noBody },
			{ params: fieldParams },
		),
		({ params }, reply) => {
			fields.remove(params.wid, params.cid, params.fid);
			return reply.code(204).send();
		},
	);
}
