/** Creates a trigger node's subscription at the service, and deletes old ones. */
import { randomUUID } from 'node:crypto';
import { InputError } from '../../model/inputError';
import { type Effect, mayBeOurs, roomFor } from '../../model/subscription/reducer';
import type { Previous, Subscription } from '../../model/subscription/saved';
import { credentialFingerprint } from '../../transport/auth/credential';
import { ApiFailure, Cancelled, Failure, isTimeOut } from '../../transport/failure/failures';
import type { Clock } from '../../transport/http/clock';
import { openSession, type Session } from '../../transport/session';
import { reasonOf, warn } from '../log';
import { type TriggerSettings, watchedCard } from '../parameters';
import type { LifecycleContext, TriggerNode } from './node';
import {
	CALLS,
	createSubscription,
	deleteSubscription,
	roomReason,
	type SubscriptionRequest,
} from './serviceCalls';

/** What is needed to work on a trigger node. */
export interface Site<Context extends LifecycleContext = LifecycleContext> {
	context: Context;
	node: TriggerNode;
	settings: TriggerSettings;
	clock: Clock;
}

/**
 * A random factor from 0.9 to 1.1 for a pause, so that triggers that fail together don't try again
 * together.
 */
const jitterOf = (clock: Clock): number => 0.9 + 0.2 * clock.random();

/** Services that didn't respond in time while n8n started, so that its other triggers don't wait as well. */
const silent = new Set<string>();

/**
 * Subscribes. The old subscription stays for a while, and delivers what happened while n8n was down. If the
 * service refuses, the node tries again later.
 *
 * @param how who waits: for the first two, n8n waits and saves static data as soon as its hook returns
 * @returns the next effects; none if the node was published or unpublished since
 * @throws the errors of `openSession` and `createSubscription`
 */
export async function renew(site: Site, how: keyof typeof CALLS): Promise<Effect[]> {
	const { node, clock } = site;
	const { epoch } = node;
	const isWanted = () => node.epoch === epoch;
	let isOpen = false;
	const subscribe = async (): Promise<Effect[]> => {
		const session = await open(site);
		isOpen = true;
		if (how === 'start' && silent.has(session.baseUrl)) {
			throw new Error("the service didn't respond to another trigger at this start");
		}
		const request = await requestOf(site, session, how);
		const made = await createInPlace(site, session, request, { how, isWanted });
		silent.delete(session.baseUrl);
		if (!isWanted()) return await discard(site, session, made);
		const savedByHook = how !== 'background';
		const created = { type: 'created', subscription: made, mark: randomUUID() } as const;
		return node.dispatch({ ...created, savedByHook, now: clock.now() });
	};
	return await subscribe().catch((error: unknown) => {
		const refused = { type: 'refused', isDemanded: !isOpen, jitter: jitterOf(clock) } as const;
		if (isWanted()) node.dispatch({ ...refused, now: clock.now() });
		throw error;
	});
}

/** Opens the service, and remembers the credential, so that a change is noticed. */
async function open({ context, node, settings, clock }: Site): Promise<Session> {
	node.credential = { fingerprint: '', checkedAt: clock.now() };
	node.credential.fingerprint = await credentialFingerprint(context, settings.authentication);
	const session = await openSession(context, settings.authentication, clock);
	node.serviceClock = session.serviceClock;
	return session;
}

/** The request. If the selected name no longer exists, it is for the card of the current subscription. */
async function requestOf(
	{ node, settings }: Site,
	session: Session,
	how: keyof typeof CALLS,
): Promise<SubscriptionRequest> {
	const { address = '', saved } = node.state;
	const cardId = await watchedCard(settings, session, CALLS[how]).catch((error: unknown) => {
		if (error instanceof InputError && saved.current) return saved.current.cardId;
		throw error;
	});
	return { targetUrl: address, events: settings.events, cardId };
}

/** Creates a subscription. If the service has no room for it, deletes an old one that this n8n may delete. */
async function createInPlace(
	site: Site,
	session: Session,
	request: SubscriptionRequest,
	{ how, isWanted }: { how: keyof typeof CALLS; isWanted: () => boolean },
): Promise<Subscription> {
	const { context, node, settings, clock } = site;
	const isKnown = (id: string) =>
		[node.state.saved.current, ...node.state.saved.previous].some((one) => one?.id === id);
	const create = async () =>
		await createSubscription(session, request, { clock, call: CALLS[how], isKnown });
	const hint = loopbackHint(request.targetUrl, session.baseUrl);
	const made = await create().catch(async (error: unknown) => {
		if (how === 'start' && isTimeOut(error)) silent.add(session.baseUrl);
		const reason = roomReason(error);
		if (reason === undefined || !isWanted()) throw withAdvice(error, hint);
		const old = roomFor(node.state, reason, settings.silenceMs, clock.now());
		if (old.length === 0) {
			const isUnasked = how !== 'publish' && mayBeOurs(node.state);
			const advice =
				reason === 'address'
					? addressAdvice(request.targetUrl, isUnasked)
					: limitAdvice(how, settings.silenceMs);
			warn(context, advice);
			throw withAdvice(error, advice);
		}
		await deleteAll(site, session, old);
		return await create();
	});
	if (hint) warn(context, hint);
	return made;
}

/** @param isUnasked true if the address is asked first. Then an old one of this n8n gives way */
const addressAdvice = (url: string, isUnasked: boolean): string =>
	isUnasked
		? `A subscription holds the address ${url}. If it is this n8n's, the trigger replaces it in a few minutes`
		: `A subscription that this n8n may not delete holds the address ${url}. If no other n8n uses it, delete it in the settings of the service`;

