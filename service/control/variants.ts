import { z } from 'zod/v4';

/**
 * The shapes that the interface leaves open ("not shown"). The first value of each is what this service
 * does on its own (DECISIONS.md); the others exist so that a client can be tried against all of them.
 */
export const variantsSchema = z
	.object({
		/** Lists of cards and fields: `{ cards: [] }`, `[]`, `{ data: [] }` or `{ items: [] }`. */
		lists: z.enum(['named', 'bare', 'data', 'items']),
		/** Single objects: bare, `{ card: {} }` or `{ data: {} }`. */
		objects: z.enum(['bare', 'named', 'data']),
		/** Status of a successful POST; 204 has no body. */
		createStatus: z.literal([201, 200, 204]),
		/** Status of a successful PATCH; 204 has no body. */
		updateStatus: z.literal([200, 204]),
		/** Status of a successful DELETE; with 200 comes the deleted object. */
		deleteStatus: z.literal([204, 200]),
		/** Under which key a new subscription's identifier is. */
		webhookIdKey: z.enum(['webhook_id', 'id']),
		/** The secret next to the subscription object or inside a wrapped one. */
		webhookSecret: z.enum(['top', 'wrapped']),
		/** Options of select fields: `"A"`, `{ id, name }` or `{ value, label }`. */
		fieldOptions: z.enum(['strings', 'idName', 'valueLabel']),
		/** Under which key a field's identifier is. */
		fieldIdKey: z.enum(['id', 'field_id']),
		/** Adds properties nobody asked for to every object. */
		extraProperties: z.boolean(),
		/** Whether the token answer says how long the token lives. */
		tokenExpiresIn: z.boolean(),
		/** The data of record.updated: the changed fields or the whole record. */
		updatedEventData: z.enum(['changed', 'full']),
		/** A limit above the maximum: refused, or taken as the maximum. */
		limitAboveMaximum: z.enum(['refuse', 'clamp']),
		/** The form of a cleared field in a record: absent or null. */
		clearedFields: z.enum(['absent', 'null']),
	})
	.strict();

/** One choice for each open shape. */
export type Variants = z.infer<typeof variantsSchema>;

/** The behaviour of the service unless told otherwise. */
export const defaultVariants: Readonly<Variants> = {
	lists: 'named',
	objects: 'bare',
	createStatus: 201,
	updateStatus: 200,
	deleteStatus: 204,
	webhookIdKey: 'webhook_id',
	webhookSecret: 'top',
	fieldOptions: 'strings',
	fieldIdKey: 'id',
	extraProperties: false,
	tokenExpiresIn: true,
	updatedEventData: 'changed',
	limitAboveMaximum: 'refuse',
	clearedFields: 'absent',
};
