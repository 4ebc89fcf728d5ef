/** Rewrites requests, answers and events into the shapes that the variants ask for: the service itself knows one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DomainEvent } from '../foundation/events.ts';
import { pageSize } from '../foundation/settings.ts';
import { showSubscription } from '../routes/webhooks.ts';
import { createObjectShapes, type Params, type Shown } from './objectShapes.ts';
import { type Operation, operationOf } from './operations.ts';
import { problem } from '../http/problem.ts';
import { pageOfList, sentBytes, takenBody } from './oddities.ts';
import { shapeRate } from './rateAnswer.ts';
import type { HookContext } from './state.ts';

/** What is about to be deleted, as the API shows it. */
function findDeleted({ data }: HookContext, noun: Operation['noun'], params: Params): Shown {
	const { wid, cid, fid, rid, webhook_id: id } = params;
	switch (noun) {
		case 'card':
			return { ...data.cards.get(wid, cid) };
		case 'record':
			return { ...data.records.get(wid, cid, rid) };
		case 'field': {
			const { id: fieldId, name, type, options } = data.fields.get(wid, cid, fid);
			return { id: fieldId, name, type, options: options.map((option) => option.name) };
		}
		case 'webhook':
			return showSubscription(data.subscriptions.get(wid, id));
	}
}

/** The cursor of a page, also as a broken service would give it. */
function nextCursor(
	{ state, cursors }: HookContext,
	request: FastifyRequest,
	page: Shown,
): unknown {
	const { cid } = request.params as Params;
	const { cursor } = request.query as { cursor?: string };
	const last = (page.records as Shown[]).at(-1);
	if (state.paging === 'repeatCursor') {
		return cursor ?? (last ? cursors.encode(cid, String(last.id)) : null);
	}
	if (state.paging === 'endless') return page.next_cursor ?? cursors.encode(cid, '');
	return page.next_cursor;
}

/** The pages that requests ask for. */
const askedPages = new WeakMap<FastifyRequest, number>();

/** Takes a request as the variants say: a limit above the maximum as the maximum, values in another spelling. */
function takeRequest({ variants }: HookContext['state'], request: FastifyRequest) {
	const operation = operationOf(request);
	if (operation) request.body = takenBody(request.body, variants);
	const query = request.query as { limit?: string; page?: string };
	const { limit = '', page } = query;
	const { limitAboveTen, limitAboveMaximum, listPages } = variants;
	if (listPages === 'pages' && page !== undefined) {
		askedPages.set(request, Number(page));
		// No endpoint knows it.
		delete query.page;
	}
	if (operation?.noun === 'record' && Number(limit) > 10 && limitAboveTen !== 200) {
		const refused = problem('invalid-limit', 'limit must be at most 10.');
		refused.problem.status = limitAboveTen;
		throw refused;
	}
	const isAbove = /^\d{1,9}$/.test(limit) && Number(limit) > pageSize.maximum;
	if (limitAboveMaximum === 'clamp' && isAbove) query.limit = String(pageSize.maximum);
}

/** The bytes of an answer in the charset and nesting of the variants. */
function encode(reply: FastifyReply, shaped: string, variants: HookContext['state']['variants']) {
	const isNested = variants.problems === 'nested' && reply.statusCode >= 400;
	const json = isNested ? `{"error":${shaped}}` : shaped;
	const { body, type } = sentBytes(json, String(reply.getHeader('content-type')), variants);
	void reply.removeHeader('content-length').header('content-type', type);
	return body;
}

/** Gives the shapes, as they are at the time of each call. */
export function createShapes(context: HookContext) {
	const { state, data, cursors } = context;
	const { decorate, withNulls, one, wrap, subscription } = createObjectShapes(context);
	/** The object that a DELETE is about to remove, for variants that answer with it. */
	const removed = new WeakMap<FastifyRequest, Shown>();
	const paramsOf = (request: FastifyRequest) => request.params as Params;

	/** The records of a page; shifted, the first one is the last one of the page before. */
	const recordsOf = (request: FastifyRequest, records: Shown[]): Shown[] => {
		const { wid, cid } = paramsOf(request);
		const { cursor } = request.query as { cursor?: string };
		if (state.paging !== 'shifting' || cursor === undefined || state.shifts === 0) return records;
		state.shifts -= 1;
		return [{ ...data.records.get(wid, cid, cursors.decode(cid, cursor)) }, ...records.slice(1)];
	};

	const list = (request: FastifyRequest, noun: Operation['noun'], payload: Shown): unknown => {
		const values = payload[`${noun}s`] as Shown[];
		const params = paramsOf(request);
		if (noun === 'record') {
			const records = recordsOf(request, values).map((value) => one(noun, params, value));
			return decorate({ records, next_cursor: nextCursor(context, request, payload) });
		}
		const all = values.map((value) => one(noun, params, value));
		const { lists, listPages } = state.variants;
		if (listPages === 'pages') {
			const { shown, ...pages } = pageOfList(all, askedPages.get(request) ?? 1);
			return { [`${noun}s`]: shown, ...pages };
		}
		if (lists === 'bare') return all;
		return { [lists === 'named' ? `${noun}s` : lists]: all };
	};

	return {
		/** Takes a request as the variants say. */
		request(request: FastifyRequest) {
			takeRequest(state, request);
		},
		/** Remembers what a DELETE removes, where the answer is to have it. */
		beforeDelete(request: FastifyRequest) {
			const operation = operationOf(request);
			if (operation?.verb !== 'delete' || state.variants.deleteStatus === 204) return;
			const params = paramsOf(request);
			const found = findDeleted(context, operation.noun, params);
			removed.set(request, one(operation.noun, params, found));
		},
		/** A successful answer in the shape of the variants. */
		answer(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
			const operation = operationOf(request);
			if (!operation || typeof payload !== 'object' || payload === null) return payload;
			const { verb, noun } = operation;
			if (verb === 'list') return list(request, noun, payload as Shown);
			if (verb === 'create') void reply.code(state.variants.createStatus);
			if (verb === 'update') void reply.code(state.variants.updateStatus);
			if (verb === 'create' && noun === 'webhook') {
				return subscription(paramsOf(request), payload as Shown);
			}
			return wrap(noun, one(noun, paramsOf(request), payload as Shown));
		},
		/** The bytes of an answer: without a body where the variants say so, with what was deleted. */
		sent(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
			const shown = removed.get(request);
			if (shown && reply.statusCode === 204) {
				const { noun } = operationOf(request) ?? { noun: 'card' };
				void reply.code(200).type('application/json; charset=utf-8');
				return JSON.stringify(wrap(noun, shown));
			}
			if (reply.statusCode === 204) {
				void reply.removeHeader('content-type').removeHeader('content-length');
				return null;
			}
			const shaped = shapeRate(reply, payload, state.rateAnswer);
			if (!operationOf(request) || typeof shaped !== 'string') return shaped;
			return encode(reply, shaped, state.variants);
		},
		/** An event in the shape of the variants. */
		event(event: DomainEvent): DomainEvent {
			const { record_id: id, data: values } = event.details;
			if (typeof id !== 'string') return event;
			const updated = event.event === 'record.updated';
			if (updated && state.variants.updatedEventData === 'changed') return event;
			const whole = updated ? data.records.get(event.workspaceId, event.cardId, id).data : values;
			return {
				...event,
				details: { ...event.details, data: withNulls(event.cardId, whole as Shown) },
			};
		},
	};
}
