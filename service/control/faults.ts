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
	#waiting: Array<Fault & { matches: RegExp }> = [];

	add(fault: Fault): void {
		this.#waiting.push({ ...fault, matches: new RegExp(fault.path) });
	}

	clear(): void {
		this.#waiting = [];
		this.drop = { ratio: 0, when: 'either' };
	}

	/** The fault for a request, which it uses up. */
	take(method: string, path: string): Fault | undefined {
		for (const fault of this.#waiting) {
			if ((fault.method ?? method) !== method || !fault.matches.test(path)) continue;
			if (fault.skip > 0) {
				fault.skip -= 1;
				continue;
			}
			fault.times -= 1;
			if (fault.times === 0) this.#waiting = this.#waiting.filter((other) => other !== fault);
			return fault;
		}
		const { ratio, when } = this.drop;
		if (Math.random() >= ratio) return undefined;
		const isBefore = when === 'before' || (when === 'either' && Math.random() < 0.5);
		return faultSchema.parse({ mode: isBefore ? 'dropBefore' : 'dropAfter' });
	}
}

interface TokenFault {
	/** What is responded instead of the provider: status, type and body; null for nothing at all. */
	instead?: null | [status: number, type: string, body: string];
	/** How long a token lives by the response. */
	expiresIn?(seconds: unknown): unknown;
}

const tokenFaults = {
	down: { instead: null },
	unavailable: { instead: [503, 'application/json', '{"error":"temporarily_unavailable"}'] },
	html: {
		instead: [200, 'text/html', '<!doctype html><title>Sign in</title><p>Please sign in.</p>'],
	},
	missingExpiresIn: { expiresIn: () => undefined },
	expiresInString: { expiresIn: String },
	expiresInZero: { expiresIn: () => 0 },
	expiresInOne: { expiresIn: () => 1 },
} satisfies Record<string, TokenFault>;

/** Names of the ways in which the token endpoint can misbehave. */
export const tokenFaultModes = Object.keys(tokenFaults) as Array<keyof typeof tokenFaults>;

/** Misbehavior of the token endpoint; none until some is set. */
export class TokenFaults {
	#fault: TokenFault = {};
	#left = 0;

	/** Misbehaves for the next `times` requests. */
	set(mode: keyof typeof tokenFaults, times: number): void {
		this.#fault = tokenFaults[mode];
		this.#left = times;
	}

	clear(): void {
		this.#fault = {};
	}

	/** Responds in place of the provider if a fault says so. @returns whether it did */
	answer(response: ServerResponse): boolean {
		const { instead } = this.#fault;
		if (instead === undefined) return false;
		if (instead === null) response.destroy();
		else response.writeHead(instead[0], { 'content-type': instead[1] }).end(instead[2]);
		this.#use();
		return true;
	}

	/** Changes a good token response if a fault says so. */
	alter(body: Record<string, unknown>): void {
		const { expiresIn } = this.#fault;
		if (!expiresIn) return;
		body.expires_in = expiresIn(body.expires_in);
		this.#use();
	}

	#use(): void {
		this.#left -= 1;
		if (this.#left === 0) this.clear();
	}
}
