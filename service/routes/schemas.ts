/** The schemas of what clients send and get. */
import { z } from 'zod/v4';
import { eventNames } from '../data/subscriptions.ts';
import { fieldTypes, isHttpUrl } from '../foundation/fieldTypes.ts';

/** Records in a page if the request doesn't say, and the most it may ask for. */
export const pageSize = { default: 50, maximum: 1_000 };

/** Text of bounded length; half a surrogate pair has no UTF-8 form, so it could not be stored unchanged. */
const text = (most: number) =>
	z
		.string()
		.max(most)
		.refine((value) => !/\p{Surrogate}/u.test(value), { message: 'is not well-formed Unicode' });

const name = text(1_000).regex(/\S/, 'must not be blank').meta({ example: 'Countries' });

/** ISO 8601 UTC. */
const timestamp = z.string().meta({ format: 'date-time' });

/** OpenAPI 3.0 has `nullable` for what would be described as one of two types. */
const stringOrNull = z
	.string()
	.nullable()
	.meta({ type: 'string', nullable: true, anyOf: undefined });

/** The body of a change: at least one property of the body that creates. */
const changeOf = <Shape extends z.ZodRawShape>(body: z.ZodObject<Shape>, id: string) =>
	body
		.partial()
		.refine((value) => Object.keys(value).length > 0, {
			message: 'must change at least one property',
		})
		.meta({ id });

export const cardSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		description: z.string(),
		created_at: timestamp,
		updated_at: timestamp,
	})
	.meta({ id: 'Card' });
export const cardCreateSchema = z
	.strictObject({ name, description: text(10_000).optional() })
	.meta({ id: 'CardCreate' });
export const cardUpdateSchema = changeOf(cardCreateSchema, 'CardUpdate');

const fieldType = z.enum(fieldTypes);
export const fieldSchema = z
	.object({ id: z.string(), name: z.string(), type: fieldType, options: z.array(z.string()) })
	.meta({ id: 'Field', description: 'A field; options are the names of the choices of a select.' });
export const fieldCreateSchema = z
	.strictObject({
		name,
		type: fieldType,
		options: z.array(text(200).min(1)).max(500).optional(),
	})
	.meta({ id: 'FieldCreate' });
export const fieldUpdateSchema = changeOf(fieldCreateSchema, 'FieldUpdate');

/**
 * Field ID → value. Checked against the card's fields later; not a zod record, because that would drop
 * a key called `__proto__` where an unknown field must be reported.
 */
const recordData = z
	.custom<Record<string, unknown>>(
		(value) => typeof value === 'object' && value !== null && !Array.isArray(value),
		{ message: 'expected an object' },
	)
	.meta({
		type: 'object',
		additionalProperties: true,
		description: 'Map from field id to value; null clears a field.',
		example: { fld_5f2b: 'Norway', fld_91c0: 5379 },
	});
export const recordSchema = z
	.object({ id: z.string(), data: recordData, created_at: timestamp })
	.meta({ id: 'Record' });
export const recordChangeSchema = z.strictObject({ data: recordData }).meta({ id: 'RecordChange' });
export const recordListSchema = z
	.object({ records: z.array(recordSchema), next_cursor: stringOrNull })
	.meta({ id: 'RecordList' });

/** Documents the query of a list of records; what is wrong with a value has a problem of its own. */
export const recordQuerySchema = z.object({
	limit: z
		.unknown()
		.optional()
		.meta({
			...pageSize,
			type: 'integer',
			minimum: 1,
			description: 'Page size.',
		}),
	cursor: z.unknown().optional().meta({
		type: 'string',
		description: 'The next_cursor of the previous page; omit for the first.',
	}),
});

/** An address, kept in the form that the URL standard prints; it drops line breaks, so they are refused. */
const targetUrl = z
	.string()
	.max(2_048)
	.refine(
		(address) =>
			!/\p{Cc}|^\s|\s$/u.test(address) && isHttpUrl(address) && new URL(address).username === '',
		{ message: 'expected an http or https address without credentials and control characters' },
	)
	.overwrite((address) => (URL.canParse(address) ? new URL(address).href : address))
	.meta({ format: 'uri', example: 'https://n8n.example/webhook/orders' });
const events = z.array(z.enum(eventNames)).min(1).max(50);
export const webhookCreateSchema = z
	.strictObject({ target_url: targetUrl, events, card_id: z.string().optional() })
	.meta({ id: 'WebhookCreate' });
/** A new subscription; nothing shows its secret again. */
export const webhookSchema = z
	.object({
		webhook_id: z.string(),
		target_url: z.string(),
		events,
		card_id: stringOrNull,
		state: z.enum(['active', 'paused']),
		created_at: timestamp,
		secret: z.string(),
	})
	.meta({ id: 'Webhook' });

/** RFC 7807 problem details. @see service interface, part 7 */
export const problemSchema = z
	.object({
		type: z.string().meta({ format: 'uri' }),
		title: z.string(),
		status: z.int(),
		detail: z.string(),
		errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
	})
	.meta({ id: 'Problem' });
