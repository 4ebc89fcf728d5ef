import { isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../test/host/n8nClient.ts';

const show = (value: unknown) => JSON.stringify(value) ?? 'nothing';

/**
 * Compares fields value by value. A field that is cleared may be null or absent.
 *
 * @param what whose fields they are, for the texts
 * @returns one text for each difference
 */
export function differences(
	what: string,
	expected: JsonObject,
	found: JsonObject | undefined,
): string[] {
	if (found === undefined) return [`${what}: there are no fields`];
	const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
	return [...names]
		.filter((name) => !isDeepStrictEqual(expected[name] ?? null, found[name] ?? null))
		.map(
			(name) => `${what}: '${name}' should be ${show(expected[name])} but is ${show(found[name])}`,
		);
}
