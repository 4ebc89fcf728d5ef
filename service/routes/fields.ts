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
			'List the fields of a card with types and options. Records are keyed by field ID.',
			[200, z.object({ fields: z.array(fieldSchema) })],
			{ params: cardParams },
		),
		({ params }) => ({ fields: fields.list(params.wid, params.cid).map(showField) }),
	);

	app.post(
		all,
		endpoint(
			'createField',
			'Add a field. Options are for select fields only.',
			[201, fieldSchema],
			{ params: cardParams, body: fieldCreateSchema },
		),
		({ params, body }, reply) =>
			reply.code(201).send(showField(fields.create(params.wid, params.cid, body))),
	);

	app.patch(
		one,
		endpoint(
			'updateField',
			'Update a field. Refused with 409 if a record has a value that would not fit.',
			[200, fieldSchema],
			{ params: fieldParams, body: fieldUpdateSchema },
		),
		({ params, body }) => showField(fields.update(params.wid, params.cid, params.fid, body)),
	);

	app.delete(
		one,
		endpoint('deleteField', 'Delete a field and its values.', [204, noBody], {
			params: fieldParams,
		}),
		({ params }, reply) => {
			fields.remove(params.wid, params.cid, params.fid);
			return reply.code(204).send();
		},
	);
}
