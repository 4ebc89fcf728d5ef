import type { JsonObject } from '../../model/answer/shapes';

const isContainer = (value: unknown): value is JsonObject | unknown[] => {
	if (typeof value !== 'object' || value === null) return false;
	// Dates and the like are left alone.
	return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
};

/** A copy that shares nothing with the original; keys like `__proto__` survive. */
function copyOf(value: unknown): unknown {
	if (!isContainer(value)) return value;
	if (Array.isArray(value)) return value.map(copyOf);
	return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copyOf(part)]));
}

/**
 * Gives each output item objects that no other item has. A listing is read once for all items, and a
 * node further on that changes one item in place would change the others, too.
 *
 * @returns takes the items one by one; copies only what an earlier item has
 */
export function createUnsharing(): (json: JsonObject) => JsonObject {
	const seen = new WeakSet<object>();
	const own = (value: unknown): unknown => {
		if (!isContainer(value)) return value;
		if (seen.has(value)) return copyOf(value);
		seen.add(value);
		for (const [key, part] of Object.entries(value)) {
			const ownPart = own(part);
			// An own property: a key may be `__proto__`.
			if (ownPart !== part) Object.defineProperty(value, key, { value: ownPart });
		}
		return value;
	};
	return (json) => own(json) as JsonObject;
}
