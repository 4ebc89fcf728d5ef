/** The peer that talks to the service without n8n, over connections that are kept. */
import { Pool } from 'undici';
import type { ServiceAddresses } from '../../service/index.ts';

/** The parts of a page of records that a benchmark looks at. */
interface Page {
	records: Array<{ id: string; data: Record<string, unknown> }>;
	next_cursor: string | null;
}

/** The least that reading the service takes: no retries, no pacing, no checks but for the status. */
export interface Client {
	/** All records of a card, page by page. */
	list(cardId: string, pageSize: number): Promise<Page['records']>;
	close(): Promise<void>;
}

/** How long a connection is kept without a request, in ms: less than the service keeps it. */
const IDLE_MS = 1_000;

/** @param connections how many requests run at once */
export function undiciClient(service: ServiceAddresses, connections: number): Client {
	const { origin, pathname } = new URL(service.baseUrl);
	const pool = new Pool(origin, { connections, pipelining: 1, keepAliveTimeout: IDLE_MS });
	const headers = { authorization: `Bearer ${service.apiKey}` };
	return {
		async list(cardId, pageSize) {
			const records: Page['records'] = [];
			let cursor: string | null = '';
			while (cursor !== null) {
				const query = `limit=${pageSize}${cursor === '' ? '' : `&cursor=${cursor}`}`;
				const path = `${pathname}/workspaces/${service.workspaceId}/cards/${cardId}/records?${query}`;
				const answer = await pool.request({ method: 'GET', path, headers });
				if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode}`);
				const page = (await answer.body.json()) as Page;
				records.push(...page.records);
				cursor = page.next_cursor;
			}
			return records;
		},
		close: async () => await pool.close(),
	};
}
