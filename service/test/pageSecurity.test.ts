/** The settings page in a browser: where its cookie and its forms are taken, and what a person sees of the data. */
import { type ControlledService, startService } from '../index.ts';
import { openBrowser, signIn } from './browser.ts';
import { useService } from './client.ts';

let service: ControlledService;
useService((started) => void (service = started));
// New windows of all limits: signing in is possible ten times a minute.
beforeEach(() => service.control.setRate({ rate: { tier: 'enterprise' } }));

/** Sends a request to the page. */
const send = async (path: string, init: RequestInit = {}) =>
	await fetch(new URL(path, service.settingsUrl), { redirect: 'manual', ...init });
test('no page may be framed, guessed at, kept or loaded with anything from elsewhere', async () => {
	const { headers } = await send('/settings');
	expect(headers.get('content-security-policy')).toBe(
		"default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	);
	expect(headers.get('x-content-type-options')).toBe('nosniff');
	expect(headers.get('referrer-policy')).toBe('same-origin');
	expect(headers.get('cache-control')).toBe('no-store');
	expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test('the cookie is for these pages alone, out of reach of scripts, and ends with the browser', async () => {
	const answer = await signIn(service);
	const parts = (answer.headers.get('set-cookie') ?? '').split('; ');
	expect(parts[0]).toMatch(/^workspace_settings=/);
	expect(parts.slice(1).sort()).toEqual(['HttpOnly', 'Path=/settings', 'SameSite=Strict']);
});

describe('a form', () => {
	test.each([
		['from this page', () => ({ origin: new URL(service.settingsUrl).origin }), 303],
		['that a person typed the address of', () => ({ 'sec-fetch-site': 'none' }), 303],
		['of a client that says nothing', () => ({}), 303],
		['of a neighbour', () => ({ 'sec-fetch-site': 'same-site' }), 403],
		['of another site', () => ({ 'sec-fetch-site': 'cross-site' }), 403],
		['of another port', () => ({ origin: 'http://127.0.0.1:1' }), 403],
		['of a sandbox', () => ({ origin: 'null' }), 403],
	] as Array<[string, () => Record<string, string>, number]>)(
		'%s is answered as it deserves',
		async (_whose, headers, status) => {
			const answer = await signIn(service, {}, headers());
			expect(answer.status).toBe(status);
			expect(answer.headers.has('set-cookie')).toBe(status === 303);
		},
	);
});

describe('signing in', () => {
	test('with a wrong password says so, and keeps where the person wanted to go', async () => {
		const answer = await signIn(service, { password: 'wrong', next: '/settings/records' });
		expect(answer.status).toBe(401);
		const page = await answer.text();
		expect(page).toContain('That is not the password.');
		expect(page).toContain('name="next" value="/settings/records"');
		expect(await (await send('/settings')).text()).not.toContain('That is not the password.');
	});

	test('is possible ten times a minute, right or wrong', async () => {
		const strict = await startService();
		try {
			for (let n = 0; n < 10; n++)
				expect((await signIn(strict, { password: 'wrong' })).status).toBe(401);
			const answer = await signIn(strict);
			expect(answer.status).toBe(429);
			expect(answer.headers.get('retry-after')).toMatch(/^(5\d|60)$/);
			expect(answer.headers.has('set-cookie')).toBe(false);
		} finally {
			await strict.close();
		}
	});

	test('ends with signing out: the cookie that was copied is worth nothing', async () => {
		const { cookie } = await openBrowser(service);
		const headers = { cookie };
		const body = new URLSearchParams();
		const answer = await send('/settings/sign-out', { method: 'POST', headers, body });
		expect([answer.status, answer.headers.get('location')]).toEqual([303, '/settings']);
		expect(answer.headers.get('set-cookie')).toMatch(/Max-Age=0|Expires=Thu, 01 Jan 1970/);
		expect(await (await send('/settings', { headers })).text()).toContain('type="password"');
	});
});
