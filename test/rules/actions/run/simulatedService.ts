/** A service in memory whose answers come in any order and fail as a test says, and executions of the node on it. */
import type { Scheduler } from 'fast-check';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { JsonObject } from '../../../../nodes/WorkspaceData/model/response/shapes';
import { Run } from '../../../../nodes/WorkspaceData/actions/run/run';
import type { Operation } from '../../../../nodes/WorkspaceData/actions/operation';
import { systemClock, type Clock } from '../../../../nodes/WorkspaceData/transport/http/clock';
import { PageSize } from '../../../../nodes/WorkspaceData/transport/pageSize';
import type { Session } from '../../../../nodes/WorkspaceData/transport/session';
import {
	ApiFailure,
	Unreachable,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';
import type { ApiResponse, ApiRequest } from '../../../../nodes/WorkspaceData/transport/request';

/** What becomes of a write, after all of its tries. */
export type Fate =
	/** Carried out and answered. */
	| 'done'
	/** Refused by the service. */
	| 'refused'
	/** Not carried out, and nobody knows. */
	| 'lost'
	/** Carried out, but the answer is lost. */
	| 'unanswered'
	/** The answer is lost; carried out later, but before the request would have been given up in any case. */
	| 'late';

export interface SimulatedRecord {
	id: string;
	data: JsonObject;
	created_at: string;
}

/** A write that was carried out. */
export interface Applied {
	method: string;
	id: string;
	data: JsonObject;
}

export interface SimulatedService {
	session: Session;
	/** No time passes but where somebody waits: until then, late writes are carried out. */
	clock: Clock;
	records: Map<string, SimulatedRecord>;
	/** All writes that were carried out, in their order. */
	applied: Applied[];
	/** How many records were deleted or changed so far: the time of this service. */
	history(id: string): readonly JsonObject[];
}

const FIELDS = [
	{ id: 'f1', name: 'Key', type: 'text' },
	{ id: 'f2', name: 'Amount', type: 'number' },
];

const answer = (body: unknown, status = 200): ApiResponse => ({ status, body, headers: {} });
const refusal = (status: number) =>
	new ApiFailure({ status, title: 'Refused', kind: undefined, foreign: false } as never);

let services = 0;

/**
 * @param fates what becomes of each write, in the order in which they are sent; then all are done
 * @param pageSize records of a page; cursors count them from the first on
 */
export function simulateService(
	scheduler: Scheduler,
	fates: readonly Fate[],
	initial: readonly SimulatedRecord[],
	pageSize = Infinity,
): SimulatedService {
	services += 1;
	const records = new Map(initial.map((record) => [record.id, record]));
	const histories = new Map(initial.map(({ id, data }) => [id, [data]]));
	const applied: Applied[] = [];
	const late: ApiRequest[] = [];
	let writes = 0;
	let made = 0;

	function carryOut({ method, path, body }: ApiRequest): ApiResponse {
		const { data = {} } = (body ?? {}) as { data?: JsonObject };
		const last = path[3];
		if (method === 'POST') {
			made += 1;
			const id = `new${made}`;
			const record = { id, data, created_at: '2026-01-01T00:00:00Z' };
			records.set(id, record);
			histories.set(id, [data]);
			applied.push({ method, id, data });
			return answer(record, 201);
		}
		const id = String(typeof last === 'object' ? last.value : last);
		const known = records.get(id);
		if (!known) throw refusal(404);
		applied.push({ method, id, data });
		if (method === 'DELETE') {
			records.delete(id);
			return answer('', 204);
		}
		const record = { ...known, data: { ...known.data, ...data } };
		records.set(id, record);
		histories.get(id)?.push(record.data);
		return answer(record);
	}

	async function write(request: ApiRequest): Promise<ApiResponse> {
		const number = writes;
		writes += 1;
		const fate = fates[number] ?? 'done';
		await scheduler.schedule(Promise.resolve(), `write ${number} arrives`);
		if (fate === 'refused') throw refusal(400);
		const done = fate === 'lost' || fate === 'late' ? undefined : carryOut(request);
		await scheduler.schedule(Promise.resolve(), `answer ${number}`);
		if (done && fate === 'done') return done;
		if (fate === 'late') late.push(request);
		throw new Unreachable('No response', {
			transient: true,
			sent: 'maybe',
		});
	}

	async function read({ path, query }: ApiRequest): Promise<ApiResponse> {
		if (path.at(-1) === 'fields') return answer(FIELDS);
		await scheduler.schedule(Promise.resolve(), 'listing arrives');
		const start = Number(query?.cursor ?? 0);
		const left = [...records.values()].slice(start);
		const page = {
			records: left.slice(0, pageSize),
			next_cursor: left.length > pageSize ? String(start + pageSize) : null,
		};
		await scheduler.schedule(Promise.resolve(), 'listing is answered');
		return answer(page);
	}

	return {
		records,
		applied,
		history: (id) => histories.get(id) ?? [],
		clock: {
			...systemClock,
			now: () => 0,
			alarm(_, ring) {
				void scheduler.schedule(Promise.resolve(), 'requests are over').then(() => {
					for (const request of late.splice(0)) carryOut(request);
					ring();
				});
				return () => undefined;
			},
		},
		session: {
			baseUrl: `https://data${services}.example.com/api/v1`,
			pageSize: new PageSize(systemClock),
			waitedMs: 0,
			workspaceId: 'w1',
			request: async (request: ApiRequest) =>
				await (request.method === 'GET' ? read(request) : write(request)),
			stop: () => undefined,
			halted: new AbortController().signal,
			close: () => undefined,
			pause: () => () => undefined,
			atOnce: () => 8,
			redact: (text: string) => text,
		} as unknown as Session,
	};
}

/** The result of one item. */
export type ItemResult = { json: JsonObject[] } | { error: unknown };

/** Runs an operation for items, as an execution that continues on errors. */
export async function execute(
	{ session, clock }: SimulatedService,
	operation: Operation,
	items: readonly IDataObject[],
	parameters: (item: IDataObject) => Record<string, unknown>,
): Promise<ItemResult[]> {
	const run = new Run(
		{
			getInputData: () => items.map((json) => ({ json })),
			getExecutionCancelSignal: () => undefined,
			addExecutionHints: () => undefined,
			getTimezone: () => 'Europe/Berlin',
			getNode: () => ({}),
		} as unknown as IExecuteFunctions,
		session,
		// Without timers: the scheduler alone decides what comes first.
		async () => await Promise.resolve(),
		clock,
	);
	const given = items.map(parameters);
	const getOf = (place: number, name: string) => given[place]?.[name];
	const results = await run.items.each(async (itemIndex): Promise<ItemResult> => {
		const get = (name: string) => getOf(itemIndex, name);
		try {
			return { json: await operation.execute({ run, itemIndex, get, getOf }) };
		} catch (error) {
			return { error };
		}
	});
	run.close();
	return results;
}
