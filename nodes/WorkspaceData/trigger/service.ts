/** Creates and deletes a node's subscriptions at the service. */
import { locateCard, readLocator } from '../records/locator';
import { cards, openApi, type Api, type RequestOptions } from '../transport/api';
import { PROCESS, type NodeContext, type TriggerNode } from './node';
import type { TriggerSettings } from './settings';
import * as rules from './subscription';

/** A trigger node, the service with its credential, and where its own subscriptions are. */
interface Site extends rules.Place {
	context: NodeContext;
	node: TriggerNode;
	api: Api;
}

/** The reason for a failure, for the log, without a period at the end. */
export const reasonOf = (error: unknown): string =>
	(error instanceof Error ? error.message : String(error)).replace(/\.\s*$/, '');

/** Opens the service with a node's credential, also if its other parameters are invalid. Sends nothing. */
export async function openSite(context: NodeContext, node: TriggerNode): Promise<Site> {
	const api = await openApi(context, context.getNode().parameters.authentication ?? 'apiKey');
	const { baseUrl, workspaceId: workspace } = api.access;
	return { context, node, api, url: node.url, baseUrl, workspace };
}

/** What a node is to subscribe to. @throws InputError if no card is selected */
export function targetOf(site: Site, { events, card }: TriggerSettings): rules.Target {
	const { url, baseUrl, workspace } = site;
	const { mode, text } = card === undefined ? { mode: '', text: '' } : readLocator(card, 'Card');
	return { url, baseUrl, workspace, events, card: mode === 'name' ? `name ${text}` : text };
}

/**
 * The ID of the watched card; undefined for all cards. It isn't looked for if the current subscription has it: the card
 * may have been renamed.
 *
 * @throws InputError if no card has the name
 */
async function findCard(site: Site, target: rules.Target, card: unknown, options: RequestOptions) {
	if (card === undefined) return undefined;
	const { current } = site.node.saved;
	if (current?.card === target.card && rules.isOwn(current, target)) return current.cardId;
	return (await locateCard(readLocator(card, 'Card'), () => site.api.list(cards, options))).id;
}

/**
 * Creates a subscription.
 *
 * @param check is called before, with the ID of the watched card
 * @throws RequestError if the service refuses it, or returns no secret or identifier
 */
export async function subscribe(
	site: Site,
	settings: TriggerSettings,
	options: RequestOptions,
	check?: (cardId: string | undefined) => Promise<void>,
): Promise<rules.Subscription> {
	const target = targetOf(site, settings);
	const cardId = await findCard(site, target, settings.card, options);
	await check?.(cardId);
	const card = cardId !== undefined && { card_id: cardId };
	const body = { target_url: target.url, events: target.events, ...card };
	const { id, secret, date } = await site.api.subscribe(body, options);
	const madeAt = Date.now();
	return { ...target, id, secret, cardId, since: date ?? madeAt, madeAt, madeBy: PROCESS };
}

/** Deletes subscriptions of this node. The log names those that stay. */
export async function unsubscribe(
	{ context, node, api, ...place }: Site,
	all: readonly rules.Subscription[],
	options: RequestOptions,
): Promise<void> {
	const remove = async ({ id = '', ...one }: rules.Subscription): Promise<void> => {
		try {
			const where = `it is in workspace ${one.workspace} at ${one.baseUrl}, for ${one.url}`;
			if (!rules.isOwn(one, place)) throw new Error(where);
			await api.unsubscribe(id, options);
			node.saved = rules.markDeleted(node.saved, id);
		} catch (error) {
			node.log(context, `Subscription ${id} couldn't be deleted yet: ${reasonOf(error)}`);
		}
	};
	await Promise.all(all.filter(({ id }) => id).map(remove));
}

/** Deletes the previous subscriptions that are due, and takes from the list what this node can't delete. */
export async function cleanUp(
	site: Site,
	isDue: (typeof rules.due)[keyof typeof rules.due],
	options: { isUrgent?: boolean; timeoutMs: number },
): Promise<void> {
	const { context, node } = site;
	const now = Date.now();
	const { saved, left } = rules.prune(node.saved, site, now);
	node.saved = saved;
	const advice = 'If no other n8n needs it, delete it in the settings of the service';
	for (const { id } of left) node.log(context, `Subscription ${id} still exists. ${advice}`);
	const due = saved.previous.filter((one) => rules.isOwn(one, site) && isDue(one, now, PROCESS));
	await unsubscribe(site, due, { ...options, signal: AbortSignal.timeout(options.timeoutMs) });
}
