/** Cards, as the service sends them. @see service interface, part 2 */
import { z } from 'zod/v3';
import { identifier, jsonObject, withRaw } from './parts';

export const card = withRaw.pipe(z.object({ id: identifier, name: z.string(), raw: jsonObject }));

/** A card (table). `raw` is the service's unchanged object. */
export type Card = z.infer<typeof card>;
