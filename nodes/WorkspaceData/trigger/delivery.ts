/** `webhook()`: verifies a delivery, and starts the workflow with its event. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { HOUR_MS } from '../values/time';
import { readEvent, type Delivery } from './event';
import { fieldsFor } from './fields';
import { nodeOf, type TriggerNode } from './node';
import { outputOf } from './output';
import { excessiveAge, isRelevant, misdirection } from './relevance';
import { readSettings } from './settings';
import { cleanUp, openSite, reasonOf } from './service';
import { isSigned, SIGNATURE_HEADER } from './signature';
import { counts, due, signers } from './subscription';

/** Nothing waits for a deletion. */
const DELETE_CALL = { isUrgent: true, timeoutMs: 10_000 };

/** 200, and no execution. */
const NOTHING_TO_DO: IWebhookResponseData = { webhookResponse: { received: true } };

/**
 * Verifies the raw bytes first, without a read of the credential. A request that isn't signed with a secret of this node
 * gets 401. A signed delivery that isn't wanted gets 200. Neither starts an execution. Writes no static data.
 *
 * @see service interface, part 6
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const node = nodeOf(context);
	node.read(context);
	const body = await rawBody(context);
	const valid = signers(node.saved, Date.now());
	const signature = context.getRequestObject().headers[SIGNATURE_HEADER];
	// All secrets are tried, so that the time is always the same.
	const [signer] = valid.filter(({ secret }) => body && isSigned(body, signature, secret));
	if (!body || !signer) {
		const isSubscribed = valid.length > 0;
		const reason = isSubscribed
			? "it isn't signed by a subscription of"
			: 'no subscription is saved for';
		node.log(context, `A delivery was refused: ${reason} this node`);
		context.getResponseObject().status(401).end();
		return { noWebhookResponse: true };
	}
	const isCurrent = signer === node.saved.current;
	if (isCurrent) node.aliveAt = Date.now();
	const event = readEvent(body);
	const settings = readSettings(context);
	if (isCurrent) await deleteReplaced(context, node);
	const delivery = event && { context, node, settings, event, signer };
	const wrong = delivery ? misdirection(delivery) : "its body isn't an event";
	if (delivery && wrong === undefined) return await start(delivery);
	node.log(context, `A signed delivery was ignored: ${wrong}`);
	return NOTHING_TO_DO;
}

/** The bytes of the request; undefined if n8n has none, as for multipart bodies. */
async function rawBody(context: IWebhookFunctions): Promise<Uint8Array | undefined> {
	const request = context.getRequestObject();
	if (/^multipart\//i.test(request.headers['content-type'] ?? '')) return undefined;
	if (!Buffer.isBuffer(request.rawBody)) await request.readRawBody();
	return Buffer.isBuffer(request.rawBody) ? request.rawBody : undefined;
}

/** Deletes what the current subscription has replaced, in the background, at most once an hour. */
async function deleteReplaced(context: IWebhookFunctions, node: TriggerNode): Promise<void> {
	const now = Date.now();
	const isDue = node.saved.previous.some((one) => one.id && due.atDelivery(one, now));
	if (!isDue || Math.abs(now - node.deletedAt) < HOUR_MS) return;
	node.deletedAt = now;
	try {
		const url = context.getNodeWebhookUrl('default') ?? '';
		void cleanUp({ ...(await openSite(context, node)), url }, due.atDelivery, DELETE_CALL);
	} catch (error) {
		node.log(context, `Replaced subscriptions couldn't be deleted yet: ${reasonOf(error)}`);
	}
}

/** Starts the workflow, unless the event is left to another subscription, too old, repeated, or excluded by the settings. */
async function start(delivery: Delivery): Promise<IWebhookResponseData> {
	const { context, node, settings, event, signer } = delivery;
	if (!counts(node.saved, signer, event.happenedAt)) return NOTHING_TO_DO;
	const tooOld = await excessiveAge(delivery);
	if (tooOld !== undefined) {
		node.log(context, `An event was ignored: ${tooOld}`, 'age');
		return NOTHING_TO_DO;
	}
	const isNew = node.deliveries.begin(event.key, context.getResponseObject());
	if (settings.ignoreDuplicates && !isNew) return NOTHING_TO_DO;
	const index = await fieldsFor(delivery);
	if (!isRelevant(delivery, index)) return NOTHING_TO_DO;
	return { ...NOTHING_TO_DO, workflowData: [[{ json: outputOf(delivery, index) }]] };
}
