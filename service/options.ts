/** How to start the service, and what it tells once it has started. */
import type { Variants } from './control/variants.ts';
import type { Access, Wanted } from './data/provision.ts';
import type { Rate } from './foundation/limiter.ts';
import { newSecret } from './foundation/secrets.ts';
import {
	type LogLevel,
	type RuntimeSettings,
	runtimeSettingsSchema,
} from './foundation/settings.ts';

/** How to start the service; everything has a default. */
export interface ServiceOptions extends Wanted, Partial<RuntimeSettings> {
	/** Port of the API; 0 takes a free one. */
	port?: number;
	/** Port of the identity provider; 0 takes a free one. */
	authPort?: number;
	/** Address to listen on, 127.0.0.1 unless told otherwise. */
	host?: string;
	/** The addresses by which clients reach the API and the identity provider, behind a proxy or on all addresses. */
	publicUrl?: string;
	publicAuthUrl?: string;
	/** Path of the SQLite file; without one everything is kept in memory and gone at the end. */
	file?: string;
	/** Whether control is there, in this process and over HTTP. */
	control?: boolean;
	/** Token for control over HTTP; a random one where it is missing. */
	controlToken?: string;
	/** Realm of the identity provider. */
	realm?: string;
	/** Password for the settings page; a random one where it is missing. */
	settingsPassword?: string;
	/** Rate limit of every key and account. */
	rate?: Rate;
	/** Largest request body, in bytes. */
	bodyBytes?: number;
	/** Shapes that the interface leaves open; only with control. */
	variants?: Partial<Variants>;
	/** `smtp://` or `smtps://` address of a mail server; without one e-mails stay in the outbox. */
	smtpUrl?: string;
	/** Whether to believe a proxy's X-Forwarded-* headers; only where nobody reaches the service past it. */
	trustProxy?: boolean;
	/** How long requests and deliveries that are under way may take to end when the service stops, in ms. */
	drainMs?: number;
	/** Least severe lines of the log; `warn` where it is missing. */
	logLevel?: LogLevel;
	/** Takes the lines of the log, as JSON; stderr where it is missing. */
	logTo?: { write(line: string): void };
}

/** The first line of output of the service: its addresses, and the secrets that open it. */
export interface ServiceAddresses extends Access {
	/** API root, ends in /api/v1. */
	baseUrl: string;
	/** Address of the identity provider. */
	authUrl: string;
	realm: string;
	/** Control over HTTP; null unless the options ask for it. */
	controlUrl: string | null;
	controlToken: string | null;
	/** Address and password of the settings page. */
	settingsUrl: string;
	settingsPassword: string;
}

/** The options with their defaults. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** @throws ZodError if a setting is out of its bounds */
export function resolveOptions(given: ServiceOptions) {
	const { port = 0, authPort = 0, host = '127.0.0.1', file = ':memory:' } = given;
	const { control = false, realm = 'workspace', trustProxy = false } = given;
	const { rate = { tier: 'enterprise' as const }, bodyBytes = 256 * 1024, drainMs = 5_000 } = given;
	const { settingsPassword = newSecret(), controlToken = newSecret() } = given;
	const { logLevel = 'warn', logTo = process.stderr } = given;
	return {
		...given,
		...{ port, authPort, host, file, control, realm, trustProxy, rate, bodyBytes, drainMs },
		...{ settingsPassword, controlToken, logLevel, logTo },
		settings: runtimeSettingsSchema.parse(given),
	};
}
