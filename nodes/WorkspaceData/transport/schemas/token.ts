/** The response to a token request. @see RFC 6749, section 5.1; service interface, part 8 */
import { z } from 'zod/v3';

/** The lifetime if the response doesn't state one, in seconds. */
const DEFAULT_LIFETIME_S = 300;

export const token = z.object({
	access_token: z.string().min(1),
	expires_in: z.number().positive().finite().catch(DEFAULT_LIFETIME_S),
});

export type Token = z.infer<typeof token>;
