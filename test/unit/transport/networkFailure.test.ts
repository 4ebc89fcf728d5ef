import { readNetworkFailure } from '../../../nodes/WorkspaceData/transport/networkFailure';

const failure = (code: string, more: object = {}, message = code) =>
	Object.assign(new Error(message), { code, ...more });

test.each<[string, unknown, string, boolean, boolean]>([
	['a refused connection', failure('ECONNREFUSED'), 'the connection was refused', false, true],
	['an unknown host', failure('ENOTFOUND'), 'the host name is not known', false, true],
	[
		'a closed connection',
		failure('ECONNRESET'),
		'the connection was closed before an answer came',
		true,
		true,
	],
	['a time-out of the request', failure('ECONNABORTED'), 'no answer came in time', true, true],
	[
		'a time-out while connecting',
		failure('ETIMEDOUT', { syscall: 'connect' }),
		'no answer came in time',
		false,
		true,
	],
	[
		'a bad certificate',
		failure('DEPTH_ZERO_SELF_SIGNED_CERT'),
		'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
		false,
		false,
	],
	...['HPE_INVALID_CONSTANT', 'HPE_INVALID_CONTENT_LENGTH', 'Z_DATA_ERROR'].map(
		(code): [string, unknown, string, boolean, boolean] => [
			`an answer that cannot be read (${code})`,
			failure(code),
			'the answer could not be read',
			true,
			true,
		],
	),
	['an error without a code', new Error('socket hang up'), 'socket hang up', true, true],
	['a refusal by n8n itself', new Error('Domain not allowed'), 'Domain not allowed', false, false],
	['no error at all', undefined, 'the request could not be sent', false, false],
])('%s', (_, error, reason, mayHaveArrived, transient) => {
	expect(readNetworkFailure(error)).toMatchObject({ reason, mayHaveArrived, transient });
	const wrapped = new Error('wrapped', { cause: new Error('again', { cause: error }) });
	if (error !== undefined)
		expect(readNetworkFailure(wrapped)).toMatchObject({ reason, mayHaveArrived, transient });
});

test('errors that cause themselves end', () => {
	const circle: Error & { cause?: unknown } = new Error('round');
	circle.cause = circle;
	expect(readNetworkFailure(circle).reason).toBe('round');
});
