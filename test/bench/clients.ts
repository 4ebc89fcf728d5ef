import { Pool } from 'undici';
import type { ServiceAddresses } from '../../service/index.ts';

/** The parts of the service's answers that a benchmark looks at. */
export interface Answer {
	id: string;
	records: Array<{ id: string; data: Record<string, unknown> }>;
	fields: Array<{ id: string; name: string }>;
	next_cursor: string | null;
}

/**
 * Sends a request as an API key, path from the workspace on.
 *
 * @throws Error where the status is no success
 */
type Send = (
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
	path: string,
	body?: object,
) => Promise<Answer>;

/** The least that talking to the service takes: no retries, no pacing, no checks but for the status. */
export interface Client {
	send: Send;
	/** All records of a card, page by page. */
	list(cardId: string, pageSize: number): Promise<Answer['records']>;
	/** Makes a card. @returns its id, and the ids of its fields in their order */
	createCard(
		name: string,
		fields: ReadonlyArray<{ name: string; type: string }>,
	): Promise<{ id: string; fieldIds: string[] }>;
	close(): Promise<void>;
}

const clientOf = (send: Send, close: () => Promise<void>): Client => ({
	send,
	async list(cardId, pageSize) {
		const records: Answer['records'] = [];
		let cursor: string | null = '';
		while (cursor !== null) {
			const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
			const page = await send('GET', `/cards/${cardId}/records?limit=${pageSize}${after}`);
			records.push(...page.records);
			cursor = page.next_cursor;
		}
		return records;
	},
	async createCard(name, fields) {
		const { id } = await send('POST', '/cards', { name });
		const fieldIds: string[] = [];
		for (const field of fields) {
			fieldIds.push((await send('POST', `/cards/${id}/fields`, field)).id);
		}
		return { id, fieldIds };
	},
	close,
});

const headersOf = ({ apiKey }: ServiceAddresses) => ({
	authorization: `Bearer ${apiKey}`,
	'content-type': 'application/json',
});

/** How long a connection is kept without a request, in ms: less than the service keeps it. */
const IDLE_MS = 1_000;

/** Connections that are kept. @param connections how many requests run at once */
export function undiciClient(service: ServiceAddresses, connections: number): Client {
	const { origin, pathname } = new URL(service.baseUrl);
	const pool = new Pool(origin, { connections, pipelining: 1, keepAliveTimeout: IDLE_MS });
	const headers = headersOf(service);
	const send: Send = async (method, path, body) => {
		const answer = await pool.request({
			method,
			path: `${pathname}/workspaces/${service.workspaceId}${path}`,
			headers,
			body: body === undefined ? null : JSON.stringify(body),
		});
		if (answer.statusCode >= 300) {
			throw new Error(`${method} ${path}: ${answer.statusCode} ${await answer.body.text()}`);
		}
		return (await answer.body.json()) as Answer;
	};
	return clientOf(send, async () => await pool.close());
}
