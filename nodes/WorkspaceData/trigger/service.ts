/** Creates and deletes a node's subscriptions at the service. */
import { locateCard, readLocator } from '../records/locator';
import { cards, openApi, type Api, type RequestOptions } from '../transport/api';
import { PROCESS, type NodeContext, type TriggerNode } from './node';
import type { TriggerSettings } from './settings';
import {
	isOwn,
	markDeleted,
	prune,
	type Place,
	type Subscription,
	type Target,
} from './subscription';
import type { due as dueRules, Previous } from './subscription';

/** A trigger node, and the service with its credential. */
export interface Site {
	context: NodeContext;
	node: TriggerNode;
	api: Api;
}

/** The reason for a failure, for the log, without a period at the end. */
export const reasonOf = (error: unknown): string =>
	(error instanceof Error ? error.message : String(error)).replace(/\.\s*$/, '');

/** Opens the service with a node's credential, also if its other parameters are invalid. Sends nothing. */
export async function openSite<Context extends NodeContext & Parameters<typeof openApi>[0]>(
	context: Context,
	node: TriggerNode,
) {
	const api = await openApi(context, context.getNode().parameters.authentication ?? 'apiKey');
	return { context, node, api };
}

const placeOf = ({ node, api }: Site): Place => ({
	url: node.url,
	baseUrl: api.baseUrl,
	workspace: api.workspaceId,
});

/** What a node is to subscribe to. @throws InputError if no card is selected */
export function targetOf(site: Site, { events, card }: TriggerSettings): Target {
	const { mode, text } = card === undefined ? { mode: '', text: '' } : readLocator(card, 'Card');
	return { ...placeOf(site), events, card: mode === 'name' ? `name ${text}` : text };
}

/**
 * The ID of the watched card; undefined for all cards. It isn't looked for if the current subscription has it: the card
 * may have been renamed.
 *
 * @throws InputError if none is selected, or if no card has the name
 */
export async function findCard(
	site: Site,
	settings: TriggerSettings,
	options: RequestOptions,
): Promise<string | undefined> {
	if (settings.card === undefined) return undefined;
	const { current } = site.node.saved;
	const target = targetOf(site, settings);
	if (current && isOwn(current, target) && current.card === target.card) return current.cardId;
	const list = async () => await site.api.list(cards, options);
	return (await locateCard(readLocator(settings.card, 'Card'), list)).id;
}

/** Creates a subscription. @throws RequestError if the service refuses it, or returns no secret or identifier */
export async function subscribe(
	{ api }: Site,
	target: Target,
	cardId: string | undefined,
	options: RequestOptions,
): Promise<Subscription & { id: string }> {
	const card = cardId !== undefined && { card_id: cardId };
	const body = { target_url: target.url, events: target.events, ...card };
	const { id, secret, date } = await api.subscribe(body, options);
	const madeAt = Date.now();
	return { ...target, id, secret, cardId, since: date ?? madeAt, madeAt, madeBy: PROCESS };
}

/** Deletes subscriptions of this node. The log names those that stay. */
export async function unsubscribe(
	site: Site,
	all: readonly Subscription[],
	options: RequestOptions,
): Promise<void> {
	const { context, node, api } = site;
	const remove = async ({ id, ...one }: Subscription): Promise<void> => {
		if (id === undefined) return;
		const { workspace, baseUrl, url } = one;
		try {
			if (!isOwn(one, placeOf(site)))
				throw new Error(`it is in ${workspace} at ${baseUrl}, for ${url}`);
			await api.unsubscribe(id, options);
			node.saved = markDeleted(node.saved, id);
		} catch (error) {
			node.log(context, `Subscription ${id} couldn't be deleted yet: ${reasonOf(error)}`);
		}
	};
	await Promise.all(all.map(remove));
}

/** Deletes the previous subscriptions that are due, and takes from the list what this node can't delete. */
export async function cleanUp(
	site: Site,
	isDue: (typeof dueRules)[keyof typeof dueRules],
	options: RequestOptions & { timeoutMs: number },
): Promise<void> {
	const { context, node } = site;
	const now = Date.now();
	const { saved, left } = prune(node.saved, placeOf(site), now);
	node.saved = saved;
	const advice = 'If no other n8n needs it, delete it in the settings of the service';
	for (const { id } of left) node.log(context, `Subscription ${id} still exists. ${advice}`);
	const isWanted = (one: Previous) => isOwn(one, placeOf(site)) && isDue(one, now, PROCESS);
	const signal = AbortSignal.timeout(options.timeoutMs);
	await unsubscribe(site, saved.previous.filter(isWanted), { ...options, signal });
}
