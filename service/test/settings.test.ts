/** The settings page in a browser: what a person sees and does, and where its cookie and its forms are taken. */
import type { ControlledService } from '../index.ts';
import { openBrowser, signIn } from './browser.ts';
import { createClient, requestToken, until, useServices } from './client.ts';

const startService = useServices();
let service: ControlledService;
beforeEach(async () => {
	service = await startService({ control: true, backoffMs: 1 });
});

test('asks for the password, shows nothing before, and then all that a credential of n8n asks for', async () => {
	const asked = await (await fetch(service.settingsUrl)).text();
	expect(asked).toContain('type="password"');
	const shown = await (await openBrowser(service)).page();
	const webUrl = `${new URL(service.baseUrl).origin}/cards/{card}`;
	const { baseUrl, workspaceId, authUrl, realm } = service;
	for (const value of [baseUrl, workspaceId, authUrl, realm, webUrl]) {
		expect(shown).toContain(`data-copy="${value}"`);
		expect(asked).not.toContain(value);
	}
});

test('creates an API key that is shown once, and revokes it', async () => {
	const browser = await openBrowser(service);
	await browser.submit('/settings/keys', { name: '<b>Robot</b>' });
	const shown = await browser.page();
	expect(shown).toContain('&lt;b&gt;Robot&lt;/b&gt;');
	expect(shown).not.toContain('<b>');
	const apiKey = /<code>(wsd_live_[\w-]{43})<\/code>/.exec(shown)?.[1] ?? '';
	expect(await browser.page()).not.toContain(apiKey);
	const api = createClient(service, apiKey);
	expect((await api('GET', 'cards')).status).toBe(200);
	const ids = [...shown.matchAll(/\/settings\/keys\/(key_\w+)\/revoke/g)].map(([, id]) => id);
	await browser.submit(`/settings/keys/${ids.at(-1)}/revoke`);
	const page = await browser.page();
	expect(page).toContain('The API key was revoked.');
	expect(page).toContain('Its secret appears here once.');
	const statuses = [await api('GET', 'cards'), await createClient(service)('GET', 'cards')];
	expect(statuses.map(({ status }) => status).sort()).toEqual([200, 401]);
});

test('creates a service account whose secret is shown once, and revokes it', async () => {
	const browser = await openBrowser(service);
	await browser.submit('/settings/accounts', { name: 'Robot', role: 'viewer' });
	const shown = await browser.page();
	const [, clientId = '', clientSecret = ''] =
		/Client ID<\/dt><dd><code>([^<]+)<.*?Client Secret<\/dt><dd><code>([^<]+)</s.exec(shown) ?? [];
	expect(await browser.page()).not.toContain(clientSecret);
	const { body } = await requestToken({ ...service, clientId, clientSecret });
	const api = createClient(service, body.access_token);
	expect((await api('GET', 'cards')).status).toBe(200);
	const refused = await api('POST', 'cards', { name: 'x' });
	expect([refused.status, refused.body.type.split('/').at(-1)]).toEqual([403, 'insufficient-role']);
	await browser.submit(`/settings/accounts/${clientId}/revoke`);
	expect((await api('GET', 'cards')).status).toBe(401);
});

test('shows a paused subscription with its card, its attempts and the e-mail, resumes and deletes it', async () => {
	const api = createClient(service);
	const target = `${service.baseUrl}/nowhere`;
	const { id: card_id } = (await api('POST', 'cards', { name: 'Orders' })).body;
	const hook = { target_url: target, events: ['card.updated'], card_id };
	const { webhook_id: id, secret } = (await api('POST', 'webhooks', hook)).body;
	await api('PATCH', `cards/${card_id}`, { name: 'Orders <1>' });
	await until('it is paused', () => service.control.subscriptions()[0]?.state === 'paused');
	const browser = await openBrowser(service);
	const shown = await browser.page();
	const email = 'A webhook subscription was paused';
	// The address, the state, the card, the e-mail, what was sent, and what came back.
	const sent = '&quot;name&quot;:&quot;Orders &lt;1&gt;&quot;';
	for (const part of [target, 'paused since', 'Orders &lt;1&gt;', email, sent, 'route-not-found']) {
		expect(shown).toContain(part);
	}
	expect(shown.match(/answered 404/g)?.length).toBeGreaterThanOrEqual(4);
	expect(shown).not.toContain(secret);
	service.control.setBackoff({ ms: 60_000 });
	await browser.submit(`/settings/subscriptions/${id}/resume`);
	expect(service.control.subscriptions()[0]?.state).toBe('active');
	await browser.submit(`/settings/subscriptions/${id}/delete`);
	expect(service.control.subscriptions()).toEqual([]);
});

