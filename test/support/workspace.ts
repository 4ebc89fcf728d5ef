import type { IDataObject } from 'n8n-workflow';
import { startService, type ControlledService } from '../../service/index.ts';
import { createServiceApi, type FieldDraft } from '../host/serviceApi.ts';
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

const draftsOf = (fields: Fields): FieldDraft[] =>
	Array.isArray(fields)
		? fields.map(({ name, type, options }) => [name, type, options])
		: Object.entries(fields).map(([name, spec]) =>
				typeof spec === 'string' ? [name, spec] : [name, spec.type, spec.options],
			);

/** A separate service for a test file, with the actions of tests on it. */
export type TestWorkspace = Awaited<ReturnType<typeof startWorkspace>>;

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
interface ListedField extends Named {
	type: string;
	options: string[];
}

type Fault = Parameters<ControlledService['control']['fail']>[0];

/** Starts a separate service. */
export async function startWorkspace(options: ServiceOptions = {}) {
	// Nothing to wait for at the end: what hangs then was made to hang by the test.
	const service = await startService({ drainMs: 0, ...options, control: true });
	const root = `${service.baseUrl}/workspaces/${service.workspaceId}`;
	const base = { baseUrl: service.baseUrl, workspaceId: service.workspaceId };

	const api = createServiceApi(service);

	const fieldsOf = async (cardId: string) =>
		(await api.call<{ fields: ListedField[] }>('GET', `/cards/${cardId}/fields`)).fields;

	/** The card with its fields as they are now. */
	const cardOf = async (id: string) => {
		const fields = (await fieldsOf(id)).map((field) => [field.name, field.id]);
		return { id, name: '', fields: Object.fromEntries(fields) as Record<string, string> };
	};

	/** The requests since the last reset that match, as `METHOD path`, with the path below the workspace; by default all. */
	const requests = (wanted = /^/) => {
		const prefix = new URL(root).pathname;
		return service.control
			.requests()
			.map(({ method, path }) => `${method} ${path.replace(prefix, '')}`)
			.filter((request) => wanted.test(request));
	};

	return {
		service,
		/** Sends a request as the workspace's owner, without the nodes. The response must be a success. */
		send: api.call,
		/** The fields of a card, as the service lists them. */
		fields: fieldsOf,
		/** The cards of a name. */
		async cardsCalled(wanted: string) {
			const { cards } = await api.call<{ cards: Named[] }>('GET', '/cards');
			return cards.filter(({ name }) => name === wanted);
		},
		/** Answers the next requests of this kind in another way. */
		fail: (method: string, path: string, fault: Omit<Fault, 'method' | 'path'>) =>
			service.control.fail({ method, path, ...fault }),
		requests,
		/** As `requests`, without what only reads. */
		changes: () => requests(/^(?!GET )/),
		apiKey: { workspaceDataApi: { ...base, apiKey: service.apiKey } } as TestCredentials,
		serviceAccount: {
			workspaceDataServiceAccountApi: {
				...base,
				authUrl: service.authUrl,
				realm: service.realm,
				clientId: service.clientId,
				clientSecret: service.clientSecret,
			},
		} as TestCredentials,
		/** Makes a card with these fields. @returns its id and the ids of its fields by name */
		async card(name: string, fields: Fields): Promise<TestCard> {
			const { id, fields: fieldIds } = await api.createCard(name, draftsOf(fields));
			return { id, fieldIds };
		},
		/** Makes records from data by field name. @returns their ids */
		async records(cardId: string, rows: IDataObject[]) {
			const card = await cardOf(cardId);
			const ids: string[] = [];
			for (const row of rows) ids.push(await api.createRecord(card, row));
			return ids;
		},
		/** All records of a card, with data by field name. */
		rows: async (cardId: string) =>
			(await api.records(await cardOf(cardId))).map(({ fields }) => fields),
		close: async () => await service.close(),
	};
}

/** The service that `useWorkspace` or `useCard` has started. */
export let workspace: TestWorkspace;

/** One of its credentials, with other entries. */
export const credentialWith = (
	changes: IDataObject,
	kind: 'apiKey' | 'serviceAccount' = 'apiKey',
): TestCredentials => {
	const own = Object.entries(workspace[kind]);
	return Object.fromEntries(own.map(([type, data]) => [type, { ...data, ...changes }])) as never;
};

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
