/** A service in memory, and runs of single operations against it: without n8n and HTTP, so in a millisecond. */
import type { IExecuteFunctions, WorkflowExecuteMode } from 'n8n-workflow';
import type { Operation } from '../../nodes/WorkspaceData/actions/operation';
import { createRun } from '../../nodes/WorkspaceData/actions/run/run';
import type { JsonObject } from '../../nodes/WorkspaceData/model/answer/shapes';
import { ApiFailure } from '../../nodes/WorkspaceData/transport/failure/failures';
import type { ApiAnswer, ApiRequest } from '../../nodes/WorkspaceData/transport/request';
import { scriptedApi } from './scriptedApi';

interface MemoryField {
	id: string;
	name: string;
	type: string;
	options?: string[];
}
interface MemoryRecord {
	id: string;
	data: JsonObject;
	created_at: string;
}
export interface MemoryCard {
	id: string;
	name: string;
	fields: MemoryField[];
	records: MemoryRecord[];
}

const FIRST = Date.UTC(2026, 0, 1);
let services = 0;

/** A card whose fields have the IDs `f1`, `f2` …, and its records `r1`, `r2` …, each a minute younger. */
export function cardOf(
	fields: ReadonlyArray<Omit<MemoryField, 'id'>>,
	rows: ReadonlyArray<Record<string, unknown>> = [],
	{ id = 'c1', name = 'Books' } = {},
): MemoryCard {
	const listed = fields.map((field, n) => ({ ...field, id: `f${n + 1}` }));
	const idOf = (key: string) => listed.find((field) => field.name === key)?.id ?? key;
	const records = rows.map((row, n) => ({
		id: `r${n + 1}`,
		data: Object.fromEntries(Object.entries(row).map(([key, value]) => [idOf(key), value])),
		created_at: new Date(FIRST + n * 60_000).toISOString(),
	}));
	return { id, name, fields: listed, records };
}

/**
 * What happens to a request: `refuse` before it is carried out, `lose` after it; either may throw. `say` gives the parts of
 * the answer that are not as usual.
 */
interface Hooks {
	refuse(request: ApiRequest): void;
	lose(request: ApiRequest): void;
	say(request: ApiRequest): Partial<ApiAnswer>;
}

/** Starts a service with these cards. */
export function memoryService(...cards: MemoryCard[]) {
	const hooks: Hooks = { refuse: () => {}, lose: () => {}, say: () => ({}) };
	let made = 0;
	const gone = (kind: string) =>
		new ApiFailure({ status: 404, title: 'Not found', kind: `${kind}-not-found` });

	function find<Entry extends { id: string }>(entries: Entry[], id: string, kind: string): Entry {
		const found = entries.find((entry) => entry.id === id);
		if (!found) throw gone(kind);
		return found;
	}
	function remove<Entry extends { id: string }>(
		entries: Entry[],
		id: string,
		kind: string,
	): string {
		entries.splice(entries.indexOf(find(entries, id, kind)), 1);
		return '';
	}

	function carryOut({ method, path, body, query = {} }: ApiRequest): unknown {
		const [root, cardId = '', part, id = ''] = path.map((one) =>
			String(typeof one === 'object' ? one.value : one),
		);
		const given = (body ?? {}) as JsonObject;
		const newId = () => `new${(made += 1)}`;
		const shown = ({ fields: _fields, records: _records, ...card }: MemoryCard) => card;
		if (root !== 'cards') throw new ApiFailure({ status: 404, title: 'No such path' });
		if (cardId === '') {
			if (method === 'GET') return { cards: cards.map(shown) };
			const card = { name: '', ...given, id: newId(), fields: [], records: [] };
			cards.push(card);
			return shown(card);
		}
		const card = find(cards, cardId, 'card');
		if (part === undefined) {
			if (method === 'DELETE') return remove(cards, cardId, 'card');
			return shown(method === 'GET' ? card : Object.assign(card, given));
		}
		if (part === 'fields') {
			if (method === 'GET') return { fields: card.fields };
			if (method === 'DELETE') return remove(card.fields, id, 'field');
			if (method === 'PATCH') return Object.assign(find(card.fields, id, 'field'), given);
			const field = { name: '', type: '', ...given, id: newId() };
			card.fields.push(field);
			return field;
		}
		if (method === 'GET') {
			const from = Number(query.cursor ?? 0);
			const next = from + Number(query.limit ?? 100);
			return {
				records: card.records.slice(from, next),
				next_cursor: next < card.records.length ? String(next) : null,
			};
		}
		if (method === 'DELETE') return remove(card.records, id, 'record');
		const data = (given.data ?? {}) as JsonObject;
		if (method === 'PATCH') {
			const record = find(card.records, id, 'record');
			Object.assign(record, { data: { ...record.data, ...data } });
			return { ...record };
		}
		const record = { id: newId(), data, created_at: new Date(FIRST).toISOString() };
		card.records.push(record);
		return record;
	}

	const api = scriptedApi(
		(request) => {
			hooks.refuse(request);
			const body = structuredClone(carryOut(request));
			hooks.lose(request);
			return { body, ...hooks.say(request) };
		},
		{
			baseUrl: `https://data${(services += 1)}.example.com/api/v1`,
			waitedMs: 0,
			redact: (text) => text,
			pause: () => () => {},
			stop: () => {},
			halted: new AbortController().signal,
			close: () => {},
			atOnce: () => 4,
		},
	);
	/** The requests that came, by method and the end of the path. */
	const requests = (): string[] =>
		api.sent.map(({ method, path }) => {
			const parts = path.map((one) => (typeof one === 'object' ? one.value : one));
			return `${method} ${parts.join('/')}`;
		});
	return { api, cards, hooks, requests };
}

