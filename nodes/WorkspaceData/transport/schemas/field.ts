/** Fields, as the service sends them. @see service interface, part 2 */
import { z } from 'zod/v3';
import { choiceListOf, readOptions } from '../../values/choiceList';
import type { ValueField } from '../../values/kind';
import { kindOfType } from '../../values/kinds/allKinds';
import { identifier, jsonObject, withRaw } from './parts';

const members = z.object({
	id: identifier,
	name: z.string(),
	/** The service's name for it. Types beyond the known ones are possible. */
	type: z.string().min(1),
	/** True if the service computes its values, so that nobody can write them. */
	read_only: z.boolean().nullish(),
	raw: jsonObject,
});

export const field = withRaw
	.transform((shape) => ({ id: shape.field_id, ...shape }))
	.pipe(members)
	.transform(({ read_only, ...shape }) => ({
		...shape,
		kind: kindOfType(shape.type),
		options: readOptions(choiceListOf(shape.raw).list),
		isReadOnly: read_only === true,
	}));

/** A field (column definition). `raw` is the service's unchanged object. */
export type Field = ValueField & z.infer<typeof field>;
