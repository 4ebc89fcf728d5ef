/** What stays over restarts and steps of the clock, and what is gone for good. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient, useFile, useServices } from './client.ts';

afterEach(() => jest.restoreAllMocks());
const startService = useServices();
const file = useFile();

const hourMs = 60 * 60 * 1000;

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
	test('is for its owner only', async () => {
		await startService({ file: file() });
		for (const name of readdirSync(dirname(file()))) {
			expect(statSync(join(dirname(file()), name)).mode & 0o777).toBe(0o600);
		}
	});

	test.each([
		['tables and the number of our version', 'CREATE TABLE cards (id); PRAGMA user_version = 2'],
		['the mark of another program', 'PRAGMA application_id = 7; CREATE TABLE t (id)'],
	])('of another program is refused and not touched: %s', async (_name, statements) => {
		const foreign = new DatabaseSync(file());
		foreign.exec(statements);
		foreign.close();
		const before = readFileSync(file());
		await expect(startService({ file: file() })).rejects.toThrow('is not a database of this');
		expect(readFileSync(file()).equals(before)).toBe(true);
	});
});
