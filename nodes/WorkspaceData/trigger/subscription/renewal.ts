/** Creates a trigger node's subscription at the service, and deletes old ones. */
import { randomUUID } from 'node:crypto';
import { InputError } from '../../values/inputError';
import * as rules from '../../model/subscription/subscriptionRules';
import { type Previous, type Subscription, subscriptionsIn } from '../../model/subscription/saved';
import { fingerprintOf, ownSecretOf, readCredential } from '../../transport/auth/credential';
import { ApiFailure, Cancelled, isTimeOut } from '../../transport/failure/failureKinds';
import { openSession, type Session } from '../../transport/session';
import { sentences } from '../../values/messageText';
import { reasonOf, warn } from '../log';
import { checkConditions, readAuthentication, watchedCard } from '../parameters';
import { dispatch, logAbandoned, type NodeSite, type Site } from './node';
import { ask } from './askOwnAddress';
import { roomReason } from './roomReason';
import {
	CALLS,
	createSubscription,
	deleteSubscription,
	type NewSubscription,
} from './serviceCalls';
import { sealSecret } from './storage';

export const notRenewed = (error: unknown): string =>
	`The subscription couldn't be renewed yet: ${reasonOf(error)}`;

/** Services that didn't respond in time while n8n started, so that its other triggers don't wait as well. */
const silent = new Set<string>();

/**
 * Subscribes. The old subscription stays for a while, and delivers what happened while n8n was down. If the
 * service refuses, the node tries again later.
 *
 * @param how who waits: for the first two, n8n waits and saves static data as soon as its hook returns
 * @throws the errors of `openSession` and `createSubscription`
 */
export async function renew(site: Site, how: keyof typeof CALLS): Promise<void> {
	const { context, node, settings, clock } = site;
	const { epoch } = node;
	const isWanted = () => node.epoch === epoch;
	let session: Session | undefined;
	const subscribe = async (): Promise<void> => {
		// Remembered, so that a change is noticed.
		node.credential = { fingerprint: '', checkedAt: clock.now() };
		const credential = await readCredential(context, settings.authentication);
		node.credential.fingerprint = fingerprintOf(credential);
		session = await openSession(context, settings.authentication, clock);
		if (how === 'start' && silent.has(session.baseUrl)) {
			throw new Error("the service didn't respond to another trigger at this start");
		}
		const { secret, ...made } = await createInPlace(site, session, how, isWanted);
		silent.delete(session.baseUrl);
		if (!isWanted()) {
			await discard(site, session, made);
			return;
		}
		const ownSecret = ownSecretOf(credential, settings.authentication);
		const subscription = { ...made, sealed: sealSecret(secret, ownSecret) };
		const catchesUp = settings.catchUp && settings.events.includes('record.created');
		const savedByHook = how !== 'background';
		dispatch(site, rules.onCreated, { subscription, mark: randomUUID(), savedByHook, catchesUp });
		node.refusal = undefined;
		await deleteWith(site, rules.dueDeletions(node.state, clock.now()));
	};
	await subscribe().catch((error: unknown) => {
		if (session && how === 'start' && isTimeOut(error)) silent.add(session.baseUrl);
		if (isWanted()) {
			node.refusal = error;
			// A search begins with the new subscription, also if the old one still delivers.
			const isNeeded = !session || (how === 'start' && settings.catchUp);
			dispatch(site, rules.onRefused, { isNeeded });
		}
		throw error;
	});
}

/** Deletes a subscription that came too late, as the workflow has been published again or unpublished. */
async function discard(
	{ context, node }: Site,
	session: Session,
	late: Pick<Subscription, 'id' | 'workspaceId' | 'baseUrl'>,
): Promise<void> {
	// A service may return the same subscription twice for one address. Then the node uses it by now.
	if (node.state.saved.current?.id === late.id) return;
	const leave = () => logAbandoned(context, [late.id]);
	await deleteSubscription(session, late, 'patient').catch(leave);
}