function limitAdvice(how: keyof typeof CALLS, silenceMs: number): string {
	const advice =
		'The service accepts no more subscriptions. An old one may be paused and still count: delete it in the settings of the service';
	// Nothing tries again after a failed publication, or if renewals after silence are off.
	return how === 'publish' || silenceMs === Infinity
		? advice
		: `${advice}. The trigger does so itself once nothing has arrived for the time in 'Renew After Silence (Hours)'`;
}

const isLoopback = (url: string): boolean =>
	/^(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i.test(new URL(url).hostname);

/** A hint if the service can't reach n8n's address. */
function loopbackHint(targetUrl: string, baseUrl: string): string | undefined {
	if (!isLoopback(targetUrl) || isLoopback(baseUrl)) return undefined;
	return `n8n's webhook address is ${new URL(targetUrl).origin}, which only this machine can reach. Set N8N_WEBHOOK_URL (before n8n 2.35: WEBHOOK_URL) to an address that ${new URL(baseUrl).host} can reach. If that isn't possible, use a Schedule Trigger and Get Many with Since Last Run`;
}

/** Adds advice to the error of a refusal. */
function withAdvice(error: unknown, hint: string | undefined): unknown {
	if (!hint || !(error instanceof Failure)) return error;
	if (!(error instanceof ApiFailure)) {
		return error.httpCode ? error : new Failure(error.message, { ...error, description: hint });
	}
	if (error.problem.status >= 500) return error;
	const advice = [error.description, hint].filter(Boolean).join(' ');
	return new ApiFailure(error.problem, advice, error.rateLimited);
}

/** Deletes an unused subscription. */
async function discard({ context, node }: Site, session: Session, made: Subscription): Promise<[]> {
	// A service may return the same subscription twice for one address. Then the node uses it by now.
	if (node.state.saved.current?.id === made.id) return [];
	await deleteSubscription(session, made, 'patient').catch((error: unknown) =>
		warn(context, `Subscription ${made.id} still exists at the service: ${reasonOf(error)}`),
	);
	return [];
}

/** Deletes subscriptions in parallel, and dispatches the results. @param how as in `deleteWith` */
async function deleteAll(
	{ context, node, clock }: Pick<Site, 'context' | 'node' | 'clock'>,
	session: Session,
	subscriptions: ReadonlyArray<Subscription | Previous>,
	how: 'patient' | 'impatient' = 'impatient',
): Promise<void> {
	await Promise.all(
		subscriptions.map(async (one) => {
			const error: unknown = await deleteSubscription(session, one, how).then(
				() => undefined,
				(reason: unknown) => reason ?? 'unknown',
			);
			const isDone = error === undefined;
			const isLeftover = how === 'impatient' && 'fate' in one && one.fate === 'ended';
			const wasTried = node.state.deletions.has(one.id) || isLeftover;
			node.dispatch({ type: 'deleted', id: one.id, isDone, now: clock.now() });
			if (isDone && wasTried) warn(context, `Subscription ${one.id} is deleted now`);
			if (isDone) return;
			const isStopped = error instanceof Cancelled;
			warn(context, notDeleted(one.id, isStopped ? 'the workflow is published again' : error, how));
		}),
	);
}

const notDeleted = (ids: string, error: unknown, how: 'patient' | 'impatient'): string =>
	how === 'impatient'
		? `Subscription ${ids} couldn't be deleted yet: ${reasonOf(error)}`
		: `Subscription ${ids} couldn't be deleted: ${reasonOf(error)}. Publish the workflow again, or delete it in the settings of the service`;

/**
 * Deletes subscriptions with the node's credential. Never throws.
 *
 * @param how `patient` if the workflow is unpublished: waits for the rate limit and retries after an error,
 * because nothing else retries later
 * @param onOpen gets the service when it is open
 */
export async function deleteWith(
	site: Pick<Site, 'context' | 'node' | 'clock'> & {
		settings: Pick<TriggerSettings, 'authentication'>;
	},
	subscriptions: readonly Subscription[],
	how: 'patient' | 'impatient' = 'impatient',
	onOpen: (session: Session) => void = () => {},
): Promise<void> {
	const { context, node, settings, clock } = site;
	if (subscriptions.length === 0) return;
	try {
		const session = await openSession(context, settings.authentication, clock);
		onOpen(session);
		await deleteAll(site, session, subscriptions, how);
	} catch (error) {
		for (const { id } of subscriptions) {
			node.dispatch({ type: 'deleted', id, isDone: false, now: clock.now() });
		}
		warn(context, notDeleted(subscriptions.map(({ id }) => id).join(', '), error, how));
	}
}

type Abandoned = Extract<Effect, { type: 'abandon' }>;

const WHY: Record<Abandoned['why'], string> = {
	failed: "couldn't be deleted for a day, and nothing tries it again",
	foreign: "may belong to another n8n, so this one doesn't delete it",
	elsewhere: "delivers to another address, so this n8n doesn't delete it",
	many: 'was replaced too often to be deleted',
};

/** Logs the subscriptions that are given up. */
export function logAbandoned(context: LifecycleContext, { subscriptions, why }: Abandoned): void {
	const ids = subscriptions.map(({ id }) => id).join(', ');
	const advice = 'If no other n8n needs it, delete it in the settings of the service';
	warn(context, `Subscription ${ids} still exists at the service: it ${WHY[why]}. ${advice}`);
}
