/** The service as everything else sees it: its things, paths and schemas are here and nowhere else. */
import type { IAllExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod/v3';
import type { JsonObject } from '../values/jsonObject';
import { quote } from '../values/messageText';
import { systemClock, type Clock } from './clock';
import { pathSegment, readCredential } from './credential';
import { RequestError, type ThingName } from './errors';
import {
	bodyOf,
	dateIn,
	readAs,
	readList,
	readSingle,
	type ApiResponse,
	type Page,
} from './response';
import { card, type Card } from './schemas/card';
import { field, type Field } from './schemas/field';
import { jsonObject, type Schema } from './schemas/parts';
import { record, records, type DataRecord } from './schemas/record';
import { subscription } from './schemas/subscription';
import { Sender, type ApiRequest, type PageQuery, type RequestOptions } from './send';

export type { Card, DataRecord, Field, PageQuery, RequestOptions };

/** The maximum page size that is requested; larger pages save little and block the event loop. */
const MAX_PAGE_SIZE = 1_000;

/** A path parameter. It is always percent-encoded. */
export type PathValue = string | number;

/** A collection of things. */
export interface Collection<Thing> {
	thing: ThingName;
	/** The path below the workspace. */
	path: string;
	schema: Schema<Thing>;
	/** The schema of a whole list, if it has one of its own. */
	list?: Schema<Thing[]>;
}

export const cards: Collection<Card> = { thing: 'card', path: 'cards', schema: card };

const below = (cardId: PathValue, name: string): string =>
	`cards/${pathSegment(cardId, 'Card')}/${name}`;

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
	list: records,
});

/** The labels of identifiers in the editor. */
const LABELS = { card: 'Card', field: 'Field', record: 'Record' } as const;

const pathOf = ({ path, thing }: Collection<unknown>, id: PathValue): string =>
	`${path}/${pathSegment(id, LABELS[thing])}`;

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
	return new Api({ context, clock, ...(await readCredential(context, authentication)) });
}

/** The service for one credential, during one execution. */
export class Api extends Sender {
	readonly baseUrl = this.access.baseUrl;
	readonly workspaceId = this.access.workspaceId;
	/** Identifies the workspace in this process. */
	readonly address = `${this.baseUrl}/workspaces/${pathSegment(this.workspaceId, 'Workspace ID')}`;

	/** Reads all things of a collection. @throws RequestError also if a cursor comes again */
	async list<Thing>(what: Collection<Thing>, options?: RequestOptions): Promise<Thing[]> {
		const all: Thing[] = [];
		const read = async (cursor?: string) => await this.page(what, { cursor }, options);
		for await (const things of walk(what, read)) for (const one of things) all.push(one);
		return all;
	}

	/**
	 * Reads the records of a card. The next page is requested while the caller works on one.
	 *
	 * @param wanted the maximum number of records to read; Infinity for all
	 * @throws RequestError also if a cursor comes again
	 */
	pages(cardId: PathValue, wanted: number, options?: RequestOptions): AsyncGenerator<DataRecord[]> {
		const what = recordsOf(cardId);
		let limit: number | undefined = Math.min(MAX_PAGE_SIZE, wanted);
		const read = async (cursor?: string): Promise<Page<DataRecord>> =>
			await this.page(what, { limit, cursor }, options).catch(async (error: unknown) => {
				const isRefused = error instanceof RequestError && [400, 422].includes(error.status ?? 0);
				if (!isRefused || cursor !== undefined) throw error;
				limit = undefined;
				return await this.page(what, {}, options).catch(() => Promise.reject(error));
			});
		return walk(what, read, wanted);
	}

