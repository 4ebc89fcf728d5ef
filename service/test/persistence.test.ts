/** What stays over restarts and steps of the clock, and what is gone for good. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient, until, useFile, useServices } from './client.ts';
import { useReceivers } from './receiver.ts';

afterEach(() => jest.restoreAllMocks());
const startService = useServices();
const startReceiver = useReceivers();
const file = useFile();

const hourMs = 60 * 60 * 1000;

/** What a file next to the database holds, as text. */
const textOf = (name: string) => readFileSync(join(dirname(file()), name)).toString('latin1');

test('deleted data is gone from the file: events, records and values of fields', async () => {
	const receiver = await startReceiver();
	const service = await startService({ file: file(), control: true });
	const api = createClient(service);
	const hook = { target_url: receiver.url, events: ['record.created'] };
	const make = async (name: string) => {
		const cid = (await api('POST', 'cards', { name })).body.id;
		const fid = (await api('POST', `cards/${cid}/fields`, { name, type: 'text' })).body.id;
		return { cid, fid };
	};
	const kept = await make('kept');
	await api('POST', `cards/${kept.cid}/records`, { data: { [kept.fid]: 'VALUE-OF-FIELD' } });
	const gone = await make('gone');
	const { webhook_id } = (await api('POST', 'webhooks', hook)).body;
	await api('POST', `cards/${gone.cid}/records`, { data: { [gone.fid]: 'VALUE-OF-RECORD' } });
	await until('it is delivered', () => receiver.received.length === 1);
	await api('DELETE', `cards/${kept.cid}/fields/${kept.fid}`);
	await api('DELETE', `cards/${gone.cid}`);
	await api('DELETE', `webhooks/${webhook_id}`);
	await service.close();
	expect(readdirSync(dirname(file())).map(textOf).join('')).not.toMatch(/VALUE-OF-(FIELD|RECORD)/);
});

test('ids rise after the last records were deleted and the clock went back', async () => {
	const first = await startService({ file: file() });
	const { apiKey } = first;
	const api = createClient(first);
	const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
	const ids: string[] = [];
	for (let n = 0; n < 3; n++) {
		ids.push((await api('POST', `cards/${cid}/records`, { data: {} })).body.id);
	}
	const { next_cursor: cursor } = (await api('GET', `cards/${cid}/records?limit=2`)).body;
	for (const id of ids) await api('DELETE', `cards/${cid}/records/${id}`);
	await first.close();
	jest.spyOn(Date, 'now').mockReturnValue(Date.now() - hourMs);
	const second = await startService({ file: file(), apiKey });
	const later = createClient(second);
	const { id } = (await later('POST', `cards/${cid}/records`, { data: {} })).body;
	expect(id > (ids.at(-1) ?? '')).toBe(true);
	const rest = (await later('GET', `cards/${cid}/records?cursor=${cursor}`)).body.records;
	expect(rest.map((record) => record.id)).toEqual([id]);
});

describe('the file', () => {
	test('is for its owner only, and says whose it is', async () => {
		const service = await startService({ file: file() });
		await createClient(service)('POST', 'cards', { name: 'x' });
		for (const name of readdirSync(dirname(file()))) {
			expect(statSync(join(dirname(file()), name)).mode & 0o777).toBe(0o600);
		}
		await service.close();
		const sql = new DatabaseSync(file(), { readOnly: true });
		expect(sql.prepare('PRAGMA application_id').get()?.application_id).toBe(0x57734461);
		sql.close();
	});

	test.each([
		['tables and the number of our version', 'CREATE TABLE cards (id); PRAGMA user_version = 2'],
		['the mark of another program', 'PRAGMA application_id = 7; CREATE TABLE t (id)'],
		['other tables', 'CREATE TABLE things (id)'],
	])('of another program is refused and not touched: %s', async (_name, statements) => {
		const foreign = new DatabaseSync(file());
		foreign.exec(statements);
		foreign.close();
		const before = readFileSync(file());
		await expect(startService({ file: file() })).rejects.toThrow('is not a database of this');
		expect(readFileSync(file()).equals(before)).toBe(true);
		expect(readdirSync(dirname(file()))).toEqual(['service.sqlite']);
	});
});
