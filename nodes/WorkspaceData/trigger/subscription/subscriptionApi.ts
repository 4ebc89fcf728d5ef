/** The calls that create and delete webhook subscriptions. @see service interface, part 4 */
import { idInLocation } from '../../model/serviceUrl';
import { readCreatedSubscription } from '../../model/subscription/createdSubscription';
import type { Subscription } from '../../model/subscription/stored';
import type { Session } from '../../transport/session';
import type { Clock } from '../../transport/http/clock';
import {
	ApiFailure,
	Failure,
	saysGone,
	UnexpectedAnswer,
	Unreachable,
} from '../../transport/failure/failures';
import { dateOf } from '../../transport/http/rateLimitHeaders';
import type { ApiRequest } from '../../transport/request';

/** How lifecycle calls are sent: n8n waits for them, and tries again itself. */
export const LIFECYCLE_CALL = { impatient: true, timeoutMs: 10_000 } as const;

/** How they are sent for a person, who waits: also right after the time-out of another request. */
export const PUBLISHING_CALL = { ...LIFECYCLE_CALL, insistent: true } as const;

/** How renewals are sent while nobody waits: a slow service gets a minute. */
export const BACKGROUND_CALL = { timeoutMs: 60_000 } as const;

export type LifecycleCall = typeof LIFECYCLE_CALL | typeof PUBLISHING_CALL | typeof BACKGROUND_CALL;

/** How a deletion is sent; `patient` ones wait for the rate limit and try again after a fault. */
const DELETE_CALL = { patient: { timeoutMs: 8_000 }, impatient: LIFECYCLE_CALL } as const;

/** The events that a subscription asks for, and their address. */
export interface SubscriptionRequest {
	targetUrl: string;
	events: string[];
	/** null for all cards of the workspace. */
	cardId: string | null;
}

/** A subscription as the service made it; its generation is up to the node. */
export type NewSubscription = Omit<Subscription, 'generation'>;

/** The Date header leaves out the fraction of a second. */
const DATE_PRECISION_MS = 1_000;
/** How far apart two clocks of one service may be, in ms; a request takes part of it. */
const PLAUSIBLE_MS = 20_000;

/** Since when a subscription exists. `created_at` is ignored if it contradicts the Date header. */
function existsSince(createdAt: number | undefined, date: number | undefined, now: number): number {
	if (date === undefined) return createdAt ?? now + DATE_PRECISION_MS;
	const claimed = createdAt ?? -Infinity;
	return Math.abs(claimed - date) <= PLAUSIBLE_MS ? claimed : date + DATE_PRECISION_MS;
}

/** The service answered with a subscription that the node has, but not with its secret. */
class KnownSubscription extends Failure {
	constructor() {
		super('The service returned the subscription that exists already, without its secret', {
			transient: true,
		});
	}
}

/**
 * Creates a subscription at the service.
 *
 * @param isKnown whether the node has a subscription with this ID
 * @throws UnexpectedAnswer when the answer holds no identifier or no secret; then a subscription that
 *   may have been created is deleted, if possible
 * @throws KnownSubscription when it holds no secret of a subscription that the node has: that one still delivers
 */
export async function createSubscription(
	session: Session,
	{ targetUrl, events, cardId }: SubscriptionRequest,
	clock: Clock,
	call: LifecycleCall = LIFECYCLE_CALL,
	isKnown: (id: string) => boolean = () => false,
): Promise<NewSubscription> {
	const answer = await session.request({
		method: 'POST',
		path: ['webhooks'],
		body: { target_url: targetUrl, events, ...(cardId !== null && { card_id: cardId }) },
		creates: 'subscription',
		...call,
	});
	const place = { baseUrl: session.baseUrl, workspaceId: session.workspaceId };
	const { secret, createdAt, ...found } = readCreatedSubscription(answer.body);
	const id = found.id ?? idInLocation(answer.headers.location, 'webhooks');
	if (id !== undefined && secret === undefined && isKnown(id)) throw new KnownSubscription();
	if (id === undefined || secret === undefined) {
		if (id !== undefined)
			await deleteSubscription(session, { id, ...place }).catch(() => undefined);
		throw new UnexpectedAnswer(
			`The service created the subscription, but returned no ${secret === undefined ? 'secret' : 'identifier'}`,
			"The trigger needs the secret to verify deliveries and the identifier to end them. Check 'Base URL' in the credential, and look for a leftover subscription in the settings of the service",
		);
	}
	const date = dateOf(answer.headers);
	const now = clock.now();
	return {
		id,
		secret,
		targetUrl,
		...place,
		cardId,
		since: existsSince(createdAt, date, now),
		clockAheadMs: (date ?? now) - now,
	};
}

/** Asks for the cards, to see whether the service answers at all; a refusal is an answer. @throws what `request` throws */
export async function checkAnswers(session: Session, call: LifecycleCall): Promise<void> {
	await session.request({ method: 'GET', path: ['cards'], ...call }).catch((error: unknown) => {
		if (!(error instanceof ApiFailure) || error.problem.status >= 500) throw error;
	});
}

/**
 * Whether the service may have created a subscription although its answer did not come: nothing came in time,
 * a gateway gave up, or the answer cannot be used.
 */
export const isAnswerLost = (error: unknown): boolean =>
	error instanceof UnexpectedAnswer ||
	(error instanceof Unreachable && error.sent !== 'no') ||
	(error instanceof ApiFailure && error.problem.status === 504);

/** Whether the service refused because it takes one subscription for an address, and has one. */
export const isConflict = (error: unknown): boolean =>
	error instanceof KnownSubscription ||
	(error instanceof ApiFailure && error.problem.status === 409);

/**
 * Deletes a subscription in the workspace in which it was made; one that is gone already counts as
 * deleted.
 *
 * @throws Error when it is at another address than the credential: a credential is sent only to its own address
 */
export async function deleteSubscription(
	session: Session,
	{
		id,
		workspaceId,
		baseUrl = session.baseUrl,
	}: Pick<Subscription, 'id' | 'workspaceId' | 'baseUrl'>,
	how: keyof typeof DELETE_CALL = 'impatient',
): Promise<void> {
	if (baseUrl !== session.baseUrl) {
		throw new Error(
			`it is in workspace ${workspaceId} at ${baseUrl}, but the credential is for another address`,
		);
	}
	const request: ApiRequest = {
		method: 'DELETE',
		root: 'api',
		path: [
			'workspaces',
			{ value: workspaceId, parameter: 'Workspace ID' },
			'webhooks',
			{ value: id, parameter: 'Subscription' },
		],
		...DELETE_CALL[how],
	};
	await session.request(request).catch((error: unknown) => {
		if (!saysGone(error, ['webhook', 'webhooks', 'subscription', 'resource'])) throw error;
	});
}
