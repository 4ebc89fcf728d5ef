import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DomainEvent } from '../foundation/events.ts';
import { pageSize } from '../foundation/settings.ts';
import type { HookContext } from './state.ts';

/** The purpose of a request: the two parts of its operation id in the description. */
export interface Operation {
	verb: 'list' | 'get' | 'create' | 'update' | 'delete';
	noun: 'card' | 'field' | 'record' | 'webhook';
}

/** The operation of the API that a request is for, or undefined for anything else. */
export function operationOf(request: FastifyRequest): Operation | undefined {
	const { schema } = request.routeOptions as { schema?: { operationId?: string } };
	const match = /^(list|get|create|update|delete)(Card|Field|Record|Webhook)s?$/.exec(
		schema?.operationId ?? '',
	);
	if (!match) return undefined;
	return {
		verb: match[1] as Operation['verb'],
		noun: match[2]?.toLowerCase() as Operation['noun'],
	};
}

interface Params {
	wid: string;
	cid: string;
	fid: string;
	rid: string;
	webhook_id: string;
}
type Shown = Record<string, unknown>;

/**
 * Rewrites requests, answers and events into the shapes that the variants ask for. The service itself
 * knows one shape only.
 */
export function createShapes(context: HookContext) {
	const { state, store, data, cursors } = context;
	/** The object that a DELETE is about to remove, for variants that answer with it. */
	const removed = new WeakMap<FastifyRequest, Shown>();
	const paramsOf = (request: FastifyRequest) => request.params as Params;

	const decorate = (value: Shown): Shown =>
		state.variants.extraProperties
			? { ...value, _links: { self: null }, x_revision: 7, x_labels: ['extra'] }
			: value;

	/** Data of a record with null for each of its card's fields that has no value. */
	const withNulls = (cardId: string, values: Shown): Shown => {
		if (state.variants.clearedFields === 'absent') return values;
		const fields = store.fields.of(cardId).list;
		return Object.fromEntries(fields.map(({ id }) => [id, values[id] ?? null]));
	};

	const field = (cardId: string, shown: Shown): Shown => {
		const { fieldOptions, fieldIdKey } = state.variants;
		const { id, options, ...rest } = shown;
		const known = store.fields.of(cardId).byId.get(String(id))?.options ?? [];
		const names = options as string[];
		return {
			[fieldIdKey]: id,
			...rest,
			options: names.map((name) => {
				if (fieldOptions === 'strings') return name;
				if (fieldOptions === 'valueLabel') return { value: name, label: name };
				return { id: known.find((option) => option.name === name)?.id, name };
			}),
		};
	};

	/** One object of the API in its shape, not yet wrapped. */
	const one = (noun: Operation['noun'], { cid }: Params, shown: Shown): Shown => {
		if (noun === 'record') {
			return decorate({ ...shown, data: withNulls(cid, shown.data as Shown) });
		}
		if (noun === 'field') return decorate(field(cid, shown));
		if (noun === 'webhook') {
			const { webhook_id: id, ...rest } = shown;
			return decorate({ [state.variants.webhookIdKey]: id, ...rest });
		}
		return decorate(shown);
	};

	const wrap = (name: string, value: Shown) => {
		const { objects } = state.variants;
		return objects === 'bare' ? value : { [objects === 'data' ? 'data' : name]: value };
	};

	/** A new subscription: its secret next to the object or in it. */
	const subscription = (params: Params, shown: Shown): Shown => {
		const { secret, ...rest } = shown;
		const { objects, webhookSecret } = state.variants;
		const made = one('webhook', params, rest);
		if (webhookSecret === 'top') return { ...wrap('webhook', made), secret };
		return { [objects === 'data' ? 'data' : 'webhook']: { ...made, secret } };
	};

	const nextCursor = (
		request: FastifyRequest,
		page: { records: Shown[]; next_cursor: unknown },
	) => {
		const { cid } = paramsOf(request);
		const { cursor } = request.query as { cursor?: string };
		const last = page.records.at(-1);
		if (state.paging === 'repeatCursor') {
			return cursor ?? (last ? cursors.encode(cid, String(last.id)) : null);
		}
		if (state.paging === 'endless') return page.next_cursor ?? cursors.encode(cid, '');
		return page.next_cursor;
	};

	const list = (request: FastifyRequest, noun: Operation['noun'], payload: Shown): unknown => {
		const values = payload[`${noun}s`] as Shown[];
		const shown = values.map((value) => one(noun, paramsOf(request), value));
		if (noun === 'record') {
			const next = nextCursor(request, { records: values, next_cursor: payload.next_cursor });
			return decorate({ records: shown, next_cursor: next });
		}
		const { lists } = state.variants;
		if (lists === 'bare') return shown;
		return { [lists === 'named' ? `${noun}s` : lists]: shown };
	};

	/** X-RateLimit-Reset and a refusal as another service would send them. */
	const rate = (reply: FastifyReply, payload: unknown): unknown => {
		const { status, retryAfter, reset, headers } = state.rateAnswer;
		if (!headers) {
			for (const name of ['limit', 'remaining', 'reset']) {
				void reply.removeHeader(`x-ratelimit-${name}`);
			}
		}
		const seconds = Number(reply.getHeader('x-ratelimit-reset'));
		const value = {
			seconds,
			milliseconds: seconds * 1000,
			past: seconds - 86_400,
			far: seconds + 365 * 86_400,
			missing: undefined,
		}[reset];
		if (value === undefined) void reply.removeHeader('x-ratelimit-reset');
		else if (reply.hasHeader('x-ratelimit-reset')) {
			void reply.header('x-ratelimit-reset', String(value));
		}
		if (reply.statusCode !== 429 || typeof payload !== 'string') return payload;
		if (!retryAfter) void reply.removeHeader('retry-after');
		void reply.code(status).removeHeader('content-length');
		return JSON.stringify({ ...(JSON.parse(payload) as Shown), status });
	};

	return {
		/** Takes a limit above the maximum as the maximum, where the variants say so. */
		request(request: FastifyRequest) {
			const query = request.query as { limit?: string };
			const above = /^\d{1,9}$/.test(query.limit ?? '') && Number(query.limit) > pageSize.maximum;
			if (state.variants.limitAboveMaximum === 'clamp' && above) {
				query.limit = String(pageSize.maximum);
			}
		},
		/** Remembers what a DELETE removes, where the answer is to have it. */
		beforeDelete(request: FastifyRequest) {
			const operation = operationOf(request);
			if (operation?.verb !== 'delete' || state.variants.deleteStatus === 204) return;
			const { wid, cid, fid, rid, webhook_id: id } = paramsOf(request);
			const find = {
				card: () => ({ ...data.cards.get(wid, cid) }),
				field: () => {
					const { id: fieldId, name, type, options } = data.fields.get(wid, cid, fid);
					return { id: fieldId, name, type, options: options.map((option) => option.name) };
				},
				record: () => ({ ...data.records.get(wid, cid, rid) }),
				webhook: () => {
					const {
						id: webhook,
						targetUrl,
						events,
						cardId,
						state: is,
						createdAt,
					} = data.subscriptions.get(wid, id);
					return {
						webhook_id: webhook,
						target_url: targetUrl,
						events,
						card_id: cardId,
						state: is,
						created_at: createdAt,
					};
				},
			}[operation.noun];
			removed.set(request, one(operation.noun, paramsOf(request), find()));
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
			return rate(reply, payload);
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
