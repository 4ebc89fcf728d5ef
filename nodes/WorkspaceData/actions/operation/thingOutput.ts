/** The output of operations on cards and fields. */
import type { Run } from '../../records/run';
import type { JsonObject } from '../../values/jsonObject';

/** A card or a field as the service sent it, its ID as text. A later node may change it. */
export const thingOutput = ({ id, raw }: { id: string; raw: JsonObject }): JsonObject => ({
	...raw,
	id,
});

/** Something was created, but its ID isn't in the output. */
export function hintAtNoId({ hints }: Run, thing: 'card' | 'field' | 'record'): void {
	hints.add(
		`The service created a ${thing}, but its response shows no ID, so the output has none. Don't create the ${thing} again: look for it in the service.`,
	);
}
