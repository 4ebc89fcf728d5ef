/** The log: Fastify's pino logger on stderr, with secrets redacted. */
import { type FastifyBaseLogger, type FastifyServerOptions, LogController } from 'fastify';
import type { LogLevel } from '../foundation/settings.ts';

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
	const logsRequests = level === 'info' || level === 'debug';
	return {
		// A logger for each request costs as much as all checks of a request; only lines about requests need it.
		...(!logsRequests && { childLoggerFactory: (logger: FastifyBaseLogger) => logger }),
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
		logController: new LogController({ disableRequestLogging: !logsRequests }),
	} as FastifyServerOptions;
}