	/** Reads one page of a collection. */
	async page<Thing>(
		{ path, thing, schema, list = z.array(schema) }: Collection<Thing>,
		query: PageQuery,
		options?: RequestOptions,
	): Promise<Page<Thing>> {
		const response = await this.at(path, { method: 'GET', query }, options);
		return readList(list, response, `${thing}s`, thing !== 'record');
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

	/** Deletes a thing. One that is missing after an unclear try counts as deleted. */
	async remove(what: Collection<unknown>, id: PathValue, options?: RequestOptions): Promise<void> {
		await this.delete(pathOf(what, id), ({ mayHaveHappened }) => mayHaveHappened, options);
	}

	/** Creates a webhook subscription. `date` is the service's time, in ms since the epoch. */
	async subscribe(
		body: { target_url: string; events: string[]; card_id?: string },
		options?: RequestOptions,
	): Promise<{ id: string; secret: string; date: number | undefined }> {
		const request = { method: 'POST', body, thing: 'subscription' } as const;
		const response = await this.at('webhooks', request, options);
		return { ...readSingle(subscription, response, 'webhook'), date: dateIn(response.headers) };
	}

	/** Deletes a webhook subscription. One that is missing counts as deleted. */
	async unsubscribe(webhookId: string, options?: RequestOptions): Promise<void> {
		const path = `webhooks/${pathSegment(webhookId, 'Subscription')}`;
		await this.delete(path, () => true, options);
	}

	/** Reads the service's time, in ms since the epoch; undefined if it doesn't say. */
	async time(cardId: PathValue | undefined, options?: RequestOptions): Promise<number | undefined> {
		// The smallest responses in the interface.
		const path = cardId === undefined ? cards.path : below(cardId, 'records');
		const query = cardId === undefined ? {} : { limit: 1 };
		const { headers } = await this.at(path, { method: 'GET', query }, options);
		return dateIn(headers);
	}

	/** Reads the service's OpenAPI description; YAML as `{ yaml }`. */
	async description(format: 'json' | 'yaml', options?: RequestOptions): Promise<JsonObject> {
		const url = `${this.baseUrl}/openapi.${format}`;
		const response = await this.send({ method: 'GET', url }, options);
		if (format === 'yaml' && !/^\s*</.test(response.text)) return { yaml: response.text };
		return readAs(jsonObject, response, 'body');
	}

	/** @param isDone tells what a 404 means */
	private async delete(
		path: string,
		isDone: (missing: RequestError) => boolean,
		options?: RequestOptions,
	): Promise<void> {
		await this.at(path, { method: 'DELETE' }, options).catch((error: unknown) => {
			if (!(error instanceof RequestError && error.status === 404 && isDone(error))) throw error;
		});
	}

	private async at(
		path: string,
		request: Omit<ApiRequest, 'url'>,
		options?: RequestOptions,
	): Promise<ApiResponse> {
		return await this.send({ ...request, url: `${this.address}/${path}` }, options);
	}
}

/** Reads the thing in the response to its change; undefined if it has no body. */
const shown = <Thing>(
	{ schema, thing }: Collection<Thing>,
	response: ApiResponse,
): Thing | undefined =>
	bodyOf(response) === undefined ? undefined : readSingle(schema, response, thing);

/** Reads page after page. Requests the next one while the caller works on one. */
async function* walk<Thing>(
	{ thing }: Collection<Thing>,
	read: (cursor?: string) => Promise<Page<Thing>>,
	wanted = Infinity,
): AsyncGenerator<Thing[]> {
	const seen = new Set<string>();
	let next: Promise<Page<Thing>> | undefined = read();
	try {
		for (let left = wanted; next; ) {
			const { things, nextCursor } = await next;
			left -= things.length;
			next = undefined;
			if (nextCursor !== null && left > 0) {
				if (seen.has(nextCursor)) {
					throw new RequestError(
						`The service's list of ${thing}s doesn't end: 'next_cursor' is ${quote(nextCursor)} again`,
						{ advice: 'Nothing was done with it. Tell the operator of the service.' },
					);
				}
				seen.add(nextCursor);
				next = read(nextCursor);
				next.catch(() => {});
			}
			yield things;
		}
	} finally {
		// A request under way would listen to the execution's signal after its end.
		await next?.catch(() => {});
	}
}
