/** How to start the service, and what it tells once it has started. */
import type { Variants } from './control/variants.ts';
import type { Rate } from './foundation/limiter.ts';
import type { LogLevel } from './foundation/settings.ts';

/** How to start the service; everything has a default. */
export interface ServiceOptions {
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
	/** Identifier of the workspace; that of the file or a new one where it is missing. */
	workspaceId?: string;
	/** Realm of the identity provider. */
	realm?: string;
	/** An API key that is to be valid, even if it was revoked; a new one where it is missing. */
	apiKey?: string;
	/** Client id of an account that is to be active, even if it was revoked; a new one where missing. */
	clientId?: string;
	/** Its secret; a new one where it is missing. */
	clientSecret?: string;
	/** Who hears about paused subscriptions; used when the workspace is created. */
	ownerEmail?: string;
	/** Password for the settings page; a random one where it is missing. */
	settingsPassword?: string;
	/** Time before the first retry of a delivery, in ms; doubles with each further one. */
	backoffMs?: number;
	/** How long a target may take to answer a delivery, in ms. */
	deliveryTimeoutMs?: number;
	/** Deliveries of one subscription at a time, 1; more gives the order up. */
	parallelDeliveries?: number;
	/** Life of an access token, in seconds. */
	tokenLifetimeSeconds?: number;
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
export interface ServiceAddresses {
	/** API root, ends in /api/v1. */
	baseUrl: string;
	/** Address of the identity provider. */
	authUrl: string;
	realm: string;
	workspaceId: string;
	apiKey: string;
	clientId: string;
	clientSecret: string;
	/** Control over HTTP; null unless the options ask for it. */
	controlUrl: string | null;
	controlToken: string | null;
	/** Address and password of the settings page. */
	settingsUrl: string;
	settingsPassword: string;
}
