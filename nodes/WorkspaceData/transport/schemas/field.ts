/** Fields, as the service sends them. @see service interface, part 2 */
import { z } from 'zod/v3';
import { choiceListOf, readOptions } from '../../values/choiceList';
import type { JsonObject } from '../../values/jsonObject';
import { kindOfType } from '../../values/kinds/allKinds';
import type { ValueField } from '../../values/kind';
import { identifier, withRaw } from './parts';

/** A field (column definition). `raw` is the service's unchanged object. */
export interface Field extends ValueField {
	id: string;
	/** The service's name for it. Types beyond the known ones are possible. */
	type: string;
	/** True if the service computes its values, so that nobody can write them. */
	isReadOnly: boolean;
	raw: JsonObject;
}

const members = z
	.object({
		id: identifier.optional(),
		field_id: identifier.optional(),
		name: z.string(),
		type: z.string().min(1),
		read_only: z.boolean().nullish(),
	})
	.transform(({ id, field_id, ...others }) => ({ id: id ?? field_id, ...others }))
	.refine((shape): shape is typeof shape & { id: string } => shape.id !== undefined, {
		path: ['id'],
	});

export const field = withRaw(
	members,
	({ id, name, type, read_only }, raw): Field => ({
		id,
		name,
		type,
		kind: kindOfType(type),
		options: readOptions(choiceListOf(raw).list),
		isReadOnly: read_only === true,
		raw,
	}),
);
