/** Records, as the service sends them. @see service interface, part 2 */
import { z } from 'zod/v3';
import type { JsonObject } from '../../values/jsonObject';
import { identifier, jsonObject, withRaw } from './parts';

/** A record (row). `data` is keyed by field ID, and the service's own object. */
export interface DataRecord {
	id: string;
	data: JsonObject;
	/** ISO 8601 UTC; null if a response doesn't say. */
	createdAt: string | null;
	/** The service's object, with properties beyond the interface. */
	raw: JsonObject;
}

export const record = withRaw(
	z.object({ id: identifier, data: jsonObject.optional(), created_at: z.string().nullish() }),
	({ id, data = {}, created_at: createdAt = null }, raw): DataRecord => ({
		id,
		data,
		createdAt,
		raw,
	}),
);
