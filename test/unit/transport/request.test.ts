/** A request, as n8n sends it. */
import { toHttpRequest } from '../../../nodes/WorkspaceData/transport/request';

const roots = {
	workspace: 'https://data.example.com/api/v1/workspaces/w',
	api: 'https://data.example.com/api/v1',
	origin: 'https://data.example.com',
};

test('paths are below the workspace, the API or the origin', () => {
	const url = (root?: 'workspace' | 'api' | 'origin') =>
		toHttpRequest({ method: 'GET', path: ['a', 'b'], ...(root && { root }) }, roots).url;
	expect([url(), url('workspace'), url('api'), url('origin')]).toEqual([
		'https://data.example.com/api/v1/workspaces/w/a/b',
		'https://data.example.com/api/v1/workspaces/w/a/b',
		'https://data.example.com/api/v1/a/b',
		'https://data.example.com/a/b',
	]);
});

test('what is not asked for is not sent; an empty object is', () => {
	const plain = toHttpRequest({ method: 'GET', path: ['a'] }, roots);
	for (const key of ['qs', 'body', 'headers']) expect(plain).not.toHaveProperty(key);
	const full = toHttpRequest({ method: 'PATCH', path: ['a'], query: {}, body: {} }, roots);
	expect(full).toMatchObject({
		method: 'PATCH',
		qs: {},
		body: '{}',
		headers: { 'Content-Type': 'application/json' },
	});
});

test('n8n’s client accepts every status, follows no redirect and returns the body unread', () => {
	expect(toHttpRequest({ method: 'GET', path: [] }, roots)).toMatchObject({
		json: true,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	});
});

test('keys that objects seem to have are sent', () => {
	const body = JSON.parse('{"__proto__":1}') as object;
	expect(toHttpRequest({ method: 'POST', path: [], body }, roots).body).toBe('{"__proto__":1}');
});
