/** Each caller is bounded: record size, event loop, files, deleted data. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createWorkspaceData } from '../../service/domain/workspaceData.ts';
import { machineClock } from '../../service/foundation/clock.ts';
import { defaultQuotas } from '../../service/foundation/quotas.ts';
import { type ControlledService, startService } from '../../service/index.ts';
import { openStore } from '../../service/storage/store.ts';
import { leastOf, longestTurn } from '../support/cpuTime.mts';
import { createClient, requestToken, until } from './client.ts';
import { startReceiver } from './receiver.ts';

const execute = promisify(execFile);

let folder: string;
let file: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'workspace-data-'));
	file = join(folder, 'service.sqlite');
});
afterEach(() => {
	jest.restoreAllMocks();
	rmSync(folder, { recursive: true });
});

const hourMs = 60 * 60 * 1000;
const kindOf = (body: { type?: unknown } | undefined) => String(body?.type).split('/').at(-1);

/** The longest time that the service may work without a turn of the event loop, in ms. */
const turnMs = 50;

/** Everything that the files of a database hold, as text. */
const bytesOf = () =>
	readdirSync(folder)
		.map((name) => readFileSync(join(folder, name)).toString('latin1'))
		.join('');

test('F1 a record that grows past its quota is refused, by its kind, and stays as it was', async () => {
	const quotas = { bodyBytes: 4 * 1024 * 1024, recordBytes: 8 * 1024 * 1024 };
	const service = await startService({ control: true, quotas });
	try {
		const api = createClient(service);
		const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
		const fields: string[] = [];
		for (const name of ['a', 'b', 'c']) {
			fields.push((await api('POST', `cards/${cid}/fields`, { name, type: 'long_text' })).body.id);
		}
		const [a = '', b = '', c = ''] = fields;
		const text = 'é'.repeat(1_900_000);
		const { id } = (await api('POST', `cards/${cid}/records`, { data: { [a]: text } })).body;
		const path = `cards/${cid}/records/${id}`;
		expect((await api('PATCH', path, { data: { [b]: text } })).status).toBe(200);
		const refused = await api('PATCH', path, { data: { [c]: text } });
		expect([refused.status, kindOf(refused.body)]).toEqual([422, 'record-too-large']);
		expect(refused.body.detail).toContain(id);
		const { records } = (await api('GET', `cards/${cid}/records`)).body;
		expect(Object.keys(records[0]?.data ?? {})).toEqual([a, b]);
	} finally {
		await service.close();
	}
});

describe('F2 a card with many records', () => {
	let service: ControlledService;
	beforeEach(async () => {
		service = await startService({ control: true });
	});
	afterEach(async () => await service.close());

	/** A card with 60,000 records, and its one text field. */
	const fill = async () => {
		const api = createClient(service);
		const cid = (await api('POST', 'cards', { name: 'Big' })).body.id;
		const field = (await api('POST', `cards/${cid}/fields`, { name: 'n', type: 'text' })).body;
		service.control.fillCard({ cardId: cid, count: 60_000 });
		return { api, cid, path: `cards/${cid}/fields/${field.id}` };
	};

	test('a PATCH with the type that a field has reads no record', async () => {
		const { api, path } = await fill();
		const parse = jest.spyOn(JSON, 'parse');
		expect((await api('PATCH', path, { type: 'text' })).status).toBe(200);
		expect(parse.mock.calls.length).toBeLessThan(100);
	});

	test('a change of type is checked in slices of at most 50 ms', async () => {
		const { api, path } = await fill();
		let type = 'text';
		const longest = await leastOf(turnMs, async () => {
			type = type === 'text' ? 'long_text' : 'text';
			const change = async () => await api('PATCH', path, { type });
			const turn = await longestTurn(change);
			expect(turn.result.status).toBe(200);
			return turn.longest;
		});
		expect(longest).toBeLessThanOrEqual(turnMs);
	});

	test('it is deleted in slices of at most 50 ms, and is gone at once', async () => {
		const longest = await leastOf(turnMs, async () => {
			const { api, cid } = await fill();
			const turn = await longestTurn(async () => {
				expect((await api('DELETE', `cards/${cid}`)).status).toBe(204);
				expect((await api('GET', `cards/${cid}`)).status).toBe(404);
				expect((await api('GET', `cards/${cid}/records`)).status).toBe(404);
				// Others are served between the slices in which its rows are cleared away.
				for (let n = 0; n < 20; n++) expect((await api('GET', 'cards')).status).toBe(200);
			});
			return turn.longest;
		});
		expect(longest).toBeLessThanOrEqual(turnMs);
	});

	test('a value that is written during the check and does not fit refuses the change', async () => {
		const { api, cid, path } = await fill();
		const field = path.split('/').at(-1) ?? '';
		const change = api('PATCH', path, { type: 'email' });
		expect(kindOf((await change).body)).toBe('field-type-conflict');
		const both = await Promise.all([
			api('PATCH', path, { type: 'long_text' }),
			...Array.from({ length: 20 }, () =>
				api('POST', `cards/${cid}/records`, { data: { [field]: 'x' } }),
			),
		]);
		expect(both.map(({ status }) => status)).toEqual([200, ...Array<number>(20).fill(201)]);
	});
});

