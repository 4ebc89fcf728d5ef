/** Records on the records page: a person adds, changes and deletes them. */
import type { ControlledService } from '../index.ts';
import { openBrowser } from './browser.ts';
import { type Client, createClient, until, useServices } from './client.ts';
import { useReceivers } from './receiver.ts';

const startService = useServices();
const startReceiver = useReceivers();
let service: ControlledService;
let api: Client;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let card: { id: string; fieldIds: Record<string, string>; recordIds: string[] };

const page = async (path = '') => await browser.page(`/settings/records/${card.id}${path}`);

/** Sends the form of a record. */
const submit = async (path: string, values: Record<string, string>) =>
	await browser.submit(
		`/settings/records/${card.id}${path}`,
		Object.fromEntries(
			Object.entries(values).map(([name, value]) => [card.fieldIds[name] ?? name, value]),
		),
	);

/** All records of the card, as the API returns them. */
const records = async () => (await api('GET', `cards/${card.id}/records`)).body.records;

beforeEach(async () => {
	service = await startService({ control: true, backoffMs: 1 });
	const fields = [
		{ name: 'Item', type: 'text' as const },
		{ name: 'Amount', type: 'number' as const },
		{ name: 'Status', type: 'single_select' as const, options: ['Open', 'Done'] },
	];
	const records = [{ Item: '<b>Hat</b>', Amount: 2, Status: 'Open' }];
	const [made] = service.control.seed({ cards: [{ name: 'Orders', fields, records }] }).cards;
	if (!made) throw new Error('no card was made');
	card = made;
	api = createClient(service);
	browser = await openBrowser(service);
});

test('a record that a person adds is stored, shown, and announced', async () => {
	const receiver = await startReceiver();
	await api('POST', 'webhooks', { target_url: receiver.url, events: ['record.created'] });
	const answer = await submit('/add', { Item: 'Coat', Amount: '3', Status: 'Done' });
	const location = `/settings/records/${card.id}`;
	expect([answer.status, answer.headers.get('location')]).toEqual([303, location]);
	const { Item = '', Amount = '', Status = '' } = card.fieldIds;
	const data = { [Item]: 'Coat', [Amount]: 3, [Status]: 'Done' };
	expect((await records()).at(-1)).toMatchObject({ data });
	const shown = await page();
	expect(shown).toContain('The record was added.');
	expect(shown).toContain('>Coat<');
	await until('it is announced', () => receiver.received.length === 1);
	expect(receiver.received[0]?.body).toMatchObject({ event: 'record.created', data });
});

test('a change sends what was touched, an empty input clears, and a record is deleted after a question', async () => {
	const [id] = card.recordIds;
	const form = await page(`/${id}`);
	expect(form).toContain('&lt;b&gt;Hat&lt;/b&gt;</textarea>');
	expect(form).toContain('<option value="Open" selected>Open</option>');
	await submit(`/${id}`, { Item: '<b>Hat</b>', Amount: '', Status: 'Done' });
	const { Item = '', Status = '' } = card.fieldIds;
	const data = { [Item]: '<b>Hat</b>', [Status]: 'Done' };
	expect(await records()).toEqual([{ id, data, created_at: expect.any(String) }]);
	expect(await page()).toContain('The record was changed.');
	expect(await page(`/${id}/delete`)).toContain(`Delete the record ${id}?`);
	expect(await records()).toHaveLength(1);
	await submit(`/${id}/delete`, {});
	expect(await records()).toEqual([]);
	expect(await page()).toContain('>0 records<');
});

test('a value that the field does not take is refused, and what was typed stays', async () => {
	const before = await records();
	const answer = await submit('/add', { Item: 'Shoe', Amount: 'many' });
	const text = await answer.text();
	expect(answer.status).toBe(422);
	expect(text).toContain('(number): expected a number, got string.');
	expect(text).toContain('value="many"');
	expect(text).toContain('Shoe</textarea>');
	expect(await records()).toEqual(before);
});

test('a form of somebody who is not signed in changes nothing', async () => {
	const before = await records();
	browser = await openBrowser({ ...service, settingsPassword: 'wrong' });
	expect((await submit(`/${before[0]?.id}`, { Item: 'x' })).status).toBe(401);
	expect(await records()).toEqual(before);
});