test('shows the cards of its workspace, and nothing of another one', async () => {
	await createClient(service)('POST', 'cards', { name: '<i>Countries</i>' });
	const other = service.control.createWorkspace();
	const theirs = createClient({ ...service, ...other }, other.apiKey);
	const target = { target_url: 'http://127.0.0.1:1/theirs', events: ['card.created'] };
	const { webhook_id: id } = (await theirs('POST', 'webhooks', target)).body;
	const foreign = (await theirs('POST', 'cards', { name: 'Theirs' })).body.id;
	await until('the e-mail is written', () => service.control.outbox().length === 1);
	const browser = await openBrowser(service);
	const cards = await browser.page('/settings/records');
	expect(cards).toContain('&lt;i&gt;Countries&lt;/i&gt;');
	const shown = cards + (await browser.page());
	for (const one of [id, target.target_url, other.workspaceId, 'ECONNREFUSED', 'Theirs']) {
		expect(shown).not.toContain(one);
	}
	for (const card of ['none', foreign]) {
		expect((await browser.send(`/settings/records/${card}`)).status).toBe(404);
	}
	expect(await (await fetch(`${service.settingsUrl}/records`)).text()).toContain('type="password"');
});

test('asks before it revokes or deletes, and does so only by a form', async () => {
	const browser = await openBrowser(service);
	const [, id] = /\/settings\/keys\/(key_\w+)\/revoke/.exec(await browser.page()) ?? [];
	const asked = await browser.page(`/settings/keys/${id}/revoke`);
	expect(asked).toContain('Revoke the API key “Default key”?');
	expect((await createClient(service)('GET', 'cards')).status).toBe(200);
	const none = await browser.send('/settings/keys/key_none/revoke');
	expect([none.status, none.headers.get('location')]).toEqual([303, '/settings']);
});

test('a card: records first, newest first, with their number, and searched', async () => {
	const api = createClient(service);
	const { id } = (await api('POST', 'cards', { name: 'Countries' })).body;
	const field = (await api('POST', `cards/${id}/fields`, { name: 'Name', type: 'text' })).body;
	const names = Array.from({ length: 120 }, (_, n) => (n === 3 ? 'ÄGYPTEN' : `Country ${n}.`));
	for (const name of names) {
		await api('POST', `cards/${id}/records`, { data: { [field.id]: name } });
	}
	const browser = await openBrowser(service);
	const text = async (query = '') => await browser.page(`/settings/records/${id}${query}`);
	const shown = await text();
	expect(shown).toContain('>120 records<');
	expect(shown.indexOf('id="records"')).toBeLessThan(shown.indexOf('id="fields"'));
	const order = shown.match(/Country \d+\./g);
	expect(order).toEqual(names.slice(-50).reverse());
	const [, next = ''] = /href="(\?search=[^"]+)" rel="next"/.exec(shown) ?? [];
	const second = await text(next.replaceAll('&amp;', '&'));
	expect(second.match(/Country \d+\./g)).toEqual(names.slice(-100, -50).reverse());
	const found = await text('?search=%C3%A4gypt');
	expect([found.includes('ÄGYPTEN'), /Country \d/.test(found)]).toEqual([true, false]);
	expect(await text('?search=nowhere')).toContain('No record found.');
	const none = (await api('POST', 'cards', { name: 'Empty' })).body.id;
	expect(await browser.page(`/settings/records/${none}`)).toContain('>0 records<');
});

test('a person who follows /cards/{card} signs in and sees the card', async () => {
	const { id } = (await createClient(service)('POST', 'cards', { name: 'Linked' })).body;
	const link = new URL(`/cards/${id}`, service.baseUrl);
	const moved = await fetch(link, { redirect: 'manual' });
	expect([moved.status, moved.headers.get('location')]).toEqual([303, `/settings/records/${id}`]);
	const odd = await fetch(new URL('/cards/a%2Fb%3Fc', link), { redirect: 'manual' });
	expect(odd.headers.get('location')).toBe('/settings/records/a%2Fb%3Fc');
	const [, next] = /name="next" value="([^"]+)"/.exec(await (await fetch(link)).text()) ?? [];
	const asked = `${next}?search=a%20b&before=1~2.3-4`;
	expect((await signIn(service, { next: asked })).headers.get('location')).toBe(asked);
	for (const elsewhere of [
		'//evil.example',
		'https://evil.example',
		'/settings\\@x',
		'/settingsX',
	]) {
		const answer = await signIn(service, { next: elsewhere });
		expect(answer.headers.get('location')).toBe('/settings');
	}
});

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
		for (let n = 0; n < 10; n++) {
			expect((await signIn(service, { password: 'wrong' })).status).toBe(401);
		}
		const answer = await signIn(service);
		expect(answer.status).toBe(429);
		expect(answer.headers.get('retry-after')).toMatch(/^(5\d|60)$/);
		expect(answer.headers.has('set-cookie')).toBe(false);
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
