import type { IDataObject } from 'n8n-workflow';
import {
	type KeptSubscriptions,
	readSubscriptions,
	type RetiredSubscription,
	type Subscription,
	writeSubscriptions,
} from '../model/subscription';
import { memoryOf, type NodePlace } from './memory';

/** A context with the static data of its node. */
export interface KeptPlace extends NodePlace {
	getWorkflowStaticData(type: string): IDataObject;
}

/** The key in the node's static data. */
const KEY = 'subscriptions';
/** A service that refuses every deletion must not let this grow without end. */
const MAX_RETIRED = 50;

/** For how long a deletion that fails is tried again: 7 days, in ms. */
const KEEP_TRYING_MS = 7 * 24 * 3_600_000;

/** @param deleteAt ms since the epoch by the local clock; 0 for the next opportunity */
export const retire = (
	subscription: Subscription | RetiredSubscription,
	deleteAt: number,
): RetiredSubscription => ({
	giveUpAt: Date.now() + KEEP_TRYING_MS,
	...subscription,
	deleteAt,
});

/** All of them, the current one last, to be deleted at the next opportunity. */
export const allOf = ({ current, retired }: KeptSubscriptions): RetiredSubscription[] =>
	[...retired, ...(current ? [current] : [])].map((one) => retire(one, 0));

/** Both together, none twice. What the newer of the two calls current is current. */
function merge(stored: KeptSubscriptions, known: KeptSubscriptions): KeptSubscriptions {
	const [newer, older] =
		(known.current?.since ?? -Infinity) >= (stored.current?.since ?? -Infinity)
			? [known, stored]
			: [stored, known];
	const others = [
		...older.retired,
		...(older.current ? [retire(older.current, 0)] : []),
		...newer.retired,
	].filter(({ id }) => id !== newer.current?.id);
	const byId = new Map(others.map((subscription) => [subscription.id, subscription]));
	return { ...newer, retired: [...byId.values()] };
}

/**
 * The subscriptions of a node: those that n8n saved, and those of this process, which may not be
 * saved yet.
 */
export function loadSubscriptions(context: KeptPlace): KeptSubscriptions {
	const stored = readSubscriptions(context.getWorkflowStaticData('node')[KEY]);
	return merge(stored, memoryOf(context).kept);
}

/** Keeps the subscriptions of a node in this process. */
export function keepSubscriptions(
	context: NodePlace,
	{ retired, ...others }: KeptSubscriptions,
): void {
	memoryOf(context).kept = { ...others, retired: retired.slice(-MAX_RETIRED) };
}

/** Has n8n save what is kept, in a lifecycle hook: n8n writes back all static data. */
export function saveSubscriptions(context: KeptPlace): void {
	context.getWorkflowStaticData('node')[KEY] = writeSubscriptions(memoryOf(context).kept);
}

/** Has n8n save these at the end of an execution, unless it has saved newer ones. */
export function saveIfNewer(context: KeptPlace, kept: KeptSubscriptions): void {
	const data = context.getWorkflowStaticData('node');
	const sinceOf = ({ current }: KeptSubscriptions) => current?.since ?? -Infinity;
	if (sinceOf(kept) < sinceOf(readSubscriptions(data[KEY]))) return;
	data[KEY] = writeSubscriptions(kept);
}
