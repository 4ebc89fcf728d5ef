/** Cards, as the service sends them. @see service interface, part 2 */
import { z } from 'zod/v3';
import type { JsonObject } from '../../values/jsonObject';
import { identifier, withRaw } from './parts';

/** A card (table). `raw` is the service's unchanged object. */
export interface Card {
	id: string;
	name: string;
	raw: JsonObject;
}

export const card = withRaw(
	z.object({ id: identifier, name: z.string() }),
	(members, raw): Card => ({ ...members, raw }),
);
