/** Rewrites requests, responses and events as the variants say: the service itself knows one shape. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DomainEvent } from '../foundation/events.ts';
import { pageSize } from '../foundation/settings.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import { problem } from '../foundation/problem.ts';
import type { Ids } from '../routes/endpoint.ts';
import type { ControlContext } from './context.ts';
import { shapeRate } from './rateAnswer.ts';
import {
	decorated,
	type Json,
	type Noun,
	sentBytes,
	shownList,
	shownObject,
	takenBody,
	withNulls,
	wrapped,
	wrappedSubscription,
} from './shapes.ts';

const paramsOf = (request: FastifyRequest) => request.params as Ids;

/** The operation of the API that a request is for; undefined for anything else. */
const operationOf = (request: FastifyRequest) => request.routeOptions.config.operation;

/** Rewrites what comes in and goes out. */
export class Responses {
	readonly #context: ControlContext;
	/** The pages that requests ask for. */
	readonly #askedPages = new WeakMap<FastifyRequest, number>();

	constructor(context: ControlContext) {
		this.#context = context;
	}

	/** Takes a request as the variants say. */
	takeRequest(request: FastifyRequest): void {
		const { variants } = this.#context.state;
		const operation = operationOf(request);
		if (operation) request.body = takenBody(request.body, variants);
		const query = request.query as { limit?: string; page?: string };
		const { limit = '', page } = query;
		if (variants.listPages === 'pages' && page !== undefined) {
			this.#askedPages.set(request, Number(page));
			// No endpoint knows it.
			delete query.page;
		}
		const { limitAboveTen, limitAboveMaximum } = variants;
		if (operation?.noun === 'record' && Number(limit) > 10 && limitAboveTen !== 200) {
			const refused = problem('invalid-limit', 'limit must be at most 10.');
			refused.problem.status = limitAboveTen;
			throw refused;
		}
		const isAbove = /^\d{1,9}$/.test(limit) && Number(limit) > pageSize.maximum;
		if (limitAboveMaximum === 'clamp' && isAbove) query.limit = String(pageSize.maximum);
	}

	/** A successful response in the shape of the variants. */
	shape(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
		const operation = operationOf(request);
		if (!operation || typeof payload !== 'object' || payload === null) return payload;
		const { variants } = this.#context.state;
		const { verb, noun } = operation;
		if (verb === 'list') return this.#list(request, noun, payload as Json);
		if (verb === 'create') void reply.code(variants.createStatus);
		if (verb === 'update') void reply.code(variants.updateStatus);
		if (verb === 'create' && noun === 'webhook') {
			const { secret, ...rest } = payload as Json;
			return wrappedSubscription(this.#shown(noun, request, rest), secret, variants);
		}
		if (noun === 'record' && variants.changedRecords === 'id') {
			return wrapped(noun, { id: (payload as Json).id }, variants);
		}
		return wrapped(noun, this.#shown(noun, request, payload as Json), variants);
	}

	/** The bytes of a response: without a body if the variants say so, with the ID of what was deleted. */
	send(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
		const { variants, rateAnswer } = this.#context.state;
		const operation = operationOf(request);
		if (reply.statusCode === 204) {
			if (operation?.verb !== 'delete' || variants.deleteStatus === 204) {
				void reply.removeHeader('content-type').removeHeader('content-length');
				return null;
			}
			void reply.code(200).type('application/json; charset=utf-8');
			const id = Object.values(paramsOf(request)).at(-1);
			return JSON.stringify(wrapped(operation.noun, { id }, variants));
		}
		const shaped = shapeRate(reply, payload, rateAnswer);
		if (!operation || typeof shaped !== 'string') return shaped;
		const isNested = variants.problems === 'nested' && reply.statusCode >= 400;
		const json = isNested ? `{"error":${shaped}}` : shaped;
		const { body, type } = sentBytes(json, String(reply.getHeader('content-type')), variants);
		void reply.removeHeader('content-length').header('content-type', type);
		return body;
	}

	/** An event in the shape of the variants. */
	event(event: DomainEvent): DomainEvent {
		const { data, state } = this.#context;
		const { record_id: id, data: values } = event.details;
		if (typeof id !== 'string') return event;
		const isUpdate = event.event === 'record.updated';
		if (isUpdate && state.variants.updatedEventData === 'changed') return event;
		const { workspaceId, cardId } = event;
		const whole = isUpdate ? data.records.get(workspaceId, cardId, id).data : (values as Json);
		const shown = withNulls(whole, state.variants, data.fields.of(cardId));
		return { ...event, details: { ...event.details, data: shown } };
	}

	#shown(noun: Noun, request: FastifyRequest, value: Json): Json {
		const { state, data } = this.#context;
		return shownObject(noun, value, state.variants, data.fields.of(paramsOf(request).cid ?? ''));
	}

	#list(request: FastifyRequest, noun: Noun, payload: Json): unknown {
		const { variants } = this.#context.state;
		const show = (value: Json) => this.#shown(noun, request, value);
		const values = payload[`${noun}s`] as Json[];
		if (noun === 'record') {
			const { records, next_cursor } = this.#page(request, values, payload.next_cursor);
			return decorated({ records: records.map(show), next_cursor }, variants);
		}
		return shownList(noun, values.map(show), this.#askedPages.get(request) ?? 1, variants);
	}

	/** A page of records, also as a broken service would return it. */
	#page(request: FastifyRequest, records: Json[], next_cursor: unknown) {
		const { data, state } = this.#context;
		const { paging } = state;
		const { wid, cid } = paramsOf(request);
		const { cursor } = request.query as { cursor?: string };
		const last = records.at(-1);
		if (paging.mode === 'repeatCursor') {
			const again = last ? encodeCursor(cid, String(last.id)) : null;
			return { records, next_cursor: cursor ?? again };
		}
		if (paging.mode === 'endless') {
			return { records, next_cursor: next_cursor ?? encodeCursor(cid, '') };
		}
		if (paging.mode === 'normal' || cursor === undefined || paging.times === 0) {
			return { records, next_cursor };
		}
		// Shifting: the first record is the last one of the page before.
		paging.times -= 1;
		const before = { ...data.records.get(wid, cid, decodeCursor(cid, cursor)) };
		return { records: [before, ...records.slice(1)], next_cursor };
	}
}
