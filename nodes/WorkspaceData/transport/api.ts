/** The service as everything else sees it: its things, paths and schemas are here and nowhere else. */
import type { IAllExecuteFunctions } from 'n8n-workflow';
import type { JsonObject } from '../values/jsonObject';
import { quote } from '../values/messageText';
import { systemClock, type Clock } from './clock';
import { apiKeyOf, readCredential, toAuthentication } from './credential';
import { RequestError, type ThingName } from './errors';
import { bodyOf, readAs, readList, readSingle, type ApiResponse } from './response';
import { card, type Card } from './schemas/card';
import { field, type Field } from './schemas/field';
import { jsonObject, type Schema } from './schemas/parts';
import { record, type DataRecord } from './schemas/record';
import { recordPage, type RecordPage } from './schemas/recordPage';
import { subscription } from './schemas/subscription';
import { Sender, type Access, type ApiRequest, type RequestOptions } from './send';
import { exactSegment, parseBaseUrl, pathSegment } from './serviceUrl';
import { tokenAddress } from './token';

export type { Card, DataRecord, Field, RecordPage, RequestOptions };

/** The maximum page size that is requested; larger pages save little and block the event loop. */
const MAX_PAGE_SIZE = 1_000;

/** A path parameter. It is always percent-encoded. */
export type PathValue = string | number;

/** A collection of things: its path below the workspace, and their schema. */
export interface Collection<Thing> {
	thing: ThingName & ('card' | 'field' | 'record');
	path: string;
	schema: Schema<Thing>;
}

export const cards: Collection<Card> = { thing: 'card', path: 'cards', schema: card };

const below = (cardId: PathValue, name: string): string =>
	`cards/${exactSegment(cardId, 'Card')}/${name}`;

/** The fields of a card. @throws InputError for an ID that can't be part of a path */
export const fieldsOf = (cardId: PathValue): Collection<Field> => ({
	thing: 'field',
	path: below(cardId, 'fields'),
	schema: field,
});

/** The records of a card. @throws InputError for an ID that can't be part of a path */
export const recordsOf = (cardId: PathValue): Collection<DataRecord> => ({
	thing: 'record',
	path: below(cardId, 'records'),
	schema: record,
});

/** The labels of identifiers in the editor. */
const LABELS = { card: 'Card', field: 'Field', record: 'Record' } as const;

const pathOf = ({ path, thing }: Collection<unknown>, id: PathValue): string =>
	`${path}/${exactSegment(id, LABELS[thing])}`;

/**
 * Opens the service with the node's credential. Sends nothing.
 *
 * @param authentication the value of the node's parameter
 * @throws InputError if the credential is invalid; n8n's error if the node has none
 */
export async function openApi(
	context: IAllExecuteFunctions,
	authentication: unknown,
	clock: Clock = systemClock,
): Promise<Api> {
	const type = toAuthentication(authentication);
	const credential = await readCredential(context, type);
	return new Api({ context, credential, authentication: type, clock });
}

/** The service for one credential, during one execution. */
export class Api extends Sender {
	readonly baseUrl: string;
	readonly workspaceId: string;
	/** Identifies the workspace in this process. */
	readonly address: string;

	/** @throws InputError for a credential that can't be used */
	constructor(access: Access) {
		super(access);
		const { baseUrl, workspaceId } = access.credential;
		this.baseUrl = parseBaseUrl(baseUrl);
		this.workspaceId = String(workspaceId).trim();
		this.address = `${this.baseUrl}/workspaces/${pathSegment(workspaceId, 'Workspace ID')}`;
		if (access.authentication === 'apiKey') apiKeyOf(access.credential);
		else tokenAddress(access.credential);
	}

	/** Reads all things of a collection. @throws RequestError also if a cursor comes again */
	async list<Thing>(what: Collection<Thing>, options?: RequestOptions): Promise<Thing[]> {
		const all: Thing[] = [];
		const name = `${what.thing}s`;
		const isNew = newCursors(name);
		for (let query: ApiRequest['query']; ; ) {
			const response = await this.at(what.path, { method: 'GET', query }, options);
			const { things, nextCursor } = readList(what.schema, response, name);
			for (const one of things) all.push(one);
			if (nextCursor === null) return all;
			query = { cursor: isNew(nextCursor) };
		}
	}

	/** Reads one thing. */
	async get<Thing>(
		what: Collection<Thing>,
		id: PathValue,
		options?: RequestOptions,
	): Promise<Thing> {
		const response = await this.at(pathOf(what, id), { method: 'GET' }, options);
		return readSingle(what.schema, response, what.thing);
	}

	/** Creates a thing. @returns undefined if the response doesn't show it */
	async create<Thing>(
		what: Collection<Thing>,
		body: JsonObject,
		options?: RequestOptions,
	): Promise<Thing | undefined> {
		const request = { method: 'POST', body, thing: what.thing } as const;
		return shown(what, await this.at(what.path, request, options));
	}

	/** Changes the members of a thing that the body names. @returns undefined if the response doesn't show it */
	async change<Thing>(
		what: Collection<Thing>,
		id: PathValue,
		body: JsonObject,
		options?: RequestOptions,
	): Promise<Thing | undefined> {
		return shown(what, await this.at(pathOf(what, id), { method: 'PATCH', body }, options));
	}

