/** How to start the service, and what it tells once it has started. */
import type { Wanted } from '../data/identities.ts';
import { type Rate, rateSchema } from '../foundation/limiter.ts';
import { newSecret } from '../foundation/secrets.ts';
import { type Settings, settingsSchema } from '../foundation/settings.ts';

/** Names of the levels of the log. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** How to start the service; everything has a default. */
export interface ServiceOptions extends Wanted, Partial<Settings> {
	/** Port of the API; 0 takes a free one. */
	port?: number;
	/** Port of the identity provider; 0 takes a free one. */
	authPort?: number;
	/** Address to listen on, 127.0.0.1 unless told otherwise. */
	host?: string;
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
	/** `smtp://` or `smtps://` address of a mail server; without one e-mails stay in the outbox. */
	smtpUrl?: string;
	/** How long requests and deliveries that are under way may take to end when the service stops, in ms. */
	drainMs?: number;
	/** Least severe lines of the log; `warn` where it is missing. */
	logLevel?: (typeof logLevels)[number];
	/** Takes the lines of the log, as JSON; stderr where it is missing. */
	logTo?: { write(line: string): void };
}

/** The first line of output of the service: its addresses, and the secrets that open it. */
export interface ServiceAddresses extends Required<Omit<Wanted, 'ownerEmail'>> {
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
	const { rate = { tier: 'enterprise' }, ...others } = given;
	const settings = settingsSchema.parse(given);
	return {
		port: 0,
		authPort: 0,
		host: '127.0.0.1',
		file: ':memory:',
		control: false,
		controlToken: newSecret(),
		realm: 'workspace',
		settingsPassword: newSecret(),
		bodyBytes: 256 * 1024,
		drainMs: 5_000,
		logLevel: 'warn' as const,
		logTo: process.stderr,
		...others,
		allowance: rateSchema.parse(rate),
		settings,
		startSettings: { ...settings },
	};
}
