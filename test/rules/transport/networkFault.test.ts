import { readNetworkFault } from '../../../nodes/WorkspaceData/transport/failure/networkFault';

const failure = (
	code: string,
	more: { syscall?: string; errors?: unknown } = {},
	message = more.syscall ? `${more.syscall} ${code}` : code,
) => Object.assign(new Error(message), { code, ...more });

const closed = 'the connection was closed before a response came';
const late = 'no response came in time';
const unreadable = "the response couldn't be read";
const early = 'the response ended early';
const unreachable = 'the host is unreachable';
const untrusted = "its certificate isn't trusted (DEPTH_ZERO_SELF_SIGNED_CERT)";
const noHttps = "this address doesn't speak https. Use http, or another port";
const wrongVersion = 'write EPROTO 40AD:error:0A00010B:SSL routines::wrong version number:';
const [reading, connecting] = [{ syscall: 'read' }, { syscall: 'connect' }];
const eachUnreachable = { errors: [failure('EHOSTUNREACH', connecting)] };
/** What n8n makes of a response that came. */
const responded = (code: string, message: string) => ({
	httpCode: '200',
	cause: failure(code, {}, message),
});

test.each<[string, unknown, string, boolean, boolean]>([
	['a refused connection', failure('ECONNREFUSED'), 'the connection was refused', false, true],
	['an unknown host', failure('ENOTFOUND'), 'the host name is unknown', false, true],
	['a closed connection', failure('ECONNRESET'), closed, true, true],
	['a time-out of the request', failure('ECONNABORTED'), late, true, true],
	['a time-out while connecting', failure('ETIMEDOUT', connecting), late, false, true],
	['a bad certificate', failure('DEPTH_ZERO_SELF_SIGNED_CERT'), untrusted, false, false],
	['a host lost while reading', failure('EHOSTUNREACH', reading), unreachable, true, true],
	['none of several addresses', failure('EHOSTUNREACH', eachUnreachable), unreachable, false, true],
	['https for an http port', failure('EPROTO', {}, wrongVersion), noHttps, false, false],
	['an unknown code of the system', failure('EWHATEVER'), 'EWHATEVER', true, true],
	['not compressed as it says', responded('Z_DATA_ERROR', 'incorrect'), unreadable, true, true],
	// n8n 1 keeps the status only.
	['n8n 1', { httpCode: '200', message: 'incorrect header check' }, unreadable, true, true],
	['cut off', responded('ERR_BAD_RESPONSE', 'stream has been aborted'), early, true, true],
	['cut, compressed', responded('Z_BUF_ERROR', 'unexpected end of file'), early, true, true],
	['an odd header', failure('ERR_INVALID_CHAR', {}, 'Invalid'), 'Invalid', false, false],
	['no HTTP', failure('HPE_INVALID_CONSTANT'), unreadable, true, true],
	['wrong Brotli', failure('ERR__ERROR_FORMAT_PADDING_2'), unreadable, true, true],
	['an error without a code', new Error('socket hang up'), closed, true, true],
	['a refusal by n8n itself', new Error('Domain not allowed'), 'Domain not allowed', false, false],
	['no error at all', undefined, "the request couldn't be sent", false, false],
])('%s', (_, error, reason, sent, transient) => {
	expect(readNetworkFault(error)).toMatchObject({ message: reason, sent, transient });
	const wrapped = new Error('wrapped', { cause: new Error('again', { cause: error }) });
	if (error !== undefined)
		expect(readNetworkFault(wrapped)).toMatchObject({ message: reason, sent, transient });
});

test.each([
	['ECONNRESET', 'socket hang up', closed, true],
	['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9', 'the connection was refused', false],
	['ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443', late, false],
])('%s as n8n 1 wraps it, without a cause', (httpCode, told, message, sent) => {
	const wrapped = new Error('Perhaps it is offline. You can retry the request immediately');
	const error = Object.assign(wrapped, { httpCode, messages: [told] });
	expect(readNetworkFault(error)).toMatchObject({ message, sent, transient: true });
});

test.each([
	['DEPTH_ZERO_SELF_SIGNED_CERT', expect.stringContaining('NODE_EXTRA_CA_CERTS')],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', expect.stringContaining('NODE_EXTRA_CA_CERTS')],
	['CERT_HAS_EXPIRED', undefined],
])('a certificate that is refused with %s: the advice', (code, advice) => {
	expect(readNetworkFault(failure(code)).description).toEqual(advice);
});
