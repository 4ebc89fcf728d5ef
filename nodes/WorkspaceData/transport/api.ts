/** The service as everything else sees it: its things, paths and schemas are here and nowhere else. */
import type { IAllExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod/v3';
import type { JsonObject } from '../values/json';
import { quote } from '../values/messageText';
import { systemClock, type Clock } from './clock';
import { pathSegment, readCredential } from './credential';
import { mayHaveHappened, RequestError, type ThingName } from './errors';
import {
	bodyOf,
	dateIn,
	readAs,
	readList,
	readSingle,
	type ApiResponse,
	type Page,
} from './response';
import {
	card,
	field,
	jsonObject,
	record,
	records,
	subscription,
	type Card,
	type Field,
	type Schema,
	type DataRecord,
} from './schemas';
import { Sender, type ApiRequest, type PageQuery, type RequestOptions } from './send';

export { AT_ONCE } from './limiter';
export type { Card, DataRecord, Field, PageQuery, RequestOptions };

/** The maximum page size that is requested; larger pages save little and block the event loop. */
const MAX_PAGE_SIZE = 1_000;

/** A collection of things. */
interface Collection<Thing> {
	thing: ThingName;
	/** The path below the workspace. */
	path: string;
	schema: Schema<Thing>;
	/** The schema of a whole list, if it has one of its own. */
	list?: Schema<Thing[]>;
}

export const cards: Collection<Card> = { thing: 'card', path: 'cards', schema: card };

const below = (cardId: string, name: string): string =>
	`cards/${pathSegment(cardId, 'Card')}/${name}`;

/** The fields of a card. @throws InputError for an ID that can't be part of a path */
export const fieldsOf = (cardId: string): Collection<Field> => ({
	thing: 'field',
	path: below(cardId, 'fields'),
	schema: field,
});

/** The records of a card. @throws InputError for an ID that can't be part of a path */
export const recordsOf = (cardId: string): Collection<DataRecord> => ({
	thing: 'record',
	path: below(cardId, 'records'),
	schema: record,
	list: records,
});

/** The labels of identifiers in the editor. */
const LABELS = { card: 'Card', field: 'Field', record: 'Record' } as const;

const pathOf = ({ path, thing }: Collection<unknown>, id: string): string =>
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
	return new Api(context, await readCredential(context, authentication), clock);
}

/** The service for one credential, during one execution. */
export class Api extends Sender {
	/** Identifies the workspace in this process. */
	readonly address = `${this.access.baseUrl}/workspaces/${pathSegment(this.access.workspaceId, 'Workspace ID')}`;

	/** Reads all things of a collection. @throws RequestError also if a cursor comes again */
	async list<Thing>(what: Collection<Thing>, options?: RequestOptions): Promise<Thing[]> {
		const all: Thing[] = [];
		for await (const things of this.walk(what, Infinity, {}, options))
			for (const one of things) all.push(one);
		return all;
	}

	/**
	 * Reads the records of a card. The next page is requested while the caller works on one.
	 *
	 * @param wanted the maximum number of records to read; Infinity for all
	 * @throws RequestError also if a cursor comes again
	 */
	pages(cardId: string, wanted: number, options?: RequestOptions): AsyncGenerator<DataRecord[]> {
		const limit = Math.min(MAX_PAGE_SIZE, wanted);
		return this.walk(recordsOf(cardId), wanted, { limit }, options);
	}

	/** Reads one page of a collection. */
	async page<Thing>(
		what: Collection<Thing>,
		query: PageQuery,
		options?: RequestOptions,
	): Promise<Page<Thing>> {
		const { path, thing, schema, list = z.array(schema) } = what;
		const read = (response: ApiResponse) => readList(list, response, `${thing}s`);
		return await this.at(path, { method: 'GET', query, read }, options);
	}

	/** Reads one thing. */
	async get<Thing>(what: Collection<Thing>, id: string, options?: RequestOptions): Promise<Thing> {
		const read = (response: ApiResponse) => readSingle(what.schema, response, what.thing);
		return await this.at(pathOf(what, id), { method: 'GET', read }, options);
	}

	/** Creates a thing. @returns undefined if the response doesn't show it */
	async create<Thing>(
		what: Collection<Thing>,
		body: JsonObject,
		options?: RequestOptions,
	): Promise<Thing | undefined> {
		const { thing, path } = what;
		return await this.at(path, { method: 'POST', body, thing, read: shown(what) }, options);
	}

