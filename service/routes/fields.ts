/** The field endpoints. */
import { z } from 'zod/v4';
import type { Field } from '../data/fields.ts';
import type { App, RouteContext } from '../http/context.ts';
import { endpoint } from './endpoint.ts';
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
const showField = ({ id, name, type, options }: Field) => ({
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
			['list', 'Field'],
			'List the fields of a card. Records are keyed by field ID.',
			{ params: cardParams },
			z.object({ fields: z.array(fieldSchema) }),
		),
		({ params }) => ({ fields: fields.list(params.wid, params.cid).map(showField) }),
	);
	app.post(
		all,
		endpoint(
			['create', 'Field'],
			'Add a field. Options are for select fields only.',
			{ params: cardParams, body: fieldCreateSchema },
			fieldSchema,
		),
		({ params, body }) => showField(fields.create(params.wid, params.cid, body)),
	);
	app.patch(
		one,
		endpoint(
			['update', 'Field'],
			'Update a field. 409 if a record has a value that would not fit.',
			{ params: fieldParams, body: fieldUpdateSchema },
			fieldSchema,
		),
		({ params, body }) => showField(fields.update(params.wid, params.cid, params.fid, body)),
	);
	app.delete(
		one,
		endpoint(['delete', 'Field'], 'Delete a field and its values.', { params: fieldParams }),
		async ({ params }) => fields.remove(params.wid, params.cid, params.fid),
	);
}
