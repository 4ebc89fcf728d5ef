/** The calls that create and delete webhook subscriptions. @see service interface, part 4 */
import { idInLocation } from '../../transport/serviceUrl';
import { readCreatedSubscription } from '../../model/subscription/createdSubscription';
import { type Subscription, subscriptionsIn } from '../../model/subscription/saved';
import { assertDone } from '../../transport/writeResponse';
import { isWebPage } from '../../model/response/jsonObject';
import { ApiFailure, saysGone, UnexpectedResponse } from '../../transport/failure/failureKinds';
import type { Session } from '../../transport/session';
import type { Site } from './node';

/** Somebody waits: n8n while it starts, or a person. n8n retries by itself. */
const IMPATIENT = { impatient: true, timeoutMs: 10_000 } as const;

/** Options of calls: while n8n starts, for a person who waits, and in the background. */
export const CALLS = {
	start: IMPATIENT,
	publish: IMPATIENT,
	background: { timeoutMs: 60_000 },
} as const;

/** Options of deletions. `patient` ones wait for the rate limit and retry after an error. */
const DELETE_CALL = { patient: { timeoutMs: 8_000 }, impatient: IMPATIENT } as const;

/** The service's clock is known by the Date header, which has no fraction of a second. */
const DATE_PRECISION_MS = 1_000;

/** A subscription with its secret, as the service created it. */
export type NewSubscription = Omit<Subscription, 'sealed'> & { secret: string };

/**
 * Creates a subscription at the service.
 *
 * @param cardId null for all cards of the workspace
 * @throws UnexpectedResponse if the response holds no identifier or no secret; a subscription that may have
 * been created is then deleted, if possible
 * @throws ApiFailure if the service refuses, or returns a subscription that the node has, without its secret
 */
export async function createSubscription(
	{ node, settings }: Pick<Site, 'node' | 'settings'>,
	session: Session,
	cardId: string | null,
	how: keyof typeof CALLS,
): Promise<NewSubscription> {
	const { address: targetUrl = '' } = node.state;
	const { events } = settings;
	const response = await session.request({
		method: 'POST',
		path: ['webhooks'],
		body: { target_url: targetUrl, events, ...(cardId !== null && { card_id: cardId }) },
		creates: 'subscription',
		...CALLS[how],
	});
	const place = { baseUrl: session.baseUrl, workspaceId: session.workspaceId };
	const { secret, createdAt, ...found } = readCreatedSubscription(response.body);
	const id = found.id ?? idInLocation(response.headers.location, 'webhooks');
	const isKnown = subscriptionsIn(node.state.saved).some((one) => one.id === id);
	if (isKnown && secret === undefined) {
		const title = 'The service returned the subscription that exists already, without its secret';
		throw new ApiFailure({ status: 409, title });
	}
	if (id === undefined || secret === undefined) {
		// With another status, it may have existed before, and another n8n may use it.
		if (id !== undefined && response.status === 201)
			await deleteSubscription(session, { id, ...place }).catch(() => undefined);
		throw new UnexpectedResponse(
			whatCame(response.body, secret === undefined ? 'secret' : 'identifier'),
			"The trigger needs the secret to verify deliveries and the identifier to end them. Check 'Base URL' in the credential, and look for a leftover subscription in the settings of the service",
			true,
		);
	}
	// By the same clock and in the same form as the times of records.
	const since = createdAt ?? session.pace.serviceClock.now() + DATE_PRECISION_MS;
	return { id, secret, targetUrl, ...place, cardId, since };
}

/** What came instead of a subscription with a secret and an identifier. */
function whatCame(body: unknown, missing: string): string {
	if (isWebPage(body)) return 'The service responded with a web page instead of a subscription';
	const isEmpty = body === undefined || body === null || body === '';
	if (isEmpty) return 'The service responded without a subscription: the response is empty';
	return `The service created the subscription, but returned no ${missing}`;
}

/**
 * Deletes a subscription in the workspace where it was created. A missing one counts as deleted.
 *
 * @throws Error if its address isn't the credential's: a credential is only sent to its own address
 * @throws UnexpectedResponse if the response doesn't confirm it
 */
export async function deleteSubscription(
	session: Session,
	one: Pick<Subscription, 'id' | 'workspaceId' | 'baseUrl'>,
	how: keyof typeof DELETE_CALL = 'impatient',
): Promise<void> {
	const { id, workspaceId, baseUrl = session.baseUrl } = one;
	if (baseUrl !== session.baseUrl) {
		throw new Error(
			`it is in workspace ${workspaceId} at ${baseUrl}, but the credential is for another address`,
		);
	}
	const workspace = { value: workspaceId, parameter: 'Workspace ID' };
	const path = ['workspaces', workspace, 'webhooks', { value: id, parameter: 'Subscription' }];
	const request = { method: 'DELETE', root: 'api', path, ...DELETE_CALL[how] } as const;
	const response = await session.request(request).catch((error: unknown) => {
		if (!saysGone(error, ['webhook', 'webhooks', 'subscription', 'resource'])) throw error;
	});
	assertDone(response?.body, 'subscription', 'deleted');
}
