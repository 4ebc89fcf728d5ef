/** Reads n8n's errors for requests without a response. */
import { ResponseTooLarge, NetworkFailure, UnusableResponse } from './failures';

/** Reasons, by the error code of the system or the HTTP client. */
const REASONS: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: 'the host name is unknown',
	EAI_AGAIN: "the host name couldn't be looked up",
	EADDRNOTAVAIL: "the address isn't available",
	EHOSTUNREACH: 'the host is unreachable',
	ENETUNREACH: 'the network is unreachable',
	ENETDOWN: 'the network is down',
	ECONNRESET: 'the connection was closed before a response came',
	EPIPE: 'the connection was closed before a response came',
	ECONNABORTED: 'no response came in time',
	ETIMEDOUT: 'no response came in time',
	ERR_BAD_RESPONSE: 'the response was cut off',
};

/** Codes that only occur before a connection exists, so the request can't have arrived. */
const BEFORE_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL']);

/** Failures to read a response: there was one, so the request has arrived. */
const UNREADABLE = /^(?:HPE_|Z_|ERR_STREAM_|ERR_HTTP_|ERR_CONTENT_DECODING|ERR__ERROR_|ERR_BROTLI)/;

/** JavaScript limits strings to half a gigabyte. */
const TOO_LARGE = /string longer than/i;

/** A TLS handshake that got something else as a response, such as plain HTTP. */
const NOT_TLS = /wrong.version.number|packet.length.too.long|unknown.protocol|http.request/i;
const TLS_CODE = /^(?:EPROTO|ERR_SSL_)/;
const CERTIFICATE = /CERT|SELF_SIGNED|TLS|UNABLE_TO/;

/** Codes of requests that Node or the HTTP client refuses to send. */
const NOT_SENT = /^ERR_(?:INVALID|UNESCAPED|BAD_OPTION)/;

/** An HTTP status: n8n uses it as the code if a response was cut off. */
const STATUS = /^\d{3}$/;

/** How the system's message begins while connecting. n8n 1 keeps the message, but not the system call. */
const CONNECTING = /^(?:connect|getaddrinfo)\b/;

interface Link {
	code?: unknown;
	/** Where n8n 1 puts the code; it drops the cause. */
	httpCode?: unknown;
	/** Where n8n keeps the messages that it replaced. */
	messages?: unknown;
	syscall?: unknown;
	message?: unknown;
	/** The advice of n8n's own error. */
	description?: unknown;
	cause?: unknown;
	/** From an AggregateError: one for each address that was tried. */
	errors?: unknown;
}

/** The maximum nesting depth: n8n wraps the HTTP client's error, which wraps the system's. */
const MAX_DEPTH = 4;

function* links(error: unknown): Generator<Link> {
	let link = error;
	for (let depth = 0; depth < MAX_DEPTH && typeof link === 'object' && link !== null; depth += 1) {
		yield link;
		const { errors, cause } = link as Link;
		if (Array.isArray(errors)) yield Object(errors[0]) as Link;
		link = cause;
	}
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * Reads what n8n's request helper throws if there is no response. Only this function knows how n8n nests such
 * errors.
 *
 * @param error anything thrown
 */
export function readNetworkFault(error: unknown): NetworkFailure {
	if (error instanceof NetworkFailure) return error;
	const chain = [...links(error)];
	const codes = chain.flatMap((link) => [link.code, link.httpCode]).filter(isText);
	const code = codes.find((text) => !STATUS.test(text)) ?? '';
	const messages = chain.flatMap(({ message, messages: kept }) => [message, kept].flat());
	const texts = messages.filter(isText);
	const connecting =
		BEFORE_CONNECTED.has(code) ||
		[...chain.map(({ syscall }) => syscall), ...texts].some(
			(text) => isText(text) && CONNECTING.test(text),
		);
	if (texts.some((text) => TOO_LARGE.test(text))) return new ResponseTooLarge();
	const reason = REASONS[code];
	if (reason) return new NetworkFailure(code, reason, connecting ? 'no' : 'maybe', true);
	if (UNREADABLE.test(code)) {
		return new UnusableResponse(code, "the response couldn't be read", true);
	}
	if (TLS_CODE.test(code)) {
		const notTls = NOT_TLS.test(code) || texts.some((text) => NOT_TLS.test(text));
		const words = notTls
			? "this address doesn't speak https. Use http, or another port"
			: 'no encrypted connection could be set up';
		return new NetworkFailure(code, words, 'no', false);
	}
	if (CERTIFICATE.test(code)) {
		return new NetworkFailure(code, `its certificate isn't trusted (${code})`, 'no', false);
	}
	const message = texts.at(-1);
	if (texts.some((text) => /socket hang up|aborted|network/i.test(text))) {
		return new NetworkFailure(code || 'ECONNRESET', REASONS.ECONNRESET ?? '', 'maybe', true);
	}
	if (code === '' && codes.length > 0) {
		return new UnusableResponse('', "the response couldn't be read", true);
	}
	if (code !== '' && !NOT_SENT.test(code)) {
		return new NetworkFailure(code, message ?? 'the connection broke', 'maybe', true);
	}
	// n8n refused the request before it was sent: allowed domains, SSRF protection, …
	const advice = chain.map(({ description }) => description).find(isText);
	return new NetworkFailure(code, message ?? "the request couldn't be sent", 'no', false, advice);
}
