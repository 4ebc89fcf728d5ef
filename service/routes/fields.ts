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
import type { Variants } from '../control/variants.ts';
import { answersOf, noBody } from './answersOf.ts';
import type { App, RouteContext } from '../http/app.ts';

const all = '/workspaces/:wid/cards/:cid/fields';
const one = `${all}/:fid`;
const tags = ['Fields'];

/** A field as the API shows it. */
function showField({ id, name, type, options }: Field, variants: Variants): object {
	const shown = options.map((option) => {
		if (variants.fieldOptions === 'idName') return { id: option.id, name: option.name };
		if (variants.fieldOptions === 'valueLabel') return { value: option.name, label: option.name };
		return option.name;
	});
	return { [variants.fieldIdKey]: id, name, type, options: hasOptions(type) ? shown : [] };
}

/** Adds the field endpoints. @see service interface, part 4 "Fields" */
export function addFieldRoutes(app: App, { data, answers, variants }: RouteContext) {
	const show = (field: Field) => showField(field, variants);

	app.get(
		all,
		{
			schema: {
				operationId: 'listFields',
				summary: 'List the fields of a card with types and options',
				tags,
				params: cardParams,
				response: answersOf({ 200: z.object({ fields: z.array(fieldSchema) }) }),
			},
		},
		({ params }, reply) =>
			answers.list(reply, 'fields', data.listFields(params.wid, params.cid).map(show)),
	);

	app.post(
		all,
		{
			schema: {
				operationId: 'createField',
				summary: 'Add a field',
				tags,
				params: cardParams,
				body: fieldCreateSchema,
				response: answersOf({ 201: fieldSchema }),
			},
		},
		({ params, body }, reply) => {
			const field = data.createField(params.wid, params.cid, body);
			return answers.object(reply, 'field', show(field), 'create');
		},
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
		({ params, body }, reply) => {
			const field = data.updateField(params.wid, params.cid, params.fid, body);
			return answers.object(reply, 'field', show(field), 'update');
		},
	);

	app.delete(
		one,
		{
			schema: {
				operationId: 'deleteField',
				summary: 'Delete a field and its values',
				tags,
				params: fieldParams,
				response: answersOf({ 204: noBody }),
			},
		},
		({ params }, reply) => {
			const field = data.deleteField(params.wid, params.cid, params.fid);
			return answers.object(reply, 'field', show(field), 'delete');
		},
	);
}
