import { readNetworkFault } from '../../../nodes/WorkspaceData/transport/failure/networkFault';

const failure = (code: string, more: object = {}, message = code) =>
	Object.assign(new Error(message), { code, ...more });

test.each<[string, unknown, string, string, boolean]>([
	['a refused connection', failure('ECONNREFUSED'), 'the connection was refused', 'no', true],
	['an unknown host', failure('ENOTFOUND'), 'the host name is unknown', 'no', true],
	[
		'a closed connection',
		failure('ECONNRESET'),
		'the connection was closed before a response came',
		'maybe',
		true,
	],
	['a time-out of the request', failure('ECONNABORTED'), 'no response came in time', 'maybe', true],
	[
		'a time-out while connecting',
		failure('ETIMEDOUT', { syscall: 'connect' }),
		'no response came in time',
		'no',
		true,
	],
	[
		'a bad certificate',
		failure('DEPTH_ZERO_SELF_SIGNED_CERT'),
		"its certificate isn't trusted (DEPTH_ZERO_SELF_SIGNED_CERT)",
		'no',
		false,
	],
	[
		'D23: a standing connection whose host becomes unreachable',
		failure('EHOSTUNREACH', { syscall: 'read' }),
		'the host is unreachable',
		'maybe',
		true,
	],
	[
		'D23: a network that is unreachable from the start',
		failure('ENETUNREACH', { syscall: 'connect' }),
		'the network is unreachable',
		'no',
		true,
	],
	[
		'a host of several addresses, none of them reachable',
		failure('EHOSTUNREACH', { errors: [failure('EHOSTUNREACH', { syscall: 'connect' })] }),
		'the host is unreachable',
		'no',
		true,
	],
	[
		'E6: https for an http port',
		failure('EPROTO', {}, 'write EPROTO 40AD:error:0A00010B:SSL routines::wrong version number:'),
		"this address doesn't speak https. Use http, or another port",
		'no',
		false,
	],
	['an unknown code of the system', failure('EWHATEVER'), 'EWHATEVER', 'maybe', true],
	[
		"G7: a response that came, but isn't compressed as it says",
		{ httpCode: '200', cause: failure('Z_DATA_ERROR', {}, 'incorrect header check') },
		"the response couldn't be read",
		'yes',
		true,
	],
	[
		'G7: the same in n8n 1, which keeps the status only',
		{ httpCode: '200', message: 'incorrect header check' },
		"the response couldn't be read",
		'yes',
		true,
	],
	[
		"G7: a response of more than half a gigabyte, which isn't asked for again",
		{
			httpCode: '200',
			cause: failure(
				'ERR_STRING_TOO_LONG',
				{},
				"Can't create a string longer than 0x1fffffe8 characters",
			),
		},
		'the response is too large',
		'yes',
		false,
	],
	[
		'G7: a response that was cut off',
		{ httpCode: '200', cause: failure('ERR_BAD_RESPONSE', {}, 'stream has been aborted') },
		'the response was cut off',
		'maybe',
		true,
	],
	[
		'a header that Node refuses to send',
		failure('ERR_INVALID_CHAR', {}, 'Invalid character'),
		'Invalid character',
		'no',
		false,
	],
	...[
		'HPE_INVALID_CONSTANT',
		'HPE_INVALID_CONTENT_LENGTH',
		'Z_DATA_ERROR',
		'ERR__ERROR_FORMAT_PADDING_2',
	].map((code): [string, unknown, string, string, boolean] => [
		`a response that can't be read (${code})`,
		failure(code),
		"the response couldn't be read",
		'yes',
		true,
	]),
	[
		'an error without a code',
		new Error('socket hang up'),
		'the connection was closed before a response came',
		'maybe',
		true,
	],
	['a refusal by n8n itself', new Error('Domain not allowed'), 'Domain not allowed', 'no', false],
	['no error at all', undefined, "the request couldn't be sent", 'no', false],
])('%s', (_, error, reason, sent, transient) => {
	expect(readNetworkFault(error)).toMatchObject({ message: reason, sent, transient });
	const wrapped = new Error('wrapped', { cause: new Error('again', { cause: error }) });
	if (error !== undefined)
		expect(readNetworkFault(wrapped)).toMatchObject({ message: reason, sent, transient });
});

describe('D1: as n8n 1 wraps it, without a cause', () => {
	const wrapped = (httpCode: string | null, message: string) =>
		Object.assign(new Error('Perhaps it is offline. You can retry the request immediately'), {
			httpCode,
			messages: [message],
		});
	test.each<[string, Error, string, string]>([
		[
			'a dropped connection',
			wrapped('ECONNRESET', 'socket hang up'),
			'the connection was closed before a response came',
			'maybe',
		],
		[
			'a refused connection',
			wrapped('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9'),
			'the connection was refused',
			'no',
		],
		[
			'a time-out while connecting',
			wrapped('ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443'),
			'no response came in time',
			'no',
		],
		[
			'a read from a host that became unreachable (D23)',
			wrapped('EHOSTUNREACH', 'read EHOSTUNREACH'),
			'the host is unreachable',
			'maybe',
		],
	])('%s', (_, error, message, sent) => {
		expect(readNetworkFault(error)).toMatchObject({ message, sent, transient: true });
	});
});
