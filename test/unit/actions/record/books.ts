/** A card of books, and what operations on records are given and have changed. */
import type { ApiRequest } from '../../../../nodes/WorkspaceData/transport/request';
import type { Operation } from '../../../../nodes/WorkspaceData/actions/operation';
import { syncRecords } from '../../../../nodes/WorkspaceData/actions/record/sync.operation';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import {
	cardOf,
	memoryService,
	runOperation,
	type Given,
	type MemoryService,
} from '../../../support/memoryService';

export const FIELDS = [
	{ name: 'Key', type: 'text' },
	{ name: 'Pages', type: 'number' },
	{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
];

export const ROWS = [
	{ Key: 'a', Pages: 3, Status: 'Open' },
	{ Key: 'b', Pages: 1, Status: 'Done' },
	{ Key: 'c', Pages: 2, Status: 'Open' },
];

export const books = (rows: ReadonlyArray<Record<string, unknown>> = ROWS) =>
	memoryService(cardOf(FIELDS, rows));

/** Makes the service refuse to delete a record. @returns how */
export const refuseDeletion = (service: ReturnType<typeof books>, id: string) => {
	const refusal = new ApiFailure({ status: 403, title: 'No' });
	service.hooks.refuse = ({ method, path }) => {
		const last = path.at(-1);
		if (method === 'DELETE' && typeof last === 'object' && last.value === id) throw refusal;
	};
	return refusal;
};

export const many = (count: number) =>
	books(Array.from({ length: count }, (_, n) => ({ Key: `k${n}`, Pages: n })));

export const cardId = { __rl: true, mode: 'id', value: 'c1' };

export const record = (value: string) => ({ recordId: { __rl: true, mode: 'id', value } });

export const values = (value: Record<string, unknown>, matchingColumns: string[] = []) => ({
	columns: { mappingMode: 'defineBelow', value, matchingColumns },
});

export const where = (field: string, value: unknown, condition = 'equals') => ({
	filters: { conditions: [{ field, condition, value }] },
});

export const run = async (
	service: MemoryService,
	operation: Operation,
	given: Given | Given[],
	...rest: [Parameters<typeof runOperation>[3]?]
) => {
	const all = Array.isArray(given)
		? given.map((own) => ({ cardId, ...own }))
		: { cardId, ...given };
	return await runOperation(service, operation, all, ...rest);
};

export const changes = (service: MemoryService) =>
	service.requests().filter((line) => !line.startsWith('GET'));

export const pages = (service: MemoryService) =>
	service.requests().filter((line) => line === 'GET cards/c1/records').length;

export const keysOf = (json: ReadonlyArray<Record<string, unknown>>) =>
	json.map(({ fields }) => (fields as Record<string, unknown>).Key);

export const rowsOf = ({ cards }: MemoryService) => cards[0]?.records.map(({ data }) => data);

/** An item of Sync, matched by "Key". */
export const syncItem = (value: Record<string, unknown>) => values(value, ['Key']);

/** Runs Sync. @param given what all items have in common */
export const sync = async (service: MemoryService, items: Given[], given: Given = {}) =>
	await run(
		service,
		syncRecords,
		items.map((own) => ({ ...given, ...own })),
	);

/** Does something before the service carries out the first request of this kind after the check. */
export function before(
	service: MemoryService,
	isMeant: (request: ApiRequest, listings: number) => boolean,
	work: () => Promise<unknown>,
) {
	const { request } = service.api;
	let isDone = false;
	let listings = 0;
	service.api.request = async (sent) => {
		if (sent.path.at(-1) === 'fields') listings += 1;
		if (!isDone && isMeant(sent, listings)) {
			isDone = true;
			await work();
		}
		return await request(sent);
	};
}
/** The fields are listed a second time once all records are checked. */
export const checked = ({ path }: ApiRequest, listings: number) =>
	path.at(-1) === 'fields' && listings === 2;
