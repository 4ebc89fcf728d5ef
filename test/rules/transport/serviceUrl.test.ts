import fc from 'fast-check';
import { parseBaseUrl, pathSegment } from '../../../nodes/WorkspaceData/transport/serviceUrl';
import { tokenAddress } from '../../../nodes/WorkspaceData/transport/token';
import { refusal } from '../refusal';

test.each([
	['https://data.example.com/api/v1', 'https://data.example.com/api/v1'],
	[' https://data.example.com/api/v1/// ', 'https://data.example.com/api/v1'],
	['http://127.0.0.1:4010/tenant/api/v1', 'http://127.0.0.1:4010/tenant/api/v1'],
	['HTTPS://DATA.example.com/api/v1', 'https://data.example.com/api/v1'],
])('Base URL %j is used as %s', (value, used) => expect(parseBaseUrl(value)).toBe(used));

const SCHEME = "'Base URL' must begin with http:// or https://";

test.each([
	['', "'Base URL' is empty"],
	['127.0.0.1:6510/api/v1', SCHEME],
	['ftp://data.example.com/api/v1', SCHEME],
	['https://user:secret@data.example.com/api/v1', "'Base URL' isn't a valid address"],
	['xhttps://data.example.com/api/v1', SCHEME],
	['https://data.example.com/api/v1?key=1', "'Base URL' isn't a valid address"],
	['https://data.example.com', "'Base URL' must end in /api/v1"],
	['https://data.example.com/myapi/v1', "'Base URL' must end in /api/v1"],
])('Base URL %j is refused: %s', (value, message) => {
	expect(() => parseBaseUrl(value)).toThrow(
		refusal(message, /https:\/\/data\.example\.com\/api\/v1/),
	);
});

test('the token address encodes the realm and drops trailing slashes', () => {
	expect(tokenAddress({ authUrl: 'https://auth.example.com/', realm: 'my realm/x' })).toBe(
		'https://auth.example.com/realms/my%20realm%2Fx/protocol/openid-connect/token',
	);
	expect(() => tokenAddress({ authUrl: '', realm: 'r' })).toThrow("'Auth URL' is empty");
	expect(() => tokenAddress({ authUrl: 'https://a', realm: '..' })).toThrow(
		"'Realm' can't be '..'",
	);
});

test.each(['', ' ', undefined, null, {}, '.', '..', ' .. '])('%j is no path segment', (value) => {
	expect(() => pathSegment(value, 'Record')).toThrow("'Record'");
});

test('any other text is one segment below its place, never another path', () => {
	const text = fc.oneof(
		fc.string({ minLength: 1, unit: 'binary' }),
		fc.constantFrom('a/b', '../x', '..\\x', '%2e%2e', '?a=b', '#x', 'é', '\uD800', ';x', '//evil'),
	);
	fc.assert(
		fc.property(text, (value) => {
			fc.pre(value.trim() !== '' && !['.', '..'].includes(value.trim()));
			const url = new URL(`https://h/api/v1/records/${pathSegment(value, 'Record')}`);
			expect([url.host, url.search, url.hash]).toEqual(['h', '', '']);
			expect(url.pathname.split('/').slice(0, 4)).toEqual(['', 'api', 'v1', 'records']);
			expect(url.pathname.split('/')).toHaveLength(5);
			expect(decodeURIComponent(url.pathname.split('/')[4] ?? '')).toBe(
				Buffer.from(value.trim()).toString(),
			);
		}),
	);
});