test.each([0, 1, 2, 3])(
	'a value written %d microtasks after the check began is refused, or refuses the change',
	async (microtasks) => {
		const store = openStore(':memory:', machineClock, defaultQuotas);
		const { cards, fields, records } = createWorkspaceData(store, defaultQuotas);
		const { id: workspace } = store.identities.createWorkspace('Workspace', 'owner@example.com');
		const { id: card } = cards.create(workspace, { name: 'Card' });
		const { id: field } = fields.create(workspace, card, { name: 'n', type: 'text' });
		records.create(workspace, card, { [field]: 'a@example.com' });
		const write = () => {
			records.create(workspace, card, { [field]: 'no address' });
			return 'written';
		};
		const nameOf = ({ refusal }: { refusal: string }) => refusal;
		const change = fields
			.update(workspace, card, field, { type: 'email' })
			.then(({ type }) => type, nameOf);
		for (let n = 0; n < microtasks; n++) await null;
		const written = await new Promise<string>((resolve) => resolve(write())).catch(nameOf);
		const outcome = [await change, written];
		expect([
			['field-type-conflict', 'written'],
			['email', 'invalid-value'],
		]).toContainEqual(outcome);
		store.close();
	},
);

describe('F5 a restart', () => {
	test('takes the workspace that the file names, though another is older by its clock', async () => {
		const first = await startService({ file });
		await first.close();
		const past = Date.now() - hourMs;
		const clock = jest.spyOn(Date, 'now').mockReturnValue(past);
		const second = await startService({ file, workspaceId: 'wsp_other' });
		await second.close();
		clock.mockRestore();
		const third = await startService({ file });
		await third.close();
		expect(third.workspaceId).toBe(first.workspaceId);
	});

	test('with another secret ends the tokens of the old one', async () => {
		const first = await startService({ file, clientId: 'robot', clientSecret: 'old' });
		const { access_token: token } = (await requestToken(first)).body;
		await first.close();
		const same = await startService({ file, clientId: 'robot', clientSecret: 'old' });
		expect((await createClient(same, token)('GET', 'cards')).status).toBe(200);
		await same.close();
		const other = await startService({ file, clientId: 'robot', clientSecret: 'new' });
		expect((await createClient(other, token)('GET', 'cards')).status).toBe(401);
		await other.close();
	});
});

test('F6 deleted data is gone from the file: events, records and values of fields', async () => {
	const receiver = await startReceiver();
	const service = await startService({ file, control: true });
	try {
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
	} finally {
		await service.close();
		await receiver.close();
	}
	// Rows that were not cleared away before the end are cleared away at the next start.
	const again = await startService({ file });
	try {
		await until('nothing of it is left', () => !/VALUE-OF-(FIELD|RECORD)/.test(bytesOf()));
	} finally {
		await again.close();
	}
});

