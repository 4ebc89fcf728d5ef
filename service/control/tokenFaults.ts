import type { ServerResponse } from 'node:http';

/** Ways in which the token endpoint can misbehave. */
export const tokenFaultModes = [
	'down',
	'unavailable',
	'html',
	'missingExpiresIn',
	'expiresInString',
	'expiresInZero',
	'expiresInOne',
] as const;

/** One way to misbehave. */
export type TokenFaultMode = (typeof tokenFaultModes)[number];

/** Misbehaviour of the token endpoint, as set by control. */
export interface TokenFaults {
	/** Misbehaves for the next `times` requests. */
	set(mode: TokenFaultMode, times: number): void;
	clear(): void;
	/** Answers in place of the provider where a fault says so. @returns whether it did */
	answer(response: ServerResponse): boolean;
	/** Changes a good token answer where a fault says so. */
	alter(body: Record<string, unknown>): void;
}

/** No faults until some are set. */
export function createTokenFaults(): TokenFaults {
	let mode: TokenFaultMode | undefined;
	let left = 0;
	const take = () => {
		left -= 1;
		if (left <= 0) mode = undefined;
	};
	return {
		set(next, times) {
			mode = next;
			left = times;
		},
		clear() {
			mode = undefined;
		},
		answer(response) {
			if (mode === 'down') response.destroy();
			else if (mode === 'unavailable') {
				response
					.writeHead(503, { 'content-type': 'application/json' })
					.end('{"error":"temporarily_unavailable"}');
			} else if (mode === 'html') {
				response
					.writeHead(200, { 'content-type': 'text/html' })
					.end('<!doctype html><title>Sign in</title><p>Please sign in.</p>');
			} else return false;
			take();
			return true;
		},
		alter(body) {
			if (mode === undefined) return;
			if (mode === 'missingExpiresIn') delete body.expires_in;
			else if (mode === 'expiresInString') body.expires_in = String(body.expires_in);
			else if (mode === 'expiresInZero') body.expires_in = 0;
			else if (mode === 'expiresInOne') body.expires_in = 1;
			take();
		},
	};
}
