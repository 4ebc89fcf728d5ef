import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { z } from 'zod';
import type { DeliveredEvent } from '../model/event';
import { indexFields, type FieldIndex } from '../model/fieldResolution';
import type { DataRecord } from '../model/record';
import { parseTime } from '../model/time';
import { openApi, type WorkspaceApi } from '../transport/api';
import { listCards, listFields, openRecordListing } from '../transport/listings';
import { loadSubscriptions } from './keptSubscriptions';
import { inTurn, memoryOf } from './memory';
import { simplified } from './output';
import { watchedCard, type TriggerSettings } from './settings';
import { reasonOf } from './warning';

/** How many created records n8n remembers for a node. Every event reads and writes all of them. */
const REMEMBERED = 2_000;

/** By the service's clock, in ms since the epoch; the end belongs to it. */
interface TimeSpan {
	after: number;
	upTo: number;
}

/** The item that starts an execution which looks for missed records. */
export const catchUpOrder = ({ after, upTo }: TimeSpan): IDataObject => ({
	event: 'catch_up',
	from: new Date(after).toISOString(),
	to: new Date(upTo).toISOString(),
});

const time = z.string().transform((text) => Date.parse(text));
const orderSchema = z
	.object({ event: z.literal('catch_up'), from: time, to: time })
	.transform(({ from, to }): TimeSpan => ({ after: from, upTo: to }));

/** The time in such an item; undefined for another one. */
export const readCatchUpOrder = (json: unknown): TimeSpan | undefined =>
	orderSchema.safeParse(json).data;

/** A record that was created in the time in question. */
interface Candidate {
	cardId: string;
	record: DataRecord;
	createdAt: number;
}

/** Under which name a created record is remembered. */
const recordKey = (cardId: unknown, recordId: unknown): string =>
	JSON.stringify([String(cardId), String(recordId)]);

/** Those that n8n did not know before; it knows them from now on. */
async function unknownKeys(
	context: IExecuteFunctions,
	keys: readonly string[],
): Promise<Set<string>> {
	// n8n reads, adds and writes without a lock.
	const found = await inTurn(
		memoryOf(context),
		async () =>
			await context.helpers.checkProcessedAndRecord([...keys], 'node', {
				mode: 'entries',
				maxEntries: REMEMBERED,
			}),
	);
	return new Set(found.new.map(String));
}

/**
 * Leaves out created records that the workflow has had, by catching up or by a delivery.
 * What n8n cannot look up is passed on: better twice than never.
 */
export async function withoutKnown(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const keys = items.map(({ json }) =>
		json.event === 'record.created' && json.record_id !== undefined
			? recordKey(json.card_id, json.record_id)
			: undefined,
	);
	const known = keys.filter((key) => key !== undefined);
	if (known.length === 0) return items;
	const fresh = await unknownKeys(context, known).catch((error: unknown) => {
		context.logger.warn(`Created records could not be remembered: ${reasonOf(error)}`);
		return new Set(known);
	});
	return items.filter((_, index) => {
		const key = keys[index];
		return key === undefined || fresh.has(key);
	});
}

async function* createdIn(
	api: WorkspaceApi,
	cardId: string,
	{ after, upTo }: TimeSpan,
): AsyncGenerator<Candidate> {
	for await (const record of openRecordListing(api, cardId, Infinity)) {
		const createdAt = parseTime(record.createdAt);
		if (createdAt === undefined || createdAt <= after || createdAt > upTo) continue;
		yield { cardId, record, createdAt };
	}
}

/** Candidates of all watched cards, in the order of their creation. */
async function findCandidates(
	api: WorkspaceApi,
	cardId: string | null,
	span: TimeSpan,
): Promise<Candidate[]> {
	const cardIds = cardId === null ? (await listCards(api)).map(({ id }) => id) : [cardId];
	const candidates: Candidate[] = [];
	for (const id of cardIds) {
		for await (const candidate of createdIn(api, id, span)) candidates.push(candidate);
	}
	const order = (a: Candidate, b: Candidate) =>
		a.createdAt - b.createdAt || (a.record.id < b.record.id ? -1 : 1);
	return candidates.sort(order);
}

/**
 * Those that were missed. What is remembered was not; nor was what is so much older than the last one
 * remembered that it has been forgotten.
 *
 * @param isUnknown whether n8n does not remember it
 */
export function missed<T>(candidates: readonly T[], isUnknown: (candidate: T) => boolean): T[] {
	const unknown = candidates.map(isUnknown);
	const lastKnown = unknown.lastIndexOf(false);
	const oldest = lastKnown - REMEMBERED;
	return candidates.filter((_, index) => unknown[index] && (lastKnown < 0 || index > oldest));
}

function toEvent({ cardId, record, createdAt }: Candidate, workspaceId: string): DeliveredEvent {
	const { id, data } = record;
	const body = {
		event: 'record.created',
		timestamp: record.createdAt,
		workspace_id: workspaceId,
		card_id: cardId,
		record_id: id,
		data,
		caught_up: true,
	};
	return {
		event: body.event,
		happenedAt: createdAt,
		workspaceId,
		cardId,
		recordId: id,
		data,
		body,
		key: createHash('sha256').update(recordKey(cardId, id)).digest('hex'),
	};
}

/** The records that were missed, as items. @throws what reading the cards throws */
export async function catchUp(
	context: IExecuteFunctions,
	settings: TriggerSettings,
	span: TimeSpan,
): Promise<INodeExecutionData[]> {
	const api = await openApi(context, settings.authentication);
	// As subscribed: a card that was chosen by name may have another one by now.
	const { current } = loadSubscriptions(context);
	const watched = current ? current.cardId : await watchedCard(settings, api);
	const candidates = await findCandidates(api, watched, span);
	if (candidates.length === 0) return [];
	const keyOf = ({ cardId, record }: Candidate) => recordKey(cardId, record.id);
	const fresh = await unknownKeys(context, candidates.map(keyOf));
	const oldest = Date.now() + (current?.clockAheadMs ?? 0) - settings.maxEventAgeMs;
	const wanted = missed(candidates, (one) => fresh.has(keyOf(one))).filter(
		({ createdAt }) => createdAt >= oldest,
	);

	const indexes = new Map<string, FieldIndex | undefined>();
	const isNamed = settings.simple && settings.fieldKeys === 'name';
	for (const cardId of isNamed ? new Set(wanted.map((one) => one.cardId)) : []) {
		const fields = await listFields(api, cardId).catch(() => undefined);
		indexes.set(cardId, fields && indexFields(fields, cardId));
	}
	return wanted.map((one) => {
		const event = toEvent(one, api.workspaceId);
		const json = settings.simple ? simplified(event, indexes.get(one.cardId)) : event.body;
		return { json: json as IDataObject };
	});
}