/** Creates a subscription. If the service has no room for it, deletes an old one that this n8n may delete. */
async function createInPlace(
	site: Site,
	session: Session,
	how: keyof typeof CALLS,
	isWanted: () => boolean,
): Promise<NewSubscription> {
	const { context, node, settings, clock } = site;
	const { address = '', saved } = node.state;
	const cardId = await watchedCard(settings, session, CALLS[how]).catch((error: unknown) => {
		// The selected name no longer exists.
		if (error instanceof InputError && saved.current) return saved.current.cardId;
		throw error;
	});
	if (how === 'publish') await checkConditions(context, settings, session, cardId);
	const create = async () => await createSubscription(site, session, cardId, how);
	const hint = loopbackHint(address, session.baseUrl);
	const made = await create().catch(async (error: unknown) => {
		const reason = roomReason(error);
		if (reason === undefined || !isWanted()) throw withAdvice(error, hint);
		const isPublishing = how === 'publish';
		if (isPublishing) await ask(site);
		const want = { reason, isPublishing };
		const old = rules.roomFor(node.state, want, settings.silenceMs, clock.now());
		if (old.length === 0) {
			const own = subscriptionsIn(saved).filter(({ targetUrl }) => targetUrl === address);
			const advice = ROOM_ADVICE[reason](address, own.map(({ id }) => id).join(', '));
			warn(context, advice);
			throw withAdvice(error, advice, false);
		}
		await deleteWith(site, old);
		return await create();
	});
	if (hint) warn(context, hint);
	return made;
}

/** What to do if the service has no room. True at publishing as well, after which nothing tries again. */
const ROOM_ADVICE = {
	address: (url: string, own: string) =>
		`${own ? `Subscription ${own} of this trigger` : 'A subscription'} holds the address ${url}. A published trigger replaces it once it knows that it is this n8n's. If no other n8n uses it, delete it in the settings of the service`,
	limit: (_url: string, own: string) =>
		`The service accepts no more subscriptions${own && `, and counts ${own} of this trigger`}. An old one may be paused and still count: delete it in the settings of the service`,
};

const isLoopback = (url: string): boolean =>
	/^(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i.test(new URL(url).hostname);

/** A hint if the service can't reach n8n's address. */
function loopbackHint(targetUrl: string, baseUrl: string): string | undefined {
	if (!isLoopback(targetUrl) || isLoopback(baseUrl)) return undefined;
	return `n8n's webhook address is ${new URL(targetUrl).origin}, which only this machine can reach. Set N8N_WEBHOOK_URL (before n8n 2.35: WEBHOOK_URL) to an address that ${new URL(baseUrl).host} can reach. If that isn't possible, use a Schedule Trigger and Get Many with Since Last Run`;
}

/** Adds advice to the error of a refusal. @param isMore false if it replaces the general advice */
function withAdvice(error: unknown, hint: string | undefined, isMore = true): unknown {
	if (!hint || !(error instanceof ApiFailure) || error.problem.status >= 500) return error;
	return new ApiFailure(
		error.problem,
		sentences(isMore && error.description, hint),
		error.rateLimited,
		error.sent,
	);
}

/**
 * Deletes subscriptions with the node's credential, and dispatches the results. Never throws.
 *
 * @param how `patient` if the workflow is unpublished: waits for the rate limit and retries after an error,
 * because nothing else retries later
 */
export async function deleteWith(
	site: NodeSite,
	subscriptions: readonly Previous[],
	how: 'patient' | 'impatient' = 'impatient',
): Promise<void> {
	if (subscriptions.length === 0) return;
	const { context, node, clock } = site;
	const opening = openSession(context, readAuthentication(context), clock);
	if (how === 'patient') {
		node.ending.stop = () => void opening.then((session) => session.stop()).catch(() => undefined);
	}
	const remove = async (one: Previous): Promise<void> => {
		const error: unknown = await opening
			.then(async (session) => await deleteSubscription(session, one, how))
			.catch((reason: unknown) => reason ?? 'unknown');
		const isDone = error === undefined;
		const isLeftover = how === 'impatient' && one.fate === 'ended';
		const wasTried = node.state.deletions.has(one.id) || isLeftover;
		dispatch(site, rules.onDeleted, { id: one.id, isDone });
		if (isDone && wasTried) warn(context, `Subscription ${one.id} is deleted now`);
		if (isDone) return;
		const cause = error instanceof Cancelled ? 'the workflow is published again' : error;
		warn(
			context,
			`Subscription ${one.id} couldn't be deleted yet: ${reasonOf(cause)}. It is tried again while the workflow is published. Otherwise, delete it in the settings of the service`,
		);
	};
	await Promise.all(subscriptions.map(remove));
}
