import { Pool } from 'undici';
import type { ServiceAddresses } from '../../service/index.ts';

/** A page of records. */
interface Page {
	records: Array<{ id: string }>;
	next_cursor: string | null;
}

/** The least that reading from the service takes: no retries, no pacing, no checks but for the status. */
export interface Client {
	/** All records of a card, in pages of 1,000. */
	list(cardId: string): Promise<Page['records']>;
	close(): Promise<void>;
}

/** How long a connection is kept without a request, in ms: less than the service keeps it. */
const IDLE_MS = 1_000;

/** A client over a connection that is kept. */
export function undiciClient({ apiKey, baseUrl, workspaceId }: ServiceAddresses): Client {
	const { origin, pathname } = new URL(baseUrl);
	const pool = new Pool(origin, { connections: 1, pipelining: 1, keepAliveTimeout: IDLE_MS });
	return {
		async list(cardId) {
			const records: Page['records'] = [];
			let cursor: string | null = '';
			while (cursor !== null) {
				const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
				const answer = await pool.request({
					method: 'GET',
					path: `${pathname}/workspaces/${workspaceId}/cards/${cardId}/records?limit=1000${after}`,
					headers: { authorization: `Bearer ${apiKey}` },
				});
				if (answer.statusCode >= 300) throw new Error(await answer.body.text());
				const page = (await answer.body.json()) as Page;
				records.push(...page.records);
				cursor = page.next_cursor;
			}
			return records;
		},
		close: async () => await pool.close(),
	};
}
