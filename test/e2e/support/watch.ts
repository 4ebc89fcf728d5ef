import { randomUUID } from 'node:crypto';

import type { JsonObject, SavedWorkflow } from '../../host/n8nClient.ts';
import { byId, chain, type NodeDraft } from '../../host/workflowBuilder.ts';
import type { TestCard } from '../../host/serviceApi.ts';
import type { SharedWorkbench } from '../../host/workbench.ts';

/** Our trigger, called "On change" unless it has another name, for records of a card. */
export const watching = (
	{ trigger }: SharedWorkbench,
	cardId: string,
	{ name = 'On change', events = ['record.created'], options = {} as JsonObject } = {},
): NodeDraft =>
	trigger(
		name,
		{ authentication: 'apiKey', events, watch: 'oneCard', cardId: byId(cardId), options },
		{ webhookId: randomUUID() },
	);

/** A card with the field "Title", and a workflow that watches it: "On change", then "Seen". */
export async function draftWatch(
	bench: SharedWorkbench,
	name: string,
	options: JsonObject = {},
	events = ['record.created'],
): Promise<{ card: TestCard; saved: SavedWorkflow }> {
	const card = await bench.api.createCard(name, [['Title', 'text']]);
	const seen = { name: 'Seen', type: 'n8n-nodes-base.noOp', parameters: {} };
	const workflow = chain(name, [watching(bench, card.id, { options, events }), seen]);
	return { card, saved: await bench.client.createWorkflow(workflow) };
}

/** The subscriptions to a card. */
export const subscriptionsOf = async (
	{ control }: Pick<SharedWorkbench, 'control'>,
	{ id }: TestCard,
) => (await control.subscriptions()).filter(({ cardId }) => cardId === id);

/** As `draftWatch`, and published. */
export async function watchCard(bench: SharedWorkbench, name: string, options?: JsonObject) {
	const watch = await draftWatch(bench, name, options);
	await bench.client.publish(watch.saved);
	const [subscription] = await subscriptionsOf(bench, watch.card);
	if (!subscription) throw new Error(`'${name}' has no subscription`);
	return { ...watch, subscription };
}
