/** The identifier and the name of a resource, under any key that services use for them. */
import { z } from 'zod/v3';
import { isInexact, isObject, type JsonObject } from './shapes';

/** An identifier. Services may send numbers; one that lost digits in JSON isn't accepted. */
export const identifier = z.union([
	z.string().min(1),
	z
		.number()
		.finite()
		.refine((id) => !isInexact(id))
		.transform(String),
]);

/** The name of a field or card, under any key that services use for it; undefined if it has none. */
export function nameOf(raw: JsonObject): string | undefined {
	const names = [raw.name, raw.label, raw.title, raw.field_name];
	return names.find((name): name is string => typeof name === 'string' && name !== '');
}

/**
 * Schema of a resource: its identifier, under `id` or a more specific name, and more properties. The output
 * has the identifier as `id`.
 *
 * @param idName the other name of the identifier, for example `card_id`
 */
export function resourceSchema<Shape extends z.ZodRawShape>(idName: string, shape: Shape) {
	const withId = (raw: unknown) =>
		isObject(raw) ? { ...raw, id: raw.id ?? raw[idName] } : undefined;
	return z.preprocess(withId, z.object(shape).and(z.object({ id: identifier })));
}
