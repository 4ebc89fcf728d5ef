import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod/v4';
import { maximumTimerMs } from '../foundation/settings.ts';

/** Whether Node could send these; it would refuse the answer itself otherwise. */
function areHeaders(headers: Record<string, string>): boolean {
	try {
		for (const [name, value] of Object.entries(headers)) {
			validateHeaderName(name);
			validateHeaderValue(name, value);
		}
		return true;
	} catch {
		return false;
	}
}

/** How the next matching requests are failed. */
export const faultSchema = z
	.object({
		/** HTTP method; any where it is missing. */
		method: z.string().toUpperCase().optional(),
		/** Regular expression over the path (without query), for example `/records$`; any where missing. */
		path: z.string().default(''),
		/** How many requests. */
		times: z.number().int().min(1).default(1),
		/** How many matching requests go through before the first one fails. */
		skip: z.number().int().min(0).default(0),
		/**
		 * `answer`: answer with `status` and `body` and change nothing; `dropBefore`: close the connection,
		 * nothing was changed; `dropAfter`: make the change, then close without an answer; `hang`: never
		 * answer; `slowBody`: answer properly, one byte at a time.
		 */
		mode: z.enum(['answer', 'dropBefore', 'dropAfter', 'hang', 'slowBody']).default('answer'),
		status: z.number().int().min(200).max(599).default(500),
		body: z.enum(['problem', 'html', 'empty', 'plain', 'json']).default('problem'),
		/** The body with `body: "json"`, or members to add to a problem. */
		json: z.unknown().optional(),
		headers: z
			.record(z.string(), z.string())
			.refine(areHeaders, 'are not proper HTTP headers')
			.default({}),
		/** Time between two bytes with `slowBody`, in ms. */
		byteMs: z.number().int().min(0).max(maximumTimerMs).default(1_000),
	})
	.strict();

/** A fault with its defaults filled in. */
export type Fault = z.output<typeof faultSchema>;

/** Faults that wait for their requests. */
export interface Faults {
	add(fault: Fault): void;
	clear(): void;
	/** The share of requests whose connection is closed at random, 0 to 1, and when. */
	drop: { ratio: number; when: 'before' | 'after' | 'either' };
	/** The fault for a request, which it uses up, or undefined. */
	take(method: string, path: string): Fault | undefined;
}

/** @param random numbers from 0 to below 1, for drops */
export function createFaults(random: () => number = Math.random): Faults {
	let waiting: Array<{ fault: Fault; matches: RegExp; skip: number; left: number }> = [];
	return {
		drop: { ratio: 0, when: 'either' },
		add(fault) {
			waiting.push({
				fault,
				matches: new RegExp(fault.path),
				skip: fault.skip,
				left: fault.times,
			});
		},
		clear() {
			waiting = [];
			this.drop = { ratio: 0, when: 'either' };
		},
		take(method, path) {
			for (const entry of waiting) {
				const wanted = entry.fault.method;
				if ((wanted !== undefined && wanted !== method) || !entry.matches.test(path)) continue;
				if (entry.skip > 0) {
					entry.skip -= 1;
					continue;
				}
				entry.left -= 1;
				if (entry.left <= 0) waiting = waiting.filter((other) => other !== entry);
				return entry.fault;
			}
			if (random() < this.drop.ratio) {
				const { when } = this.drop;
				const before = when === 'before' || (when === 'either' && random() < 0.5);
				return faultSchema.parse({ mode: before ? 'dropBefore' : 'dropAfter' });
			}
			return undefined;
		},
	};
}
