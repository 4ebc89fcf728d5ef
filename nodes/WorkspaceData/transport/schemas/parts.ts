/** What several schemas share. */
import { z } from 'zod/v3';
import { isObject, type JsonObject } from '../../values/jsonObject';

/** A schema of anything that results in a `Thing`. */
export type Schema<Thing> = z.ZodType<Thing, z.ZodTypeDef, unknown>;

/** An identifier. A whole number becomes its digits. */
export const identifier = z.union([z.string().min(1), z.number().int().transform(String)]);

/** The service's own object, never copied, so that keys such as `__proto__` survive. */
export const jsonObject = z.custom<JsonObject>(isObject);

/** The members of an object, and the object itself as `raw`. */
export const withRaw = jsonObject.transform((raw): JsonObject => ({ ...raw, raw }));

/** The cursor of the next page; null on the last one. */
export const nextCursor = z
	.string()
	.nullish()
	.transform((cursor) => cursor || null);
