import type { ControlledService } from '../index.ts';
import { openBrowser, signIn } from './browser.ts';
import { createClient, requestToken, until, useServices } from './client.ts';

const startService = useServices();
let service: ControlledService;
beforeEach(async () => {
	service = await startService({ control: true, backoffMs: 1 });
});

test('asks for the password, and shows nothing before', async () => {
	const text = await (await fetch(service.settingsUrl)).text();
	expect(text).toContain('type="password"');
	expect(text).not.toContain(service.workspaceId);
});

test('says all that a credential of n8n asks for', async () => {
	const shown = await (await openBrowser(service)).page();
	const webUrl = `${new URL(service.baseUrl).origin}/cards/{card}`;
	const { baseUrl, workspaceId, authUrl, realm } = service;
	for (const value of [baseUrl, workspaceId, authUrl, realm, webUrl]) {
		expect(shown).toContain(`data-copy="${value}"`);
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
	expect((await api('POST', 'cards', { name: 'x' })).status).toBe(403);
	await browser.submit(`/settings/accounts/${clientId}/revoke`);
	expect((await api('GET', 'cards')).status).toBe(401);
});

test('shows a paused subscription with its attempts, their bodies and responses, and the e-mail, and resumes it', async () => {
	const api = createClient(service);
	const target = `${service.baseUrl}/nowhere`;
	const hook = await api('POST', 'webhooks', { target_url: target, events: ['card.created'] });
	const id = hook.body.webhook_id;
	await api('POST', 'cards', { name: 'Delivered' });
	await until('it is paused', () => service.control.subscriptions()[0]?.state === 'paused');
	const browser = await openBrowser(service);
	const shown = await browser.page();
	expect(shown).toContain(target);
	expect(shown).toContain('paused since');
	expect(shown.match(/answered 404/g)?.length).toBeGreaterThanOrEqual(4);
	expect(shown).toContain('A webhook subscription was paused');
	expect(shown).not.toContain(hook.body.secret);
	expect(shown).toContain('&quot;name&quot;:&quot;Delivered&quot;');
	expect(shown).toContain('route-not-found');
	service.control.setBackoff({ ms: 60_000 });
	await browser.submit(`/settings/subscriptions/${id}/resume`);
	expect(service.control.subscriptions()[0]?.state).toBe('active');
});

test('shows nothing of another workspace', async () => {
	const other = service.control.createWorkspace();
	const api = createClient({ ...service, ...other }, other.apiKey);
	const target = { target_url: 'http://127.0.0.1:1/theirs', events: ['card.created'] };
	const { webhook_id: id } = (await api('POST', 'webhooks', target)).body;
	await api('POST', 'cards', { name: 'x' });
	await until('the e-mail is written', () => service.control.outbox().length === 1);
	const shown = await (await openBrowser(service)).page();
	for (const theirs of [id, target.target_url, other.workspaceId, 'ECONNREFUSED']) {
		expect(shown).not.toContain(theirs);
	}
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

test('deletes a subscription, and names the card of each', async () => {
	const api = createClient(service);
	const card = (await api('POST', 'cards', { name: 'Orders <1>' })).body;
	const hook = { target_url: 'http://127.0.0.1:1/', events: ['card.updated'], card_id: card.id };
	const { webhook_id: id } = (await api('POST', 'webhooks', hook)).body;
	const browser = await openBrowser(service);
	expect(await browser.page()).toContain('Orders &lt;1&gt;');
	await browser.submit(`/settings/subscriptions/${id}/delete`);
	expect(service.control.subscriptions()).toEqual([]);
});

test('shows the cards of its workspace, and no others', async () => {
	const api = createClient(service);
	await api('POST', 'cards', { name: '<i>Countries</i>' });
	const browser = await openBrowser(service);
	expect(await browser.page('/settings/records')).toContain('&lt;i&gt;Countries&lt;/i&gt;');
	expect((await browser.send('/settings/records/none')).status).toBe(404);
	const other = service.control.createWorkspace();
	const theirs = createClient({ ...service, ...other }, other.apiKey);
	const foreign = (await theirs('POST', 'cards', { name: 'Theirs' })).body.id;
	expect((await browser.send(`/settings/records/${foreign}`)).status).toBe(404);
	expect(await (await fetch(`${service.settingsUrl}/records`)).text()).toContain('type="password"');
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
	const asked = await (await fetch(link)).text();
	const [, next] = /name="next" value="([^"]+)"/.exec(asked) ?? [];
	const signedIn = await signIn(service, { next: next ?? '' });
	expect(signedIn.headers.get('location')).toBe(`/settings/records/${id}`);
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
