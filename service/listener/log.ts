/** The log: Fastify's pino logger on stderr, with secrets redacted. */
import { type FastifyServerOptions, LogController } from 'fastify';
import { FifoMap } from 'toad-cache';

/** Least severe level that is written. `info` has a line for each request and each answer. */
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** Levels, least to most verbose. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const satisfies LogLevel[];

/** How to log. */
export interface LogOptions {
	level: LogLevel;
	/** Takes the lines, as JSON. */
	to: { write(line: string): void };
}

/** Properties that are never written, wherever a line has them. */
const secretNames = [
	...['authorization', 'cookie', '["set-cookie"]'],
	...['apiKey', 'clientSecret', 'client_secret', 'access_token', 'secret', 'password', 'token'],
];

/** The options of Fastify for its logger. */
export function loggerOptions({ level, to }: LogOptions): FastifyServerOptions {
	const at = (prefix: string) =>
		secretNames.map((name) =>
			name.startsWith('[') ? `${prefix}${name}` : [prefix, name].filter(Boolean).join('.'),
		);
	return {
		logger: {
			level,
			stream: to,
			redact: {
				paths: [...at(''), ...at('*'), ...at('*.headers'), ...at('*.body')],
				censor: '[redacted]',
			},
			serializers: {
				// The path alone: a query has cursors, and nothing that helps to find a fault.
				req: ({ method, url, ip }: { method: string; url: string; ip: string }) => ({
					method,
					path: url.split('?', 1)[0],
					address: ip,
				}),
			},
		},
		logController: new LogController({
			disableRequestLogging: level !== 'info' && level !== 'debug',
		}),
	} as FastifyServerOptions;
}

/** Time in which the same message is written once, in ms. */
const sameMessageMs = 60_000;
/** Messages that are remembered for that. */
const maximumMessages = 100;

/**
 * Writes messages about the service's own faults, each of the same words once a minute: a full disk fails every
 * request.
 */
export function createReport(write: (message: string) => void, now: () => number) {
	const lately = new FifoMap<number>(maximumMessages);
	return (message: string) => {
		const at = now();
		const last = lately.get(message);
		if (last !== undefined && at - last < sameMessageMs) return;
		lately.set(message, at);
		write(message);
	};
}
