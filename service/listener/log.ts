/** The log: Fastify's pino logger on stderr. It has no headers and no bodies, and so no secrets. */
import { type FastifyBaseLogger, type FastifyServerOptions, LogController } from 'fastify';
import type { LogLevel } from '../foundation/settings.ts';

/** How to log. */
export interface LogOptions {
	level: LogLevel;
	/** Takes the lines, as JSON. */
	to: { write(line: string): void };
}

/** The options of Fastify for its logger. */
export function loggerOptions({ level, to }: LogOptions): FastifyServerOptions {
	const logsRequests = level === 'info' || level === 'debug';
	return {
		// A logger for each request costs as much as all checks of a request; only lines about requests need it.
		...(!logsRequests && { childLoggerFactory: (logger: FastifyBaseLogger) => logger }),
		logger: {
			level,
			stream: to,
			serializers: {
				// The path alone, no query and no headers.
				req: ({ method, url, ip }: { method: string; url: string; ip: string }) => ({
					method,
					path: url.split('?', 1)[0],
					address: ip,
				}),
			},
		},
		logController: new LogController({ disableRequestLogging: !logsRequests }),
	} as FastifyServerOptions;
}
