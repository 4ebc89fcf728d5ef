/** Gives a node a new subscription. */
import { InputError } from '../../model/inputError';
import type { Effect } from '../../model/subscription/eventsAndEffects';
import { openSession, type Session } from '../../transport/session';
import type { Clock } from '../../transport/http/clock';
import { credentialFingerprint } from '../../transport/auth/credential';
import {
	checkAnswers,
	createSubscription,
	isAnswerLost,
	isConflict,
	type LifecycleCall,
	type NewSubscription,
	type SubscriptionRequest,
} from './subscriptionApi';
import { loopbackHint, withHint } from './loopbackHint';
import { firstTry } from '../catchUp/searchTries';
import { warn } from '../log';
import { watchedCard, type TriggerSettings } from '../parameters';
import type { NodeState } from './nodeState';
import { deleteAll, deletedBy, discard, type LifecycleContext } from './deletions';

/** A factor from 0.9 to 1.1 for a pause: triggers that fail together do not try again together. */
export const jitterOf = (clock: Clock): number => 0.9 + 0.2 * clock.random();

/** The card to watch; where the chosen name no longer exists, the card of the current subscription. */
async function cardToWatch(
	settings: TriggerSettings,
	node: NodeState,
	session: Session,
	call: LifecycleCall,
): Promise<string | null> {
	return await watchedCard(settings, session, call).catch((error: unknown) => {
		const { current } = node.set;
		if (error instanceof InputError && current) return current.cardId;
		throw error;
	});
}

/** How a subscription is created. */
interface Manner {
	/** Whether n8n saves static data as soon as the caller returns. */
	savedByHook: boolean;
	overlapMs: number;
	call: LifecycleCall;
}

/** Creates a subscription; where the service takes one for an address only, the old one gives way. */
async function createInPlace(
	context: LifecycleContext,
	node: NodeState,
	session: Session,
	request: SubscriptionRequest,
	isWanted: () => boolean,
	call: LifecycleCall,
	clock: Clock,
): Promise<NewSubscription> {
	const isKnown = (id: string) =>
		[node.set.current, ...node.set.retired].some((one) => one?.id === id);
	const create = async () => await createSubscription(session, request, clock, call, isKnown);
	return await create().catch(async (error: unknown) => {
		const inTheWay =
			isConflict(error) && isWanted() ? deletedBy(node.dispatch({ type: 'conflicted' })) : [];
		if (inTheWay.length === 0) throw error;
		await deleteAll(context, node, session, inTheWay, clock);
		return await create();
	});
}

/** Keeps the credential that a renewal is tried with, so that a change is noticed. */
async function noteCredential(
	context: LifecycleContext,
	node: NodeState,
	{ authentication }: TriggerSettings,
	clock: Clock,
): Promise<void> {
	const fingerprint = await credentialFingerprint(context, authentication);
	node.credential = { fingerprint, checkedAt: clock.now() };
}

/**
 * Subscribes for a node. The old subscription stays active for a while, and delivers what happened
 * while n8n was down. If the service refuses, the node tries again later.
 *
 * @returns the next effects; none where the node was published or unpublished meanwhile
 * @throws what `openApi` and `createSubscription` throw
 */
export async function renew(
	context: LifecycleContext,
	node: NodeState,
	settings: TriggerSettings,
	targetUrl: string,
	clock: Clock,
	{ call, ...manner }: Manner,
): Promise<Effect[]> {
	const { epoch } = node;
	const isWanted = () => node.epoch === epoch;
	let isSent = false;
	const subscribe = async (): Promise<Effect[]> => {
		await noteCredential(context, node, settings, clock);
		const session = await openSession(context, settings.authentication, clock);
		node.serviceClock = session.serviceClock;
		// A request for a subscription that is lost may leave one behind; a lost question leaves nothing.
		if (node.set.lostAnswers.count > 0) await checkAnswers(session, call);
		const cardId = await cardToWatch(settings, node, session, call);
		const request = { targetUrl, events: settings.events, cardId };
		const hint = loopbackHint(targetUrl, session.baseUrl);
		isSent = true;
		const made = await createInPlace(context, node, session, request, isWanted, call, clock).catch(
			(error: unknown) => {
				throw withHint(error, hint);
			},
		);
		if (!isWanted()) {
			await discard(context, node, session, made);
			return [];
		}
		if (hint) warn(context, hint);
		return onCreated(node, settings, made, manner, clock);
	};
	return await subscribe().catch((error: unknown) => {
		if (isWanted()) {
			const isLost = isSent && isAnswerLost(error);
			node.dispatch({ type: 'refused', isLost, jitter: jitterOf(clock), now: clock.now() });
		}
		throw error;
	});
}

/** Makes a new subscription the current one. @returns the next effects */
function onCreated(
	node: NodeState,
	settings: TriggerSettings,
	made: NewSubscription,
	manner: Omit<Manner, 'call'>,
	clock: Clock,
): Effect[] {
	const now = clock.now();
	const subscription = { ...made, generation: 0 };
	const effects = node.dispatch({ type: 'created', subscription, ...manner, now });
	for (const effect of effects) {
		const isWanted = settings.catchUp && settings.events.includes('record.created');
		if (effect.type !== 'search' || !isWanted) continue;
		node.pendingSearch = firstTry(effect.search, now);
	}
	return effects;
}
