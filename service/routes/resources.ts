/** The schemas of what clients send and get. */
import { z } from 'zod/v4';
import { eventNames } from '../foundation/events.ts';
import { fieldTypes } from '../foundation/fieldTypes.ts';

/** Half a surrogate pair has no UTF-8 form, so it could not be stored unchanged. */
const isUnicode = (text: string) => !/\p{Surrogate}/u.test(text);
const notUnicode = { message: 'is not well-formed Unicode' };

/** A name: at most 1,000 characters, of which one at least is not a space. */
const name = z
	.string()
	.min(1)
	.max(1_000)
	.regex(/\S/, 'must not be blank')
	.refine(isUnicode, notUnicode)
	.meta({ example: 'Countries' });

const description = z.string().max(10_000).refine(isUnicode, notUnicode);

const atLeastOne = (value: object) => Object.keys(value).length > 0;
const nothingToChange = { message: 'must have at least one property to change' };

/** ISO 8601 UTC. */
const timestamp = z.string().meta({ format: 'date-time' });

/** OpenAPI 3.0 has `nullable` for what would be described as one of two types. */
const stringOrNull = z
	.string()
	.nullable()
	.meta({ type: 'string', nullable: true, anyOf: undefined });

/** A card as answered. */
export const cardSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		description: z.string(),
		created_at: timestamp,
		updated_at: timestamp,
	})
	.meta({ id: 'Card' });

/** Body of "create a card". */
export const cardCreateSchema = z
	.strictObject({ name, description: description.optional() })
	.meta({ id: 'CardCreate' });

/** Body of "update a card". */
export const cardUpdateSchema = cardCreateSchema
	.partial()
	.refine(atLeastOne, nothingToChange)
	.meta({ id: 'CardUpdate' });

const optionName = z.string().min(1).max(200).refine(isUnicode, notUnicode);

const optionSchema = z.union([
	optionName,
	z.strictObject({ id: z.string().optional(), name: optionName }),
	z.strictObject({ value: z.string(), label: optionName }),
]);

const optionsSchema = z.array(optionSchema).max(500);
const fieldType = z.enum(fieldTypes);

/** A field as answered. */
export const fieldSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		type: fieldType,
		options: z.array(z.string()),
	})
	.meta({ id: 'Field' });

/** Body of "add a field". */
export const fieldCreateSchema = z
	.strictObject({ name, type: fieldType, options: optionsSchema.optional() })
	.meta({ id: 'FieldCreate' });

/** Body of "update a field". */
export const fieldUpdateSchema = fieldCreateSchema
	.partial()
	.refine(atLeastOne, nothingToChange)
	.meta({ id: 'FieldUpdate' });

/**
 * Field id → value. Checked against the card's fields later; not a zod record, because that would drop
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

/** A record as answered. */
export const recordSchema = z
	.object({ id: z.string(), data: recordData, created_at: timestamp })
	.meta({ id: 'Record' });

/** Body of "create a record". */
export const recordCreateSchema = z.strictObject({ data: recordData }).meta({ id: 'RecordCreate' });

/** Body of "update a record". */
export const recordUpdateSchema = z.strictObject({ data: recordData }).meta({ id: 'RecordUpdate' });

/** A page of records. */
export const recordListSchema = z
	.object({ records: z.array(recordSchema), next_cursor: stringOrNull })
	.meta({ id: 'RecordList' });

/** An address, kept in the form that the URL standard prints; it drops line breaks, so they are refused. */
const targetUrl = z
	.string()
	.max(2_048)
	.refine(
		(text) => {
			if (/\p{Cc}|^\s|\s$/u.test(text) || !URL.canParse(text)) return false;
			const { protocol, username, password } = new URL(text);
			return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
		},
		{ message: 'expected an http or https address without credentials and control characters' },
	)
	.overwrite((text) => (URL.canParse(text) ? new URL(text).href : text))
	.meta({ format: 'uri', example: 'https://n8n.example/webhook/orders' });

/** Body of "create a subscription". */
export const webhookCreateSchema = z
	.strictObject({
		target_url: targetUrl,
		events: z.array(z.enum(eventNames)).min(1).max(50),
		card_id: z.string().optional(),
	})
	.meta({ id: 'WebhookCreate' });

/** A subscription as answered; `secret` is there only once, at creation. */
export const webhookSchema = z
	.object({
		webhook_id: z.string(),
		target_url: z.string(),
		events: z.array(z.enum(eventNames)),
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
		status: z.number().int(),
		detail: z.string(),
		errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
	})
	.meta({ id: 'Problem' });
