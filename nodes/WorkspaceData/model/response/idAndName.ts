/** The identifier and the name of a resource, under any key that services use for them. */
import { z } from 'zod/v3';
import { isInexact, isText, type JsonObject } from './jsonObject';

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
 * The identifier of a resource; undefined if it has none that can be used.
 *
 * @param idName its more specific name, for example `card_id`
 */
export function idOf(raw: JsonObject, idName: string): string | undefined {
	const id = raw.id ?? raw[idName];
	// Text skips the schema, which would take most of the time of a long listing.
	return isText(id) ? id : identifier.safeParse(id).data;
}
