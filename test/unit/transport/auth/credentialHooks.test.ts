/** What a request and its credential's hook know of each other. */
import {
	authorize,
	bearerOf,
	exchangeOf,
	openExchange,
	withBearer,
} from '../../../../nodes/WorkspaceData/transport/auth/credentialHooks';

const options = { url: 'https://data.example.com', headers: { Accept: 'application/json' } };

test('a token is added to a request, and nothing else of it changes', () => {
	const sent = withBearer(options, 'token-1');
	expect(sent).toEqual({
		url: 'https://data.example.com',
		headers: { Accept: 'application/json', Authorization: 'Bearer token-1' },
	});
	expect(options.headers).toEqual({ Accept: 'application/json' });
	expect(bearerOf(sent)).toBe('token-1');
	expect(withBearer({ url: options.url }, 'token-2').headers).toEqual({
		Authorization: 'Bearer token-2',
	});
});

test.each([
	[undefined],
	[{}],
	[{ Authorization: 'Basic abc' }],
	[{ Authorization: 'Bearer ' }],
	[{ Authorization: 'My Bearer abc' }],
	[{ Authorization: 7 }],
])('headers %j carry no token', (headers) => {
	expect(bearerOf({ url: options.url, ...(headers && { headers }) })).toBeUndefined();
});

test('the hook gives the request its token, and passes on the signal that ends it', () => {
	const credential = { apiKey: 'k' };
	const exchange = openExchange(credential);
	const { signal } = new AbortController();
	exchange.signal = signal;
	expect(exchangeOf(credential)).toBe(exchange);
	const sent = authorize(credential, options, 'token-3');
	expect(sent.abortSignal).toBe(signal);
	expect(bearerOf(sent)).toBe('token-3');
	expect(exchange.token).toBe('token-3');
});

test('each request has its own exchange, also with the same credential', () => {
	const [one, other] = [{ apiKey: 'k' }, { apiKey: 'k' }];
	const [first, second] = [openExchange(one), openExchange(other)];
	authorize(one, options, 'token-4');
	expect([first.token, second.token]).toEqual(['token-4', undefined]);
});

test('the request of another node, which opened nothing, gets its token as well', () => {
	expect(exchangeOf({ apiKey: 'k' })).toEqual({});
	const sent = authorize({ apiKey: 'k' }, options, 'token-5');
	expect(sent).not.toHaveProperty('abortSignal');
	expect(bearerOf(sent)).toBe('token-5');
});
