/** There was no answer. */
export class NetworkFailure extends Error {
	/** Error code of the system or the HTTP client, for example `ECONNREFUSED`. */
	readonly code: string;
	/** What happened, in words a user understands. */
	readonly reason: string;
	/** Whether the service can have received the request. */
	readonly mayHaveArrived: boolean;
	/** Whether trying again later can help. */
	readonly transient: boolean;

	constructor(code: string, reason: string, mayHaveArrived: boolean, transient: boolean) {
		super(reason);
		this.name = 'NetworkFailure';
		this.code = code;
		this.reason = reason;
		this.mayHaveArrived = mayHaveArrived;
		this.transient = transient;
	}
}

/** Failures before a connection stood: the request cannot have arrived. */
const NOT_ARRIVED: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: 'the host name is not known',
	EAI_AGAIN: 'the host name could not be looked up',
	EHOSTUNREACH: 'the host is unreachable',
	ENETUNREACH: 'the network is unreachable',
	ENETDOWN: 'the network is down',
	EADDRNOTAVAIL: 'the address is not available',
};

/** Failures after a connection stood: the request may have arrived. */
const MAY_HAVE_ARRIVED: Record<string, string> = {
	ECONNRESET: 'the connection was closed before an answer came',
	EPIPE: 'the connection was closed before an answer came',
	ECONNABORTED: 'no answer came in time',
	ETIMEDOUT: 'no answer came in time',
	ERR_BAD_RESPONSE: 'the answer was cut off',
};

/** Failures of reading an answer: there was one, so the request has arrived. */
const UNREADABLE = /^(?:HPE_|Z_|ERR_STREAM_|ERR_HTTP_|ERR_CONTENT_DECODING)/;

const CERTIFICATE = /CERT|SELF_SIGNED|TLS|UNABLE_TO/;

interface Link {
	code?: unknown;
	syscall?: unknown;
	message?: unknown;
	cause?: unknown;
}

/** n8n wraps the HTTP client's error, which wraps the system's: at most this deep. */
const MAX_DEPTH = 4;

function* links(error: unknown): Generator<Link> {
	let link = error;
	for (let depth = 0; depth < MAX_DEPTH && typeof link === 'object' && link !== null; depth += 1) {
		yield link;
		link = (link as Link).cause;
	}
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Reads what n8n's request helper throws when there is no response. This is the one place that knows
 * how n8n nests such errors.
 *
 * @param error anything thrown
 */
export function readNetworkFailure(error: unknown): NetworkFailure {
	if (error instanceof NetworkFailure) return error;
	const chain = [...links(error)];
	const coded = chain.find((link) => typeof link.code === 'string' && link.code !== '');
	const code = textOf(coded?.code);
	const connecting = chain.some((link) => link.syscall === 'connect');
	const message = textOf(chain.at(-1)?.message) || textOf(chain[0]?.message);
	const early = NOT_ARRIVED[code];
	if (early) return new NetworkFailure(code, early, false, true);
	const late = MAY_HAVE_ARRIVED[code];
	if (late) return new NetworkFailure(code, late, !connecting, true);
	if (UNREADABLE.test(code)) {
		return new NetworkFailure(code, 'the answer could not be read', true, true);
	}
	if (CERTIFICATE.test(code)) {
		return new NetworkFailure(code, `its certificate is not trusted (${code})`, false, false);
	}
	if (/socket hang up|aborted|network/i.test(message)) {
		return new NetworkFailure(code || 'ECONNRESET', message, true, true);
	}
	// Refused by n8n itself before anything was sent: allowed domains, protection against SSRF, …
	return new NetworkFailure(code, message || 'the request could not be sent', false, false);
}