export type MemoryService = ReturnType<typeof memoryService>;

/** Parameters of an operation; without a value a parameter has its default. */
export type Given = Record<string, unknown>;

/** The surroundings of a run. */
interface Place {
	items?: JsonObject[];
	continueOnFail?: boolean;
	mode?: WorkflowExecuteMode;
	/** The static data of the node. */
	staticData?: JsonObject;
	/** Waits until an item may compute, as at each hundred of records. */
	yieldToLoop?: () => Promise<void>;
}

/**
 * Runs an operation for items. Where one fails, the others still run.
 *
 * @param given the parameters of each item, or of all
 */
export async function runOperation(
	{ api }: MemoryService,
	operation: Operation,
	given: Given | Given[],
	{
		items,
		continueOnFail = false,
		mode = 'trigger',
		staticData = {},
		yieldToLoop = async () => {},
	}: Place = {},
) {
	const all = Array.isArray(given) ? given : [given];
	const inputs = items ?? all.map(() => ({}));
	const hints: string[] = [];
	const context = {
		getInputData: () => inputs.map((json) => ({ json })),
		getExecutionCancelSignal: () => undefined,
		addExecutionHints: ({ message }: { message: string }) => hints.push(message),
		getTimezone: () => 'UTC',
		getNode: () => ({}),
		getMode: () => mode,
		continueOnFail: () => continueOnFail,
		getWorkflowStaticData: () => staticData,
	} as unknown as IExecuteFunctions;
	const run = createRun(context, api, yieldToLoop);
	const defaults = Object.fromEntries(
		operation.properties.map((property) => [property.name, property.default]),
	);
	const getOf = (itemIndex: number, name: string) => {
		const own = (Array.isArray(given) ? given[itemIndex] : given) ?? {};
		return Object.hasOwn(own, name) ? own[name] : defaults[name];
	};
	const errors: unknown[] = [];
	const outputs = await run.items.each(async (itemIndex): Promise<JsonObject[]> => {
		const get = (name: string) => getOf(itemIndex, name);
		try {
			return await operation.execute({ run, itemIndex, get, getOf });
		} catch (error) {
			errors.push(error);
			return [];
		}
	});
	if (errors.length === 0 || continueOnFail) run.ending.done();
	run.close();
	const noteOn = (error: unknown) => run.messages.noteOn(error);
	return { outputs, json: outputs.flat(), late: run.ending.appended, errors, hints, noteOn };
}
