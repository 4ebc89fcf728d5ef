/** What several schemas share. */
import { z } from 'zod/v3';
import { isObject, type JsonObject } from '../../values/jsonObject';

/** A schema of anything that results in a `Thing`. */
export type Schema<Thing> = z.ZodType<Thing, z.ZodTypeDef, unknown>;

/** An identifier. A whole number becomes its digits. */
export const identifier = z.union([z.string().min(1), z.number().int().transform(String)]);

/** The service's own object, never copied, so that keys such as `__proto__` survive. */
export const jsonObject = z.custom<JsonObject>(isObject);

/** The cursor of the next page; null on the last one. */
export const nextCursor = z
	.string()
	.nullish()
	.transform((cursor) => cursor || null);

/** A schema that makes a thing from the members that it checks and the service's own object. */
export const withRaw = <Shape, Thing>(
	shape: Schema<Shape>,
	make: (members: Shape, raw: JsonObject) => Thing,
): Schema<Thing> =>
	jsonObject.transform((raw, context) => {
		const result = shape.safeParse(raw);
		if (result.success) return make(result.data, raw);
		result.error.issues.forEach((issue) => context.addIssue({ ...issue, fatal: true }));
		return z.NEVER;
	});
