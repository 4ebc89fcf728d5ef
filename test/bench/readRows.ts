/** What reading takes, next to undici without n8n. */
import { Pool } from 'undici';
import { outputOf } from '../host/n8nClient.ts';
import { byId } from '../host/workflowBuilder.ts';
import type { Row } from './row.ts';
import { ours, recordsUrl, type Bench } from './workbench.ts';

/** The parts of a page of records that a benchmark looks at. */
interface Page {
	records: Array<{ id: string }>;
	next_cursor: string | null;
}

/** The least that reading takes: no retries, no pacing, no checks. @returns all records of a card */
async function readByUndici(bench: Bench, cardId: string): Promise<Page['records']> {
	const { origin, pathname } = new URL(recordsUrl(bench, cardId));
	const pool = new Pool(origin, { connections: 1, pipelining: 1 });
	const headers = { authorization: `Bearer ${bench.service.apiKey}` };
	const records: Page['records'] = [];
	for (let cursor: string | null = ''; cursor !== null; ) {
		const path: string = `${pathname}?limit=1000${cursor === '' ? '' : `&cursor=${cursor}`}`;
		const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
		if (statusCode >= 300) throw new Error(`${path}: ${statusCode}`);
		const page = (await body.json()) as Page;
		for (const record of page.records) records.push(record);
		cursor = page.next_cursor;
	}
	await pool.close();
	return records;
}

const COUNT = 20_000;

export const readRows: readonly Row[] = [
	{
		name: 'list-20ms',
		what: '20,000 records at 20 ms / undici',
		unit: 's',
		goal: 1.25,
		async prepare(bench) {
			await bench.control.setLatency({ ms: 20 });
			const { id } = await bench.card('list-20ms', COUNT);
			const getMany = { operation: 'getAll', cardId: byId(id), returnAll: true };
			const mine = await bench.save('Ours, list', 1, [ours(bench, getMany)]);
			return async () => {
				const { seconds, execution } = await bench.time(mine, 'Ours');
				const started = performance.now();
				const peer = await readByUndici(bench, id);
				const peerSeconds = (performance.now() - started) / 1_000;
				const counts = [outputOf(execution, 'Ours').length, peer.length];
				if (counts.some((count) => count !== COUNT)) throw new Error('Records are missing');
				return { ours: seconds, peer: peerSeconds };
			};
		},
	},
];
