/** Faults of the API and of the token endpoint that wait for their requests. */
import type { ServerResponse } from 'node:http';
import { z } from 'zod/v4';
import { maximumTimerMs } from '../foundation/settings.ts';

/** How the next matching requests are failed. */
export const faultSchema = z.strictObject({
	/** HTTP method; any if it is missing. */
	method: z.string().toUpperCase().optional(),
	/** Regular expression over the path (without query), for example `/records$`; any if it is missing. */
	path: z.string().default(''),
	/** How many requests. */
	times: z.int().min(1).default(1),
	/** How many matching requests pass before the first one fails. */
	skip: z.int().min(0).default(0),
	/**
	 * `answer`: respond with `status` and `body` and change nothing; `dropBefore`: close the connection, nothing was
	 * changed; `dropAfter`: make the change, then close without a response; `hang`: never respond; `slowBody`: respond
	 * properly, one byte at a time.
	 */
	mode: z.enum(['answer', 'dropBefore', 'dropAfter', 'hang', 'slowBody']).default('answer'),
	status: z.int().min(200).max(599).default(500),
	body: z.enum(['problem', 'html', 'empty', 'plain', 'json']).default('problem'),
	/** The body with `body: "json"`, or members to add to a problem. */
	json: z.unknown().optional(),
	/** Node would refuse to send others (RFC 9110, 5.5). */
	headers: z
		.record(
			z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/),
			z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/),
		)
		.default({}),
	/** Time between two bytes with `slowBody`, in ms. */
	byteMs: z.int().min(0).max(maximumTimerMs).default(1_000),
});

/** A fault with its defaults filled in. */
export type Fault = z.output<typeof faultSchema>;

/** The share of requests whose connection is closed at random, and when. */
export const dropSchema = z.strictObject({
	ratio: z.number().min(0).max(1),
	when: z.enum(['before', 'after', 'either']).default('either'),
});

/** Faults of the API that wait for their requests. */
export class Faults {
	drop: z.output<typeof dropSchema> = { ratio: 0, when: 'either' };
	readonly #random: () => number;
	#waiting: Array<{ fault: Fault; matches: RegExp; skip: number; left: number }> = [];

	/** @param random numbers from 0 to below 1, for drops */
	constructor(random: () => number = Math.random) {
		this.#random = random;
	}

	add(fault: Fault): void {
		const { path, skip, times } = fault;
		this.#waiting.push({ fault, matches: new RegExp(path), skip, left: times });
	}

	clear(): void {
		this.#waiting = [];
		this.drop = { ratio: 0, when: 'either' };
	}

	/** The fault for a request, which it uses up. */
	take(method: string, path: string): Fault | undefined {
		for (const entry of this.#waiting) {
			const { method: wanted = method } = entry.fault;
			if (wanted !== method || !entry.matches.test(path)) continue;
			if (entry.skip > 0) {
				entry.skip -= 1;
				continue;
			}
			entry.left -= 1;
			if (entry.left <= 0) this.#waiting = this.#waiting.filter((other) => other !== entry);
			return entry.fault;
		}
		const { ratio, when } = this.drop;
		if (this.#random() >= ratio) return undefined;
		const isBefore = when === 'before' || (when === 'either' && this.#random() < 0.5);
		return faultSchema.parse({ mode: isBefore ? 'dropBefore' : 'dropAfter' });
	}
}

/** What the token endpoint responds instead of the provider: status, type and body; nothing at all with `down`. */
const tokenResponses = {
	down: undefined,
	unavailable: [503, 'application/json', '{"error":"temporarily_unavailable"}'],
	html: [200, 'text/html', '<!doctype html><title>Sign in</title><p>Please sign in.</p>'],
} as const;

/** How long a token lives by its response. */
const tokenLives = {
	missingExpiresIn: () => undefined,
	expiresInString: String,
	expiresInZero: () => 0,
	expiresInOne: () => 1,
} as const;

const tokenFaults = { ...tokenResponses, ...tokenLives };

/** Names of the ways in which the token endpoint can misbehave. */
export const tokenFaultModes = Object.keys(tokenFaults) as Array<keyof typeof tokenFaults>;

/** Misbehavior of the token endpoint; none until some is set. */
export class TokenFaults {
	#mode: keyof typeof tokenFaults | undefined;
	#left = 0;

	/** Misbehaves for the next `times` requests. */
	set(mode: keyof typeof tokenFaults, times: number): void {
		this.#mode = mode;
		this.#left = times;
	}

	clear(): void {
		this.#mode = undefined;
	}

	/** Responds in place of the provider if a fault says so. @returns whether it did */
	answer(response: ServerResponse): boolean {
		const mode = this.#mode;
		if (mode === undefined || !(mode in tokenResponses)) return false;
		const [status, type, body] = tokenResponses[mode as keyof typeof tokenResponses] ?? [];
		if (status === undefined) response.destroy();
		else response.writeHead(status, { 'content-type': type }).end(body);
		this.#use();
		return true;
	}

	/** Changes a good token response if a fault says so. */
	alter(body: Record<string, unknown>): void {
		const mode = this.#mode;
		if (mode === undefined || !(mode in tokenLives)) return;
		body.expires_in = tokenLives[mode as keyof typeof tokenLives](body.expires_in);
		this.#use();
	}

	#use(): void {
		this.#left -= 1;
		if (this.#left <= 0) this.#mode = undefined;
	}
}
