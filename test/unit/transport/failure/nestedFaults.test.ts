/** What is read of errors without an answer that are nested, empty, or half there. */
import { NetworkFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { readNetworkFault } from '../../../../nodes/WorkspaceData/transport/failure/networkFault';

const failure = (code: string, more: object = {}, message = code) =>
	Object.assign(new Error(message), { code, ...more });

/** An error within so many others. */
const wrapped = (error: unknown, times: number): unknown =>
	times === 0 ? error : new Error('wrapped', { cause: wrapped(error, times - 1) });

test('a fault is read within three others, as deep as n8n and its client nest them', () => {
	expect(readNetworkFault(wrapped(failure('ECONNREFUSED'), 3))).toMatchObject({
		code: 'ECONNREFUSED',
		sent: 'no',
	});
	// Deeper, something else has failed first.
	expect(readNetworkFault(wrapped(failure('ECONNREFUSED'), 4))).toMatchObject({
		code: '',
		message: 'wrapped',
	});
});

test('a fault that was read before stays the same', () => {
	const fault = new NetworkFailure('ETIMEDOUT', 'no answer came in time', 'maybe', true);
	expect(readNetworkFault(fault)).toBe(fault);
});

test.each<[string, unknown, string, string, boolean]>([
	[
		'a cause that is null',
		failure('ECONNREFUSED', { cause: null }),
		'the connection was refused',
		'no',
		true,
	],
	['null instead of an error', null, 'the request could not be sent', 'no', false],
	[
		'several addresses, and no error of any',
		failure('EHOSTUNREACH', { errors: [] }),
		'the host is unreachable',
		'maybe',
		true,
	],
	[
		'an empty code, which is none',
		failure('', {}, 'Domain not allowed'),
		'Domain not allowed',
		'no',
		false,
	],
	[
		'a refusal by n8n whose cause says nothing',
		Object.assign(new Error('Domain not allowed'), { cause: new Error('') }),
		'Domain not allowed',
		'no',
		false,
	],
	['a code without words', { code: 'EWHATEVER' }, 'the connection broke', 'maybe', true],
	['an object without code and words', {}, 'the request could not be sent', 'no', false],
])('%s', (_, error, message, sent, transient) => {
	expect(readNetworkFault(error)).toMatchObject({ message, sent, transient });
});

test.each([
	['its code says', failure('ERR_SSL_WRONG_VERSION_NUMBER', {}, 'write failed')],
	['its message says', failure('EPROTO', {}, 'SSL routines: packet length too long')],
])('an address that does not speak https, as %s', (_, error) => {
	const fault = readNetworkFault(error);
	expect(fault.message).toContain('does not speak https');
	expect(fault).toMatchObject({ sent: 'no', transient: false });
});

test('an address that speaks https, but agrees on no encryption', () => {
	const fault = readNetworkFault(failure('EPROTO', {}, 'SSL routines: no shared cipher'));
	expect(fault.message).toBe('no encrypted connection could be set up');
});

test.each([
	['', 'ECONNRESET'],
	['EWHATEVER', 'EWHATEVER'],
])('a connection that broke with the code %j is told as %s', (code, told) => {
	expect(readNetworkFault(failure(code, {}, 'socket hang up'))).toMatchObject({
		code: told,
		message: 'the connection was closed before an answer came',
	});
});

test('where n8n keeps several messages, each counts', () => {
	const kept = Object.assign(new Error('It failed'), {
		httpCode: 'ETIMEDOUT',
		messages: ['first', 'connect ETIMEDOUT 192.0.2.1:443'],
	});
	expect(readNetworkFault(kept).sent).toBe('no');
});