	/** Deletes a thing. */
	async remove(what: Collection<unknown>, id: PathValue, options?: RequestOptions): Promise<void> {
		await this.at(pathOf(what, id), { method: 'DELETE' }, options);
	}

	/**
	 * Reads the records of a card. The next page is requested while the caller works on one.
	 *
	 * @param wanted the maximum number of records to read; Infinity for all
	 * @throws RequestError also if a cursor comes again
	 */
	async *pages(
		cardId: PathValue,
		wanted: number,
		options?: RequestOptions,
	): AsyncGenerator<DataRecord[]> {
		const isNew = newCursors('records');
		let limit: number | undefined = Math.min(MAX_PAGE_SIZE, wanted);
		let next: Promise<RecordPage> | undefined = this.page(cardId, { limit }, options).catch(
			async (error: unknown) => {
				const { status } = Object(error) as RequestError;
				if (status !== 400 && status !== 422) throw error;
				limit = undefined;
				return await this.page(cardId, {}, options).catch(() => Promise.reject(error));
			},
		);
		try {
			for (let left = wanted; next; ) {
				const { records, nextCursor } = await next;
				left -= records.length;
				next = undefined;
				if (nextCursor !== null && left > 0) {
					next = this.page(cardId, { limit, cursor: isNew(nextCursor) }, options);
					next.catch(() => {});
				}
				yield records;
			}
		} finally {
			// A request under way would listen to the execution's signal after its end.
			await next?.catch(() => {});
		}
	}

	/** Reads one page of records. */
	async page(
		cardId: PathValue,
		{ limit, cursor }: { limit?: number | undefined; cursor?: string | undefined },
		options?: RequestOptions,
	): Promise<RecordPage> {
		const query = { ...(limit !== undefined && { limit }), ...(cursor && { cursor }) };
		const response = await this.at(below(cardId, 'records'), { method: 'GET', query }, options);
		return readAs(recordPage, response, 'records');
	}

	/** Creates a webhook subscription. `date` is the service's time, in ms since the epoch. */
	async subscribe(
		body: { target_url: string; events: string[]; card_id?: string },
		options?: RequestOptions,
	): Promise<{ id: string; secret: string; date: number | undefined }> {
		const request = { method: 'POST', body, thing: 'subscription' } as const;
		const response = await this.at('webhooks', request, options);
		return { ...readSingle(subscription, response, 'webhook'), date: dateOf(response) };
	}

	/** Deletes a webhook subscription. One that is missing counts as deleted. */
	async unsubscribe(webhookId: string, options?: RequestOptions): Promise<void> {
		const path = `webhooks/${exactSegment(webhookId, 'Subscription')}`;
		await this.at(path, { method: 'DELETE' }, options).catch((error: unknown) => {
			if (!(error instanceof RequestError && error.status === 404)) throw error;
		});
	}

	/** Reads the service's time, in ms since the epoch; undefined if it doesn't say. */
	async time(cardId: PathValue | undefined, options?: RequestOptions): Promise<number | undefined> {
		// The smallest responses in the interface.
		const path = cardId === undefined ? cards.path : below(cardId, 'records');
		const query: ApiRequest['query'] = cardId === undefined ? {} : { limit: 1 };
		return dateOf(await this.at(path, { method: 'GET', query }, options));
	}

	/** Reads the service's OpenAPI description; YAML as `{ yaml }`. */
	async description(format: 'json' | 'yaml', options?: RequestOptions): Promise<JsonObject> {
		const url = `${this.baseUrl}/openapi.${format}`;
		const response = await this.send({ method: 'GET', url }, options);
		if (format === 'yaml' && !/^\s*</.test(response.text)) return { yaml: response.text };
		return readAs(jsonObject, response, 'body');
	}

	private async at(
		path: string,
		request: Omit<ApiRequest, 'url'>,
		options?: RequestOptions,
	): Promise<ApiResponse> {
		return await this.send({ ...request, url: `${this.address}/${path}` }, options);
	}
}

/** The service's time in a response: whole seconds, in ms since the epoch. */
function dateOf({ headers }: ApiResponse): number | undefined {
	const date = Date.parse(String(headers.date));
	return Number.isNaN(date) ? undefined : date;
}

/** Reads the thing in the response to its change; undefined if it has no body. */
const shown = <Thing>(
	{ schema, thing }: Collection<Thing>,
	response: ApiResponse,
): Thing | undefined =>
	bodyOf(response) === undefined ? undefined : readSingle(schema, response, thing);

/** Returns a function that passes cursors on, each once. */
function newCursors(name: string): (cursor: string) => string {
	const seen = new Set<string>();
	return (cursor) => {
		if (seen.has(cursor)) {
			throw new RequestError(
				`The service's list of ${name} doesn't end: 'next_cursor' is ${quote(cursor)} again`,
				{ advice: 'Nothing was done with it. Tell the operator of the service.' },
			);
		}
		seen.add(cursor);
		return cursor;
	};
}
