/** A service with fields of any shape: it keeps records as they come, and tells which changes were sent. */
import type { IDataObject } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { runAction } from './n8n';
import { byId } from './parameters';
import { startWebServer } from './webServer';

type Json = Record<string, unknown>;

/** The service of a test. */
export interface OtherService {
	/** Credentials of the action node. */
	credentials: { workspaceDataApi: { baseUrl: string; workspaceId: string; apiKey: string } };
	/** The fields it lists; a function is called for each listing. */
	fields: Json[] | (() => Json[]);
	records: Array<{ id: string; created_at: string; data: Json }>;
	/** The status of a change; 204 comes without a body. */
	updateStatus: number;
	/** Is awaited before a request is carried out. */
	before: (method: string, path: string) => Promise<unknown> | void;
	/** Bodies of changes, in their order. */
	changes: Array<{ method: string; path: string; body: Json | undefined }>;
	close(): Promise<void>;
}

/** The service that the running test has started. */
export let other: OtherService;

afterEach(async () => await other?.close());

/** The bodies of the changes that were sent to it. */
export const bodies = () => other.changes.map(({ body }) => body);

/** Runs an operation of the resource Record on its card. */
export const runOther = async (
	operation: string,
	parameters: IDataObject = {},
	items: IDataObject[] = [{}],
) =>
	await runAction({
		credentials: other.credentials,
		items,
		parameters: { resource: 'record', operation, cardId: byId('c'), ...parameters },
	});

/** Starts it, with records that hold these values. */
export async function startOther(
	fields: OtherService['fields'],
	data: IDataObject[] = [],
): Promise<void> {
	const records: OtherService['records'] = [];
	const add = (values: Json) => {
		const id = `r${records.length}`;
		const record = { id, created_at: `2026-01-01T00:00:${10 + records.length}Z`, data: values };
		records.push(record);
		return record;
	};
	structuredClone(data).forEach(add);
	const changes: OtherService['changes'] = [];
	const server = await startWebServer(async (request, response) => {
		const { method = '', url = '' } = request;
		const path = url.split('?')[0] ?? '';
		const sent = await text(request);
		const body = sent === '' ? undefined : (JSON.parse(sent) as Json);
		await service.before(method, path);
		if (method !== 'GET') changes.push({ method, path, body });
		const place = records.findIndex(({ id }) => path.endsWith(`/records/${id}`));
		const values = (body?.data ?? {}) as Json;
		const send = (status: number, json?: unknown) => {
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(json === undefined ? undefined : JSON.stringify(json));
		};
		if (method === 'GET' && path.endsWith('/fields')) {
			const { fields: listed } = service;
			return send(200, { fields: typeof listed === 'function' ? listed() : listed });
		}
		if (method === 'GET') return send(200, { records, next_cursor: null });
		if (method === 'POST') return send(201, add(values));
		if (place < 0 && path.includes('/records/'))
			return send(404, { type: 'urn:record-not-found', title: 'No such record' });
		if (method === 'DELETE') {
			records.splice(place, 1);
			return send(204);
		}
		const record = records[place];
		if (record) record.data = { ...record.data, ...values };
		return send(service.updateStatus, service.updateStatus === 204 ? undefined : (record ?? {}));
	});
	const service = (other = {
		credentials: {
			workspaceDataApi: { baseUrl: `${server.url}/api/v1`, workspaceId: 'w', apiKey: randomUUID() },
		},
		fields,
		records,
		updateStatus: 200,
		before: () => {},
		changes,
		close: server.close,
	} as OtherService);
}
