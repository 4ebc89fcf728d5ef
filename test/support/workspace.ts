import { startService, type ControlledService } from '../../service/index.ts';
import type { TestCredentials } from './n8n';

type ServiceOptions = NonNullable<Parameters<typeof startService>[0]>;

/** One field of a test card, as the service is asked to make it. */
interface FieldSpec {
	name: string;
	type: string;
	options?: unknown;
}

/** The fields of a test card; by name, the type alone or with options. */
type Fields = FieldSpec[] | Record<string, string | Omit<FieldSpec, 'name'>>;

const specsOf = (fields: Fields): FieldSpec[] =>
	Array.isArray(fields)
		? fields
		: Object.entries(fields).map(([name, spec]) => ({
				name,
				...(typeof spec === 'string' ? { type: spec } : spec),
			}));

/** A separate service for a test file, with the actions of tests on it. */
export interface TestWorkspace {
	service: ControlledService;
	apiKey: TestCredentials;
	serviceAccount: TestCredentials;
	/** Sends a request as the workspace's owner, past the nodes; the answer must be a success. */
	send(method: string, path: string, body?: unknown): Promise<unknown>;
	/** Makes a card with these fields. @returns its id and the ids of its fields by name */
	card(name: string, fields: Fields): Promise<TestCard>;
	/** Makes records from data by field name. @returns their ids */
	records(cardId: string, rows: Array<Record<string, unknown>>): Promise<string[]>;
	/** All records of a card, with data by field name. */
	rows(cardId: string): Promise<Array<Record<string, unknown>>>;
	/** The fields of a card, as the service lists them. */
	fields(cardId: string): Promise<ListedField[]>;
	/** The cards of a name. */
	cardsCalled(name: string): Promise<Named[]>;
	/** Answers the next requests of this kind in another way. */
	fail(method: string, path: string, fault: Omit<Fault, 'method' | 'path'>): void;
	/** Requests since the last reset, as `METHOD path`, path from the workspace on. */
	requests(): string[];
	/** As `requests`, without what only reads. */
	changes(): string[];
	close(): Promise<void>;
}

/** A card of a test, with the ids of its fields by name. */
export interface TestCard {
	id: string;
	fieldIds: Record<string, string>;
}

interface Named {
	id: string;
	name: string;
}

/** A field as the service lists it. */
export interface ListedField extends Named {
	type: string;
	options: string[];
}

type Fault = Parameters<ControlledService['control']['fail']>[0];

/** Starts a separate service. */
export async function startWorkspace(options: ServiceOptions = {}): Promise<TestWorkspace> {
	// Nothing to wait for at the end: what hangs then was made to hang by the test.
	const service = await startService({ drainMs: 0, ...options, control: true });
	const root = `${service.baseUrl}/workspaces/${service.workspaceId}`;
	const base = { baseUrl: service.baseUrl, workspaceId: service.workspaceId };

	async function send(method: string, path: string, body?: unknown): Promise<unknown> {
		const response = await fetch(`${root}${path}`, {
			method,
			headers: {
				authorization: `Bearer ${service.apiKey}`,
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path} → ${response.status} ${text}`);
		return text === '' ? undefined : JSON.parse(text);
	}

	const fieldsOf = async (cardId: string) =>
		((await send('GET', `/cards/${cardId}/fields`)) as { fields: ListedField[] }).fields;

	const requests = () => {
		const prefix = new URL(root).pathname;
		return service.control
			.requests()
			.map(({ method, path }) => `${method} ${path.replace(prefix, '')}`);
	};

	return {
		service,
		send,
		fields: fieldsOf,
		async cardsCalled(wanted) {
			const { cards } = (await send('GET', '/cards')) as { cards: Named[] };
			return cards.filter(({ name }) => name === wanted);
		},
		fail: (method, path, fault) => service.control.fail({ method, path, ...fault }),
		requests,
		changes: () => requests().filter((request) => !request.startsWith('GET ')),
		apiKey: { workspaceDataApi: { ...base, apiKey: service.apiKey } },
		serviceAccount: {
			workspaceDataServiceAccountApi: {
				...base,
				authUrl: service.authUrl,
				realm: service.realm,
				clientId: service.clientId,
				clientSecret: service.clientSecret,
			},
		},
		async card(name, fields) {
			const { id } = (await send('POST', '/cards', { name })) as Named;
			for (const field of specsOf(fields)) await send('POST', `/cards/${id}/fields`, field);
			const made = await fieldsOf(id);
			return { id, fieldIds: Object.fromEntries(made.map((field) => [field.name, field.id])) };
		},
		async records(cardId, rows) {
			const fieldIds = new Map((await fieldsOf(cardId)).map(({ name, id }) => [name, id]));
			const ids: string[] = [];
			for (const row of rows) {
				const data = Object.fromEntries(
					Object.entries(row).map(([name, value]) => [fieldIds.get(name) ?? name, value]),
				);
				const { id } = (await send('POST', `/cards/${cardId}/records`, { data })) as Named;
				ids.push(id);
			}
			return ids;
		},
		async rows(cardId) {
			const names = new Map((await fieldsOf(cardId)).map(({ name, id }) => [id, name]));
			const rows: Array<Record<string, unknown>> = [];
			for (let cursor: string | null = ''; cursor !== null; ) {
				const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
				const page = (await send('GET', `/cards/${cardId}/records?limit=100${query}`)) as {
					records: Array<{ data: Record<string, unknown> }>;
					next_cursor: string | null;
				};
				for (const { data } of page.records) {
					rows.push(
						Object.fromEntries(
							Object.entries(data).map(([id, value]) => [names.get(id) ?? id, value]),
						),
					);
				}
				cursor = page.next_cursor;
			}
			return rows;
		},
		close: async () => await service.close(),
	};
}

/** The service that `useWorkspace` or `useCard` has started. */
export let workspace: TestWorkspace;

/** The card that `useCard` has made for the running test. */
export let card: TestCard;

/**
 * Starts a service before the tests of a file or group, or with `[beforeEach, afterEach]` for each of them; before each it
 * counts its requests from zero, and after each it behaves as usual again.
 */
export function useWorkspace(
	options?: ServiceOptions,
	[before, after] = [beforeAll, afterAll],
): void {
	before(async () => {
		workspace = await startWorkspace(options);
	});
	after(async () => await workspace.close());
	beforeEach(() => workspace.service.control.resetRequests());
	afterEach(() => workspace.service.control.reset());
}

/** As `useWorkspace`, with a new card for each test. */
export function useCard(
	name: string,
	fields: Fields,
	...started: Parameters<typeof useWorkspace>
): void {
	useWorkspace(...started);
	beforeEach(async () => {
		card = await workspace.card(name, fields);
		workspace.service.control.resetRequests();
	});
}

/** Answers the next requests of this kind with this JSON; the service does nothing. */
export function answer(
	method: string,
	path: string,
	json: unknown,
	{ status = 200, times = 1 } = {},
): void {
	workspace.fail(method, path, { mode: 'answer', status, body: 'json', json, times });
}
