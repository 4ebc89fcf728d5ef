/** Calls about subscriptions and deliveries. */
import { z } from 'zod/v4';
import { sign } from '../../delivery/signature.ts';
import type { Subscription } from '../../data/subscriptions.ts';
import { runtimeSettingsSchema } from '../../foundation/settings.ts';
import type { ControlContext } from '../context.ts';
import { call, nothing } from './call.ts';

const limits = runtimeSettingsSchema.shape;

const emittedEvent = z.strictObject({
	/** Any name, also one that the interface does not have. */
	event: z.string(),
	cardId: z.string().optional(),
	recordId: z.string().optional(),
	data: z.unknown().optional(),
	/** ISO 8601; now where it is missing. */
	timestamp: z.string().optional(),
	workspaceId: z.string().optional(),
	/** Sent instead of the JSON of an event, to the byte. */
	body: z.string().optional(),
	/** `valid`, `wrong` (of another secret), `missing`, or the header's text. */
	signature: z.string().default('valid'),
});

const emission = z.strictObject({
	events: z.array(emittedEvent).min(1).max(1_000),
	/** To this subscription, active or paused; to all active ones where it is missing. */
	subscriptionId: z.string().optional(),
	order: z.enum(['given', 'reversed']).default('given'),
	/** How often all of it is sent. */
	times: z.int().min(1).max(1_000).default(1),
	/** All at the same time, so that they overtake each other. */
	atOnce: z.boolean().default(false),
});
type EmittedEvent = z.output<typeof emittedEvent>;

/** Sends events that the service never had, once each, past its queue. */
function createEmitter({ data, sender, settings, clock, workspaceId: own }: ControlContext) {
	const bodyOf = (event: EmittedEvent) =>
		event.body ??
		JSON.stringify({
			event: event.event,
			timestamp: event.timestamp ?? clock.iso(),
			workspace_id: event.workspaceId ?? own,
			card_id: event.cardId,
			record_id: event.recordId,
			data: event.data,
		});
	const signatureOf = ({ signature }: EmittedEvent, secret: string, body: Buffer) => {
		if (signature === 'missing') return null;
		if (signature === 'valid') return sign(secret, body);
		return signature === 'wrong' ? sign(`${secret}x`, body) : signature;
	};
	const send = async ({ id, targetUrl, secret }: Subscription, event: EmittedEvent) => {
		const body = Buffer.from(bodyOf(event));
		const { status, error } = await sender.post(
			{ url: targetUrl, body, signature: signatureOf(event, secret, body) },
			settings.deliveryTimeoutMs,
		);
		return { subscriptionId: id, event: event.event, status, error };
	};

	return async ({ events, subscriptionId, order, times, atOnce }: z.output<typeof emission>) => {
		const one = subscriptionId === undefined ? undefined : data.subscriptions.find(subscriptionId);
		if (subscriptionId !== undefined && !one) throw new Error('No such subscription.');
		const targets = one ? [one] : data.subscriptions.active(own);
		const inOrder = order === 'given' ? events : events.toReversed();
		const all = Array.from({ length: times }, () => inOrder)
			.flat()
			.flatMap((event) => targets.map((target) => () => send(target, event)));
		if (atOnce) return await Promise.all(all.map(async (sendOne) => await sendOne()));
		const results = [];
		for (const sendOne of all) results.push(await sendOne());
		return results;
	};
}

/** Makes the calls. */
export function deliveryCalls(context: ControlContext) {
	const { data, settings, dispatcher, workspaceId } = context;
	const { subscriptions, deliveries, mails } = data;

	return {
		/** Sets the time before the first retry of a delivery; retries that wait come forward. */
		setBackoff: call(z.strictObject({ ms: limits.backoffMs }), ({ ms }) => {
			settings.backoffMs = ms;
			dispatcher.bringForward(ms);
		}),
		/** Sets how many deliveries of one subscription run at a time; more than one gives the order up. */
		setParallelDeliveries: call(z.strictObject({ count: limits.parallelDeliveries }), (input) => {
			settings.parallelDeliveries = input.count;
		}),
		/** Sets how long a target may take to answer. */
		setDeliveryTimeout: call(z.strictObject({ ms: limits.deliveryTimeoutMs }), ({ ms }) => {
			settings.deliveryTimeoutMs = ms;
		}),
		/** All subscriptions of a workspace with their state; secrets are left out. */
		subscriptions: call(
			z.strictObject({ workspaceId: z.string().optional() }).optional(),
			(input) => subscriptions.list(input?.workspaceId ?? workspaceId),
		),
		/** Makes a paused subscription active again; what waits is delivered at once. */
		resumeSubscription: call(z.strictObject({ id: z.string() }), ({ id }) => {
			const resumed = subscriptions.resume(id);
			dispatcher.wake(id);
			return { resumed };
		}),
		/** Sends a delivery of the log once more: the same bytes, the same signature. */
		redeliver: call(z.strictObject({ id: z.int() }), ({ id }) => {
			const queued = deliveries.again(id);
			dispatcher.wakeAll();
			return { queued };
		}),
		/** Sends events of any form: forged, repeated, in another order. @returns how each was answered */
		emit: call(emission, createEmitter(context)),
		/** The delivery log with body, signature and all attempts, newest first. */
		deliveries: call(
			z
				.strictObject({
					subscriptionId: z.string().optional(),
					limit: z.int().min(1).default(1_000),
				})
				.prefault({}),
			({ subscriptionId, limit }) =>
				deliveries.log({ subscriptionId }, limit).map((delivery) => {
					const { secret = '' } = subscriptions.find(delivery.subscriptionId) ?? {};
					return { ...delivery, signature: sign(secret, Buffer.from(delivery.body)) };
				}),
		),
		/** E-mails to owners, newest first. */
		outbox: call(nothing, () => mails.list(null, 1_000)),
	};
}
