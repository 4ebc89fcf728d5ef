import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until as untilAnswer } from '../../test/host/deadline.ts';
import {
	type ControlledService,
	type Service,
	type ServiceOptions,
	startService,
} from '../index.ts';

/** An answer, read to the end. */
export interface Answer {
	status: number;
	headers: Headers;
	text: string;
	/** The body as JSON; undefined where there is none. */
	body: Json;
}

/** The JSON of answers. A test reads the members that it expects; a missing member is undefined. */
export interface Json
	extends Record<Texts, string>,
		Record<'cards' | 'fields' | 'records', Json[]> {
	[key: string]: unknown;
	data: Record<string, unknown>;
	options: unknown[];
	next_cursor: string | null;
	errors: Array<{ pointer: string; detail: string }>;
}
type Texts = 'id' | 'name' | 'detail' | 'type' | 'secret' | 'webhook_id' | 'access_token';

/** Sends requests to one service as one caller. */
export type Client = ReturnType<typeof createClient>;

/** A client whose paths start below the workspace unless they start with `/`. */
export function createClient(service: Service, bearer: string | null = service.apiKey) {
	return async (
		method: string,
		path: string,
		body?: unknown,
		headers: Record<string, string> = {},
	): Promise<Answer> => {
		const url = path.startsWith('/')
			? new URL(service.baseUrl).origin + path
			: `${service.baseUrl}/workspaces/${service.workspaceId}/${path}`;
		const response = await fetch(url, {
			method,
			redirect: 'manual',
			headers: {
				...(bearer !== null && { authorization: `Bearer ${bearer}` }),
				...(body !== undefined && { 'content-type': 'application/json' }),
				...headers,
			},
			...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
		});
		return await read(response);
	};
}

async function read(response: Response): Promise<Answer> {
	const { status, headers } = response;
	const text = await response.text();
	const isJson = /[/+]json/.test(headers.get('content-type') ?? '');
	return { status, headers, text, body: (isJson && text ? JSON.parse(text) : undefined) as Json };
}

/** Asks the token endpoint. */
export async function requestToken(
	service: Service,
	fields: Record<string, string> = {},
): Promise<Answer> {
	const { authUrl, realm, clientId: client_id, clientSecret: client_secret } = service;
	const client = { grant_type: 'client_credentials', client_id, client_secret };
	const body = new URLSearchParams({ ...client, ...fields });
	const url = `${authUrl}/realms/${realm}/protocol/openid-connect/token`;
	return await read(await fetch(url, { method: 'POST', body }));
}

/** Waits until a condition holds, for less time than jest. @throws Error that says what was waited for */
export const until = async <T>(what: string, condition: () => T | Promise<T>) =>
	await untilAnswer(what, async () => (await condition()) || undefined, 50_000, 10);

/** `startService` for services that last as long as a test. */
export function useServices(): typeof startService {
	const started: Service[] = [];
	afterEach(async () => {
		for (const service of started.splice(0)) await service.close();
	});
	const start = async (options?: ServiceOptions) => {
		const service = await startService(options);
		started.push(service);
		return service;
	};
	return start as typeof startService;
}

/** A service with control for all tests of a file, which behaves as usual again after each. @param take gets it, and a client */
export function useService(
	take: (service: ControlledService, api: Client) => Promise<void> | void,
	options: ServiceOptions = {},
): void {
	let service: ControlledService | undefined;
	beforeAll(async () => {
		service = await startService({ ...options, control: true });
		await take(service, createClient(service));
	});
	afterEach(() => {
		jest.restoreAllMocks();
		service?.control.reset();
	});
	afterAll(async () => await service?.close());
}

/** A file for the data of a service, in a folder that lasts as long as a test. @returns gives its path */
export function useFile(): () => string {
	let folder = '';
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'workspace-data-'));
	});
	afterEach(() => rmSync(folder, { recursive: true }));
	return () => join(folder, 'service.sqlite');
}
