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

test('shows nothing of another workspace', async () => {
	const other = service.control.createWorkspace();
	const theirs = createClient({ ...service, ...other }, other.apiKey);
	const target = { target_url: 'http://127.0.0.1:1/theirs', events: ['card.created'] };
	const { webhook_id: id } = (await theirs('POST', 'webhooks', target)).body;
	const foreign = (await theirs('POST', 'cards', { name: 'Theirs' })).body.id;
	await until('the e-mail is written', () => service.control.outbox().length === 1);
	const browser = await openBrowser(service);
	const shown = (await browser.page('/settings/records')) + (await browser.page());
	for (const one of [id, target.target_url, other.workspaceId, 'ECONNREFUSED', 'Theirs']) {
		expect(shown).not.toContain(one);
	}
	expect((await browser.send(`/settings/records/${foreign}`)).status).toBe(404);
});

test('a card: newest records first, with their number, and searched', async () => {
	const names = Array.from({ length: 120 }, (_, n) => (n === 3 ? 'ÄGYPTEN' : `Country ${n}.`));
	const { cards } = service.control.seed({
		cards: [
			{
				name: 'Countries',
				fields: [{ name: 'Name', type: 'text' }],
				records: names.map((Name) => ({ Name })),
			},
		],
	});
	const browser = await openBrowser(service);
	const text = async (query = '') =>
		await browser.page(`/settings/records/${cards[0]?.id}${query}`);
	const shown = await text();
	expect(shown).toContain('>120 records<');
	expect(shown.match(/Country \d+\./g)).toEqual(names.slice(-50).reverse());
	const [, next = ''] = /href="(\?search=[^"]+)" rel="next"/.exec(shown) ?? [];
	const second = await text(next.replaceAll('&amp;', '&'));
	expect(second.match(/Country \d+\./g)).toEqual(names.slice(-100, -50).reverse());
	const found = await text('?search=%C3%A4gypt');
	expect([found.includes('ÄGYPTEN'), /Country \d/.test(found)]).toEqual([true, false]);
	expect(await text('?search=nowhere')).toContain('No record found.');
});

test('a person who follows /cards/{card} signs in and sees the card', async () => {
	const { id } = (await createClient(service)('POST', 'cards', { name: 'Linked' })).body;
	const link = new URL(`/cards/${id}`, service.baseUrl);
	const moved = await fetch(link, { redirect: 'manual' });
	expect([moved.status, moved.headers.get('location')]).toEqual([303, `/settings/records/${id}`]);
	const [, next] = /name="next" value="([^"]+)"/.exec(await (await fetch(link)).text()) ?? [];
	const asked = `${next}?search=a%20b&before=1~2.3-4`;
	expect((await signIn(service, { next: asked })).headers.get('location')).toBe(asked);
	for (const elsewhere of ['//evil.example', 'https://evil.example', '/settingsX']) {
		const answer = await signIn(service, { next: elsewhere });
		expect(answer.headers.get('location')).toBe('/settings');
	}
});

test('pages are not framed or kept, and the cookie is theirs alone', async () => {
	const answer = await signIn(service);
	expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
	expect(answer.headers.get('cache-control')).toBe('no-store');
	const [, ...parts] = (answer.headers.get('set-cookie') ?? '').split('; ');
	expect(parts.sort()).toEqual(['HttpOnly', 'Path=/settings', 'SameSite=Strict']);
});

test.each<[string, Record<string, string>, number]>([
	['of a client that says nothing', {}, 303],
	['of another site', { 'sec-fetch-site': 'cross-site' }, 403],
	['of another port', { origin: 'http://127.0.0.1:1' }, 403],
])('a form %s is answered with %j %d', async (_whose, headers, status) => {
	const answer = await signIn(service, {}, headers);
	expect(answer.status).toBe(status);
	expect(answer.headers.has('set-cookie')).toBe(status === 303);
});

test('a wrong password is said to be wrong, and where the person wanted to go is kept', async () => {
	const answer = await signIn(service, { password: 'wrong', next: '/settings/records' });
	expect(answer.status).toBe(401);
	const page = await answer.text();
	expect(page).toContain('That is not the password.');
	expect(page).toContain('name="next" value="/settings/records"');
});

test('signing in is possible ten times a minute, right or wrong', async () => {
	for (let n = 0; n < 10; n++) await signIn(service, { password: 'wrong' });
	const answer = await signIn(service);
	expect(answer.status).toBe(429);
	expect(answer.headers.has('set-cookie')).toBe(false);
});

test('after signing out, the cookie that was copied is worth nothing', async () => {
	const browser = await openBrowser(service);
	const answer = await browser.submit('/settings/sign-out');
	expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
	expect(await browser.page()).toContain('type="password"');
});
