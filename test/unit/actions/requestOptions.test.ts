/** The options Timeout, Max Parallel Requests and Requests per Second, which expressions can fill with anything. */
import { requestOptions } from '../../../nodes/WorkspaceData/actions/requestOptions';

test.each([
	[{}, {}],
	[{ timeout: 5 }, { timeoutMs: 5_000 }],
	[{ timeout: '0.5' }, { timeoutMs: 500 }],
	[{ timeout: 86_400 }, { timeoutMs: 86_400_000 }],
	[{ timeout: '' }, {}],
	[{ timeout: null }, {}],
	[{ maxParallel: 3 }, { maxParallel: 3 }],
	[{ maxParallel: 3.9 }, { maxParallel: 3 }],
	[{ maxParallel: 0.5 }, { maxParallel: 1 }],
	[{ maxParallel: 0 }, {}],
	[{ maxParallel: ' 0 ' }, {}],
	[{ requestsPerSecond: 0.5 }, { requestsPerSecond: 0.5 }],
	[{ requestsPerSecond: '0' }, {}],
	[{ maxParallel: undefined, requestsPerSecond: null, timeout: undefined }, {}],
])('%j is %j', (options, expected) => {
	expect(requestOptions(options)).toEqual(expected);
});

test.each([
	[{ timeout: 0 }, "'Timeout' must be a number above 0, not '0'"],
	[{ timeout: -1 }, "'Timeout' must be a number above 0, not '-1'"],
	[{ timeout: 'long' }, "'Timeout' must be a number above 0, not 'long'"],
	[{ timeout: Infinity }, "'Timeout' must be a number above 0, not 'Infinity'"],
	[{ timeout: 86_401 }, "'Timeout' is 86401 seconds, but the maximum is 86400"],
	[{ maxParallel: -2 }, "'Max Parallel Requests' must be a number above 0, not '-2'"],
	[{ requestsPerSecond: 'x' }, "'Requests per Second' must be a number above 0, not 'x'"],
])('%j is refused by its name', (options, message) => {
	expect(() => requestOptions(options)).toThrow(message);
});
