/** What the service sends: one schema for each thing, with its type. @see service interface, part 2; docs/interface.md */
import { z } from 'zod/v3';
import { isObject, type JsonObject } from '../values/json';
import { choiceListOf, readOptions } from '../values/choiceList';
import type { ValueField } from '../values/kind';
import { kindOfType } from '../values/kinds/allKinds';

/** A schema of anything that results in a `Thing`. */
export type Schema<Thing> = z.ZodType<Thing, z.ZodTypeDef, unknown>;

/** An identifier. A whole number becomes its digits. */
export const identifier = z.union([z.string().min(1), z.number().int().transform(String)]);

/** The service's own object, never copied, so that keys such as `__proto__` survive. */
export const jsonObject = z.custom<JsonObject>(isObject);

/** The members of an object, and the object itself as `raw`. */
const withRaw = jsonObject.transform((raw): JsonObject => ({ ...raw, raw }));

/** The cursor of the next page; null on the last one. */
export const nextCursor = z
	.string()
	.nullish()
	.transform((cursor) => cursor || null);

export const card = withRaw.pipe(z.object({ id: identifier, name: z.string(), raw: jsonObject }));

/** A card (table). `raw` is the service's unchanged object. */
export type Card = z.infer<typeof card>;

const fieldMembers = z.object({
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
	.pipe(fieldMembers)
	.transform(({ read_only, ...shape }) => ({
		...shape,
		kind: kindOfType(shape.type),
		options: readOptions(choiceListOf(shape.raw)),
		isReadOnly: read_only === true,
	}));

/** A field (column definition). `raw` is the service's unchanged object. */
export type Field = ValueField & z.infer<typeof field>;

const recordMembers = z.object({
	id: identifier,
	/** Values by field ID: the service's own object. */
	data: jsonObject.optional(),
	/** ISO 8601 UTC. */
	created_at: z.string().nullish(),
	raw: jsonObject,
});

export const record = withRaw
	.pipe(recordMembers)
	.transform(({ created_at: createdAt = null, data = {}, ...others }) => ({
		...others,
		data,
		createdAt,
	}));

/** A record (row). `raw` is the service's unchanged object. */
export type DataRecord = z.infer<typeof record>;

/** A record of a list always has its values. */
const listed = record.refine(({ raw }) => raw.data !== undefined, { path: ['data'] });

/** A record without its schema, which would take most of the time of a long list; undefined if anything is unusual. */
function usual(raw: unknown): DataRecord | undefined {
	if (!isObject(raw)) return undefined;
	const { id, data, created_at: createdAt } = raw;
	const isUsual = typeof id === 'string' && id !== '' && typeof createdAt === 'string';
	return isUsual && isObject(data) ? { id, data, createdAt, raw } : undefined;
}

/** The records of a list. */
export const records: Schema<DataRecord[]> = z.array(z.unknown()).transform((list, context) =>
	list.map((raw, place) => {
		const found = usual(raw);
		if (found) return found;
		const { data, error } = listed.safeParse(raw, { path: [place] });
		error?.issues.forEach((issue) => context.addIssue(issue));
		return data ?? z.NEVER;
	}),
);

/** Its identifier is `webhook_id`, or `id`. */
export const subscription = jsonObject
	.transform((shape) => ({ webhook_id: shape.id, ...shape }))
	.pipe(z.object({ webhook_id: identifier, secret: z.string().min(1) }))
	.transform(({ webhook_id: id, secret }) => ({ id, secret }));

/** Only record events are shown in the interface, so everything but the event's name may be missing. */
export const event = z.object({
	event: z.string().min(1),
	timestamp: z.string().optional().catch(undefined),
	workspace_id: identifier.optional().catch(undefined),
	card_id: identifier.optional().catch(undefined),
	record_id: identifier.optional().catch(undefined),
	data: jsonObject.optional().catch(undefined),
});

export type ServiceEvent = z.infer<typeof event>;

/** The lifetime if the response doesn't state one, in seconds. */
const DEFAULT_LIFETIME_S = 300;

export const token = z.object({
	access_token: z.string().min(1),
	expires_in: z.number().positive().finite().catch(DEFAULT_LIFETIME_S),
});

export type Token = z.infer<typeof token>;

const text = z.string().trim().min(1).optional().catch(undefined);

/** The last path segment of a problem's type. */
const kindOf = (type = ''): string | undefined => {
	const kind = /([^/:]+)\/?$/.exec(type.split(/[?#]/)[0] ?? '')?.[1];
	return kind === 'blank' ? undefined : kind;
};

const messages = { message: text, error_description: text, description: text, error: text };

export const problem = z
	.object({ type: text, title: text, detail: text, ...messages })
	.catch({})
	.transform(({ type, title, detail, ...others }) => {
		const said = others.message ?? others.error_description ?? others.description ?? others.error;
		const more = title === undefined ? detail : (detail ?? said);
		return { title: title ?? said, detail: more, kind: kindOf(type) };
	});
