/** The field endpoints. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { Field } from '../data/fields.ts';
import type { WorkspaceData } from '../data/workspaceData.ts';
import { addEndpoint } from './endpoint.ts';
import { fieldCreateSchema, fieldSchema, fieldUpdateSchema } from './resources.ts';

/** A field as the API shows it. */
const showField = ({ id, name, type, options }: Field) => ({
	id,
	name,
	type,
	options: options.map((option) => option.name),
});

/** Adds the field endpoints. @see service interface, part 4 "Fields" */
export function addFieldRoutes(app: FastifyInstance, { fields }: WorkspaceData) {
	addEndpoint(app, 'list', 'field', {
		summary: 'List the fields of a card. Records are keyed by field ID.',
		response: z.object({ fields: z.array(fieldSchema) }),
		run: ({ wid, cid }) => ({ fields: fields.list(wid, cid).map(showField) }),
	});
	addEndpoint(app, 'create', 'field', {
		summary: 'Add a field. Options are for select fields only.',
		body: fieldCreateSchema,
		response: fieldSchema,
		run: ({ wid, cid }, { body }) => showField(fields.create(wid, cid, body)),
	});
	addEndpoint(app, 'update', 'field', {
		summary: 'Update a field. 409 if a record has a value that would not fit.',
		body: fieldUpdateSchema,
		response: fieldSchema,
		run: ({ wid, cid, fid }, { body }) => showField(fields.update(wid, cid, fid, body)),
	});
	addEndpoint(app, 'delete', 'field', {
		summary: 'Delete a field and its values.',
		run: ({ wid, cid, fid }) => fields.remove(wid, cid, fid),
	});
}
