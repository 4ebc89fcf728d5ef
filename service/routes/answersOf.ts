import { z } from 'zod/v4';
import { problemSchema } from './resources.ts';

/**
 * The answers of an endpoint for the description document: what it gives, and a problem otherwise.
 * Typed loosely on purpose: variants answer in other shapes than the described ones.
 */
export function answersOf(success: Record<number, z.ZodType>): Record<string, unknown> {
	return { ...success, default: problemSchema };
}

/** No body. */
export const noBody = z.null().describe('Done; no body.');
