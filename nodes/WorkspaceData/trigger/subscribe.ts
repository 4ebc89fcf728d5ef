import {
	readCreatedSubscription,
	type RetiredSubscription,
	type Subscription,
} from '../model/subscription';
import { parseTime } from '../model/time';
import type { WorkspaceApi } from '../transport/api';
import { ApiFailure, UnexpectedAnswer } from '../transport/failures';
import type { ApiAnswer } from '../transport/request';
import { deleteAll, deleteSubscription } from './deletion';
import type { SubscriptionRequest } from './memory';
import { LIFECYCLE_CALL } from './settings';

/** The Date header leaves out the fraction of a second. */
const DATE_PRECISION_MS = 1_000;

/** How far apart two clocks of one service may be, in ms; a request takes part of it. */
const PLAUSIBLE_MS = 20_000;

/** The service's clock at the time of an answer, in ms since the epoch; undefined where it does not tell. */
const serverTime = ({ headers }: ApiAnswer): number | undefined => parseTime(String(headers.date));

/**
 * Since when a subscription exists. A time of creation that the answer's own date belies would make
 * deliveries superfluous that nobody else makes.
 */
function existsSince(createdAt: number | undefined, date: number | undefined): number {
	if (date === undefined) return createdAt ?? Date.now() + DATE_PRECISION_MS;
	const isPlausible = createdAt !== undefined && Math.abs(createdAt - date) <= PLAUSIBLE_MS;
	return isPlausible ? createdAt : date + DATE_PRECISION_MS;
}

/** @throws UnexpectedAnswer; what may have been created is deleted then, if it can be */
async function create(
	api: WorkspaceApi,
	{ targetUrl, events, cardId }: SubscriptionRequest,
): Promise<Subscription> {
	const answer = await api.request({
		method: 'POST',
		path: ['webhooks'],
		body: { target_url: targetUrl, events, ...(cardId !== null && { card_id: cardId }) },
		...LIFECYCLE_CALL,
	});
	const place = { baseUrl: api.baseUrl, workspaceId: api.workspaceId };
	const { id, secret, createdAt } = readCreatedSubscription(answer.body);
	if (id === undefined || secret === undefined) {
		if (id !== undefined) await deleteSubscription(api, { id, ...place }).catch(() => undefined);
		throw new UnexpectedAnswer(
			`The service accepted the subscription, but its answer holds no ${secret === undefined ? 'secret' : 'identifier'}`,
			"Without both, deliveries can be neither verified nor ended. Check 'Base URL' in the credential, and look for a leftover subscription in the settings of the service",
		);
	}
	const date = serverTime(answer);
	return {
		id,
		secret,
		targetUrl,
		...place,
		cardId,
		since: existsSince(createdAt, date),
		clockAheadMs: (date ?? Date.now()) - Date.now(),
	};
}

/** Statuses with which a service may refuse a second subscription for one address. */
const REFUSED_AS_SECOND = [409, 422];

/**
 * Creates a subscription at the service. Where it takes only one for an address, ours gives way.
 *
 * @param ours those that may be deleted for it, asked for when it comes to that
 * @throws UnexpectedAnswer when the answer holds no identifier or no secret
 * @see service interface, part 4, "Webhook subscriptions"
 */
export async function subscribe(
	api: WorkspaceApi,
	request: SubscriptionRequest,
	ours: () => RetiredSubscription[],
	warn: (message: string) => void,
): Promise<Subscription> {
	return await create(api, request).catch(async (error: unknown) => {
		const isRefused =
			error instanceof ApiFailure && REFUSED_AS_SECOND.includes(error.problem.status);
		const inTheWay = isRefused
			? ours().filter(({ targetUrl }) => targetUrl === request.targetUrl)
			: [];
		if (inTheWay.length === 0) throw error;
		await deleteAll(api, inTheWay, warn);
		return await create(api, request);
	});
}
