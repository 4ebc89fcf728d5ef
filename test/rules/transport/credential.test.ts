import fc from 'fast-check';
import {
	parseBaseUrl,
	pathSegment,
	tokenAddress,
} from '../../../nodes/WorkspaceData/transport/credential';
import { refusal } from '../refusal';

test.each([
	['https://data.example.com/api/v1', 'https://data.example.com/api/v1'],
	[' https://data.example.com/api/v1/// ', 'https://data.example.com/api/v1'],
	['http://127.0.0.1:4010/tenant/api/v1', 'http://127.0.0.1:4010/tenant/api/v1'],
	['HTTPS://DATA.example.com/api/v1', 'https://data.example.com/api/v1'],
])('Base URL %j is used as %s', (value, used) => expect(parseBaseUrl(value)).toBe(used));

const INVALID =
	"'Base URL' must begin with http:// or https://, without user name, query or fragment";

test.each([
	['', "'Base URL' is empty"],
	['127.0.0.1:6510/api/v1', INVALID],
	['ftp://data.example.com/api/v1', INVALID],
	['https://user:secret@data.example.com/api/v1', INVALID],
	['xhttps://data.example.com/api/v1', INVALID],
	['https://data.example.com/api/v1?key=1', INVALID],
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

test.each(['', ' ', '.', '..'])('%j is no path segment', (value) => {
	expect(() => pathSegment(value, 'Record')).toThrow("'Record'");
});

test('any other text is one segment below its place, never another path', () => {
	const text = fc.oneof(
		fc.string({ minLength: 1, unit: 'binary' }),
		fc.constantFrom('a/b', '../x', '..\\x', '%2e%2e', '?a=b', '#x', 'é', '\uD800', ';x', '//evil'),
	);
	fc.assert(
		fc.property(text, (value) => {
			fc.pre(value.trim() !== '' && !['.', '..'].includes(value));
			const url = new URL(`https://h/api/v1/records/${pathSegment(value, 'Record')}`);
			expect([url.host, url.search, url.hash]).toEqual(['h', '', '']);
			expect(url.pathname.split('/').slice(0, 4)).toEqual(['', 'api', 'v1', 'records']);
			expect(url.pathname.split('/')).toHaveLength(5);
			expect(decodeURIComponent(url.pathname.split('/')[4] ?? '')).toBe(
				Buffer.from(value).toString(),
			);
		}),
	);
});
