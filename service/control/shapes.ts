import type { FastifyReply } from 'fastify';
import type { Variants } from './variants.ts';

type Name = 'card' | 'field' | 'record' | 'webhook';
type Change = 'create' | 'update' | 'delete';

/** Writes answers in the shapes that the variants ask for. */
export interface Answers {
	/** A single object; `change` says what was done with it, nothing where it was only read. */
	object(reply: FastifyReply, name: Name, value: object, change?: Change): FastifyReply;
	/** A whole list. */
	list(reply: FastifyReply, name: 'cards' | 'fields', values: object[]): FastifyReply;
	/** One page of records; this shape is given by the interface. */
	page(reply: FastifyReply, records: object[], nextCursor: string | null): FastifyReply;
	/** A new subscription with its secret. */
	subscription(reply: FastifyReply, value: object, secret: string): FastifyReply;
}

/** Makes the writer; it follows later changes of `variants`. */
export function createAnswers(variants: Variants): Answers {
	const decorate = (value: object) =>
		variants.extraProperties
			? { ...value, _links: { self: null }, x_revision: 7, x_labels: ['extra'] }
			: value;

	const wrap = (name: Name, value: object) => {
		if (variants.objects === 'bare') return value;
		return { [variants.objects === 'data' ? 'data' : name]: value };
	};

	const statusOf = (change: Change | undefined) => {
		if (change === undefined) return 200;
		return variants[`${change}Status`];
	};

	const send = (reply: FastifyReply, status: number, body: object) =>
		status === 204 ? reply.code(204).send() : reply.code(status).send(body);

	return {
		object: (reply, name, value, change) =>
			send(reply, statusOf(change), wrap(name, decorate(value))),
		list(reply, name, values) {
			const decorated = values.map(decorate);
			if (variants.lists === 'bare') return reply.send(decorated);
			const key = variants.lists === 'named' ? name : variants.lists;
			return reply.send({ [key]: decorated });
		},
		page: (reply, records, nextCursor) =>
			reply.send(decorate({ records: records.map(decorate), next_cursor: nextCursor })),
		subscription(reply, value, secret) {
			const { createStatus } = variants;
			if (variants.webhookSecret === 'wrapped') {
				const key = variants.objects === 'data' ? 'data' : 'webhook';
				return send(reply, createStatus, { [key]: decorate({ ...value, secret }) });
			}
			return send(reply, createStatus, { ...wrap('webhook', decorate(value)), secret });
		},
	};
}