	/** Changes the members of a thing that the body names. @returns undefined if the response doesn't show it */
	async change<Thing>(
		what: Collection<Thing>,
		id: string,
		body: JsonObject,
		options?: RequestOptions,
	): Promise<Thing | undefined> {
		return await this.at(pathOf(what, id), { method: 'PATCH', body, read: shown(what) }, options);
	}

	/** Deletes a thing. One that is missing after an unclear try counts as deleted. */
	async remove(what: Collection<unknown>, id: string, options?: RequestOptions): Promise<void> {
		await this.at(pathOf(what, id), DELETION, options).catch((error: unknown) => {
			if (!(isMissing(error) && mayHaveHappened(error))) throw error;
		});
	}

	/** Creates a webhook subscription. `date` is the service's time, in ms since the epoch. */
	async subscribe(
		body: { target_url: string; events: string[]; card_id?: string },
		options?: RequestOptions,
	): Promise<{ id: string; secret: string; date: number | undefined }> {
		const read = (response: ApiResponse) => ({
			...readSingle(subscription, response, 'webhook'),
			date: dateIn(response.headers),
		});
		const request = { method: 'POST', body, thing: 'subscription', read } as const;
		return await this.at('webhooks', request, options);
	}

	/** Deletes a webhook subscription. One that is missing counts as deleted. */
	async unsubscribe(webhookId: string, options?: RequestOptions): Promise<void> {
		const path = `webhooks/${pathSegment(webhookId, 'Subscription')}`;
		await this.at(path, DELETION, options).catch((error: unknown) => {
			if (!isMissing(error)) throw error;
		});
	}

	/** Reads the service's time, in ms since the epoch; undefined if it doesn't say. */
	async time(options?: RequestOptions): Promise<number | undefined> {
		const read = ({ headers }: ApiResponse) => dateIn(headers);
		return await this.at(cards.path, { method: 'GET', read }, options);
	}

	/** Reads the service's OpenAPI description; YAML as `{ yaml }`. */
	async description(format: 'json' | 'yaml', options?: RequestOptions): Promise<JsonObject> {
		const url = `${this.access.baseUrl}/openapi.${format}`;
		const read = (response: ApiResponse) =>
			format === 'yaml' && !/^\s*</.test(response.text)
				? { yaml: response.text }
				: readAs(jsonObject, response, 'body');
		return await this.send({ method: 'GET', url, read }, options);
	}

	private async at<Result>(
		path: string,
		request: Omit<ApiRequest<Result>, 'url'>,
		options?: RequestOptions,
	): Promise<Result> {
		return await this.send({ ...request, url: `${this.address}/${path}` }, options);
	}

	/**
	 * Reads page after page. Requests the next one while the caller works on one. If the first one is refused, once more
	 * without the limit.
	 */
	private async *walk<Thing>(
		what: Collection<Thing>,
		wanted: number,
		{ limit }: PageQuery,
		options?: RequestOptions,
	): AsyncGenerator<Thing[]> {
		const seen = new Set<string>();
		const first = this.page(what, { limit }, options).catch(async (error: unknown) => {
			const isRefused = error instanceof RequestError && [400, 422].includes(error.status ?? 0);
			if (!isRefused || limit === undefined) throw error;
			limit = undefined;
			return await this.page(what, {}, options).catch(() => Promise.reject(error));
		});
		let next: Promise<Page<Thing>> | undefined = first;
		try {
			for (let left = wanted; next; ) {
				const { things, nextCursor: cursor }: Page<Thing> = await next;
				left -= things.length;
				next = undefined;
				if (cursor !== null && left > 0) {
					if (seen.has(cursor)) throw endless(what, cursor);
					seen.add(cursor);
					next = this.page(what, { limit, cursor }, options);
					next.catch(() => {});
				}
				yield things;
			}
		} finally {
			// A request under way would listen to the execution's signal after its end.
			await next?.catch(() => {});
		}
	}
}

const DELETION: Omit<ApiRequest<void>, 'url'> = {
	method: 'DELETE',
	read: (response) => void bodyOf(response),
};

const isMissing = (error: unknown): boolean =>
	error instanceof RequestError && error.status === 404;

/** Reads the thing in the response to its change; undefined if it has no body. */
const shown =
	<Thing>({ schema, thing }: Collection<Thing>) =>
	(response: ApiResponse): Thing | undefined =>
		bodyOf(response) === undefined ? undefined : readSingle(schema, response, thing);

const endless = ({ thing }: Collection<unknown>, cursor: string): RequestError =>
	new RequestError(
		`The service's list of ${thing}s doesn't end: 'next_cursor' is ${quote(cursor)} again`,
		{ advice: 'Tell the operator of the service.' },
	);
