/** The identifier and the name of a resource, under any key that services use for them. */
import { isInexact, isText, type JsonObject } from './shapes';

/** An identifier as text. Services may send numbers. Undefined if it is anything else, or has lost digits. */
export function identifierOf(value: unknown): string | undefined {
	if (typeof value === 'number') return isInexact(value) ? undefined : String(value);
	return isText(value) ? value : undefined;
}

/** The name of a field or card, under any key that services use for it; undefined if it has none. */
export const nameOf = ({ name, label, title, field_name }: JsonObject): string | undefined =>
	[name, label, title, field_name].find(isText);
