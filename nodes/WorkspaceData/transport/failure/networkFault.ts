/** Reads n8n's errors for requests without a response. */
import { isObject, isText, type JsonObject } from '../../model/response/jsonObject';
import { cutOff, NetworkFailure, UnusableResponse } from './failureKinds';

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
};

/** Codes that only occur before a connection exists, so the request can't have arrived. */
const BEFORE_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL']);

/** A response that broke off. */
const ENDED_EARLY = new Set(['ERR_BAD_RESPONSE', 'ERR_STREAM_PREMATURE_CLOSE', 'Z_BUF_ERROR']);

/** Failures to read a response: there was one, so the request has arrived. */
const UNREADABLE = /^(?:HPE_|Z_|ERR_STREAM_|ERR_HTTP_|ERR_CONTENT_DECODING|ERR__ERROR_|ERR_BROTLI)/;

/** A TLS handshake that got something else as a response, such as plain HTTP. */
const NOT_TLS = /wrong.version.number|packet.length.too.long|unknown.protocol|http.request/i;
const TLS_CODE = /^(?:EPROTO|ERR_SSL_)/;
const CERTIFICATE = /CERT|SELF_SIGNED|TLS|UNABLE_TO/;

const OWN_CERTIFICATE =
	"If the certificate is self-signed, or from your company's own authority, start n8n with NODE_EXTRA_CA_CERTS set to its file. Otherwise ask the operator of the service.";

/** Codes of requests that Node or the HTTP client refuses to send. */
const NOT_SENT = /^ERR_(?:INVALID|UNESCAPED|BAD_OPTION)/;

/** An HTTP status: n8n uses it as the code if a response was cut off. */
const STATUS = /^\d{3}$/;

/** How the system's message begins while connecting: with the system call. */
const CONNECTING = /^(?:connect|getaddrinfo)\b/;

/** The maximum nesting depth: n8n wraps the HTTP client's error, which wraps the system's. */
const MAX_DEPTH = 4;

/** The errors in an error, the outermost first. An AggregateError has one for each address that was tried. */
function* links(error: unknown): Generator<JsonObject> {
	let link = error;
	for (let depth = 0; depth < MAX_DEPTH && isObject(link); depth += 1) {
		yield link;
		if (Array.isArray(link.errors)) yield Object(link.errors[0]) as JsonObject;
		link = link.cause;
	}
}

/**
 * Reads what n8n's request helper throws if there is no response. Only this function knows how n8n nests such
 * errors.
 *
 * @param error anything thrown
 */
export function readNetworkFault(error: unknown): NetworkFailure {
	if (error instanceof NetworkFailure) return error;
	const chain = [...links(error)];
	// n8n 1 drops the cause, and puts its code into `httpCode`. `messages` are the ones n8n replaced.
	const codes = chain.flatMap((link) => [link.code, link.httpCode]).filter(isText);
	const code = codes.find((text) => !STATUS.test(text)) ?? '';
	const messages = chain.flatMap(({ message, messages: kept }) => [message, kept].flat());
	const texts = messages.filter(isText);
	const isConnecting = BEFORE_CONNECTED.has(code) || texts.some((text) => CONNECTING.test(text));
	const failure = (reason: string, sent: boolean, transient: boolean, httpCode = code) =>
		new NetworkFailure(reason, { httpCode: httpCode || undefined, sent, transient });
	const reason = REASONS[code];
	if (reason) return failure(reason, !isConnecting, true);
	if (ENDED_EARLY.has(code)) return cutOff();
	const isOnlyStatus = code === '' && codes.length > 0;
	if (UNREADABLE.test(code) || isOnlyStatus) {
		const facts = { httpCode: code || undefined, transient: true };
		return new UnusableResponse("the response couldn't be read", facts);
	}
	if (TLS_CODE.test(code)) {
		const isPlain = [code, ...texts].some((text) => NOT_TLS.test(text));
		const words = isPlain
			? "this address doesn't speak https. Use http, or another port"
			: 'no encrypted connection could be set up';
		return failure(words, false, false);
	}
	if (CERTIFICATE.test(code)) {
		const description = /SELF_SIGNED|UNABLE_TO|ISSUER/.test(code) ? OWN_CERTIFICATE : undefined;
		const facts = { httpCode: code, transient: false, description };
		return new NetworkFailure(`its certificate isn't trusted (${code})`, facts);
	}
	const message = texts.at(-1);
	if (texts.some((text) => /socket hang up|aborted|network/i.test(text))) {
		return failure(REASONS.ECONNRESET ?? '', true, true, code || 'ECONNRESET');
	}
	if (code !== '' && !NOT_SENT.test(code)) {
		return failure(message ?? 'the connection broke', true, true);
	}
	// n8n refused the request before it was sent: allowed domains, SSRF protection, …
	const description = chain.map((link) => link.description).find(isText);
	const facts = { description, httpCode: code || undefined, transient: false };
	return new NetworkFailure(message ?? "the request couldn't be sent", facts);
}
