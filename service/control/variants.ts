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
		/** Texts of 16 digits and more are written as JSON numbers, with all their digits. */
		longNumbers: z.boolean(),
		/** How texts of records are stored: exactly, in lower case, without outer spaces, datetimes without milliseconds. */
		storedTexts: z.enum(['exact', 'lowerCase', 'trimmed', 'wholeSeconds']),
		/** How names of new fields are stored: exactly, or `My Col` as `my_col`. */
		storedNames: z.enum(['exact', 'snakeCase']),
		/** Under which key the name of a field or card is. */
		nameKey: z.enum(['name', 'label', 'title', 'field_name']),
		/** How fields are marked that nobody can write: those whose name ends in `(computed)`. */
		readOnlyKey: z.enum([
			...['none', 'read_only', 'readOnly', 'readonly'],
			...['computed', 'is_computed', 'isReadOnly'],
		] as const),
		/** The charset of answers. */
		charset: z.enum(['utf-8', 'iso-8859-1', 'utf-16le']),
		/** How a page of more than ten records is answered: with the page, or with this status. */
		limitAboveTen: z.literal([200, 403, 404, 406, 409, 414, 416, 500, 501]),
		/** Cards and fields: in one list, or in pages of two with `page` and `pages`. */
		listPages: z.enum(['one', 'pages']),
		/** A problem: at the top level, or in `error`. */
		problems: z.enum(['bare', 'nested']),
		/** The `created_at` of records. */
		createdAt: z.enum(['exact', 'same', 'day', 'seconds']),
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
	longNumbers: false,
	storedTexts: 'exact',
	storedNames: 'exact',
	nameKey: 'name',
	readOnlyKey: 'none',
	charset: 'utf-8',
	limitAboveTen: 200,
	listPages: 'one',
	problems: 'bare',
	createdAt: 'exact',
};
