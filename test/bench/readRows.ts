/** What reading takes, next to undici without n8n and to n8n's HTTP Request node; and what tokens cost. */
import { Pool } from 'undici';
import { outputOf } from '../host/n8nClient.ts';
import { byId } from '../host/workflowBuilder.ts';
import type { Row } from './row.ts';
import { httpNode, ours, recordsUrl, type Bench } from './workbench.ts';

/** The parts of a page of records that a benchmark looks at. */
export interface Page {
	records: Array<{ id: string }>;
	next_cursor: string | null;
}

/** The least that reading takes: no retries, no pacing, no checks. @returns all records of a card */
export async function readByUndici(bench: Bench, cardId: string): Promise<Page['records']> {
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
const getMany = (cardId: string) => ({
	operation: 'getAll',
	cardId: byId(cardId),
	returnAll: true,
});

/** @param read reads the same records otherwise, in seconds */
const listRow = (name: string, peer: string, goal: number, prepare: PreparePeer): Row => ({
	name,
	what: `20,000 records at 20 ms / ${peer}`,
	unit: 's',
	goal,
	async prepare(bench) {
		await bench.control.setLatency({ ms: 20 });
		const { id } = await bench.card(name, COUNT);
		const mine = await bench.save(`Ours, ${name}`, 1, [ours(bench, getMany(id))]);
		const readOtherwise = await prepare(bench, id);
		return async () => {
			const { seconds, execution } = await bench.time(mine, 'Ours');
			if (outputOf(execution, 'Ours').length !== COUNT) throw new Error('Records are missing');
			return { ours: seconds, peer: await readOtherwise() };
		};
	},
});

type PreparePeer = (bench: Bench, cardId: string) => Promise<() => Promise<number>>;

const byUndici: PreparePeer = async (bench, cardId) =>
	await Promise.resolve(async () => {
		const started = performance.now();
		const { length } = await readByUndici(bench, cardId);
		if (length !== COUNT) throw new Error('Records are missing');
		return (performance.now() - started) / 1_000;
	});

const byHttpRequest: PreparePeer = async (bench, cardId) => {
	const cursor = '={{ $pageCount > 0 ? $response.body.next_cursor : undefined }}';
	const pagination = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: { parameters: [{ type: 'qs', name: 'cursor', value: cursor }] },
		paginationCompleteWhen: 'other',
		completeExpression: '={{ !$response.body.next_cursor }}',
	};
	const http = httpNode(bench, {
		url: `${recordsUrl(bench, cardId)}?limit=1000`,
		options: { pagination: { pagination } },
	});
	const saved = await bench.save('HTTP Request, pages', 1, [http]);
	return async () => {
		const { seconds, execution } = await bench.time(saved, 'HTTP Request');
		const pages = outputOf(execution, 'HTTP Request').map(({ json }) => json as unknown as Page);
		const { length } = pages.flatMap(({ records }) => records);
		if (length !== COUNT) throw new Error(`HTTP Request read ${length} records`);
		return seconds;
	};
};

const TOKEN_LIFE = 5;

const tokens: Row = {
	name: 'tokens',
	what: 'token requests while a service account reads for 30 s, none refused / lifetimes of 5 s, renewed at 80 %',
	unit: 'requests',
	goal: 1,
	mostRounds: 1,
	async prepare(bench) {
		await bench.control.setTokenLifetime({ seconds: TOKEN_LIFE });
		await bench.control.setLatency({ ms: 300 });
		await bench.restart();
		const { id } = await bench.card('Read for long', 100_000);
		const account = { ...getMany(id), authentication: 'serviceAccount' };
		const mine = await bench.save('Ours, tokens', 1, [ours(bench, account)]);
		return async () => {
			await bench.control.resetRequests();
			const { seconds } = await bench.time(mine, 'Ours');
			const requests = await bench.control.requests();
			if (requests.some(({ status }) => status === 401)) throw new Error('A request got 401');
			const asked = requests.filter(({ path }) => path.endsWith('/token')).length;
			return { ours: asked, peer: Math.ceil(seconds / (TOKEN_LIFE * 0.8)) };
		};
	},
};

export const readRows: readonly Row[] = [
	listRow('list-20ms', 'undici', 1.25, byUndici),
	listRow('list-20ms-http', 'HTTP Request with pagination', 1, byHttpRequest),
	tokens,
];