describe('F7 the clock steps back by an hour', () => {
	test('a window of the rate limit still ends in time', async () => {
		const rate = { limit: 1, windowSeconds: 0.2 };
		const service = await startService({ rate });
		try {
			const api = createClient(service);
			// The clock that never steps back, which counts the time of the window.
			const begun = performance.now();
			const clock = jest.spyOn(performance, 'now').mockReturnValue(begun);
			expect((await api('GET', 'cards')).status).toBe(200);
			jest.spyOn(Date, 'now').mockReturnValue(Date.now() - hourMs);
			const refused = await api('GET', 'cards');
			expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
			clock.mockReturnValue(begun + 199);
			expect((await api('GET', 'cards')).status).toBe(429);
			clock.mockReturnValue(begun + 200);
			expect((await api('GET', 'cards')).status).toBe(200);
		} finally {
			jest.restoreAllMocks();
			await service.close();
		}
	});

	test('a retry still comes in time', async () => {
		const receiver = await startReceiver();
		const service = await startService({ backoffMs: 300 });
		try {
			const api = createClient(service);
			receiver.answer = () => (receiver.received.length === 1 ? 500 : 200);
			await api('POST', 'webhooks', { target_url: receiver.url, events: ['card.created'] });
			await api('POST', 'cards', { name: 'x' });
			await until('it fails', () => receiver.received.length === 1);
			jest.spyOn(Date, 'now').mockReturnValue(Date.now() - hourMs);
			// By the clock of the day, it would be due in an hour.
			await until('the retry comes', () => receiver.received.length === 2);
		} finally {
			await service.close();
			await receiver.close();
		}
	});
});

test('F9 four starts with one file leave one live key and one live account of the default ones', async () => {
	const starts = [];
	for (let n = 0; n < 4; n++) {
		const service = await startService({ file });
		starts.push(service);
		await service.close();
	}
	const sql = new DatabaseSync(file, { readOnly: true });
	const live = (table: string) =>
		sql.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE revoked_at IS NULL`).get()?.n;
	expect([live('api_keys'), live('accounts')]).toEqual([1, 1]);
	sql.close();
	const { apiKey, clientId, clientSecret } = starts[3] ?? {};
	const last = await startService({
		file,
		...(apiKey && { apiKey }),
		...(clientId && { clientId }),
		...(clientSecret && { clientSecret }),
	});
	expect((await createClient(last)('GET', 'cards')).status).toBe(200);
	const first = createClient(last, starts[0]?.apiKey);
	expect((await first('GET', 'cards')).status).toBe(401);
	await last.close();
});

test('F12 ids rise after the last records were deleted and the clock went back', async () => {
	const first = await startService({ file });
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
	const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - hourMs);
	const second = await startService({ file, apiKey });
	try {
		const later = createClient(second);
		const { id } = (await later('POST', `cards/${cid}/records`, { data: {} })).body;
		expect(id > (ids.at(-1) ?? '')).toBe(true);
		const rest = (await later('GET', `cards/${cid}/records?cursor=${cursor}`)).body.records;
		expect(rest.map((record) => record.id)).toEqual([id]);
	} finally {
		clock.mockRestore();
		await second.close();
	}
});

describe('F13 the file', () => {
	test('is for its owner only, and says whose it is', async () => {
		const service = await startService({ file });
		try {
			await createClient(service)('POST', 'cards', { name: 'x' });
			const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
			expect(modes.map((mode) => mode.toString(8))).toEqual(modes.map(() => '600'));
		} finally {
			await service.close();
		}
		const sql = new DatabaseSync(file, { readOnly: true });
		expect(sql.prepare('PRAGMA application_id').get()?.application_id).toBe(0x57734461);
		sql.close();
	});

	test.each([
		['tables and the number of our version', 'CREATE TABLE cards (id); PRAGMA user_version = 2'],
		['the mark of another program', 'PRAGMA application_id = 7; CREATE TABLE t (id)'],
		['other tables', 'CREATE TABLE things (id)'],
	])('of another program is refused and not touched: %s', async (_name, statements) => {
		const foreign = new DatabaseSync(file);
		foreign.exec(statements);
		foreign.close();
		const before = readFileSync(file);
		await expect(startService({ file })).rejects.toThrow('is not a database of this');
		expect(readFileSync(file).equals(before)).toBe(true);
		expect(readdirSync(folder)).toEqual(['service.sqlite']);
	});
});

test('(L2) an idle process gives back to the system what large requests have left', async () => {
	const program = `
		import { collectWhenIdle } from '${pathToFileURL(join(__dirname, '../../service/foundation/memory.ts')).href}';
		import { setTimeout as sleep } from 'node:timers/promises';
		const memory = () => process.memoryUsage.rss();
		const before = memory();
		let records = Array.from({ length: 1_000_000 }, (_, n) => ({ id: n, data: { x: 'x' + n } }));
		const most = memory();
		records = records.length;
		collectWhenIdle(20);
		while (memory() > before + (most - before) / 2) await sleep(10);
		console.log(records);`;
	const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', program]);
	expect(stdout).toBe('1000000\n');
});
