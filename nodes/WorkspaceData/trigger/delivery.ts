/** `webhook()`: verifies a delivery, and starts the workflow with its event. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import type { FieldIndex } from '../records/fieldIndex';
import { fieldsOf } from '../transport/api';
import { localTime } from '../transport/timeZone';
import { readEvent, type DeliveredEvent } from './event';
import { readFields } from './names';
import { nodeOf, type TriggerNode } from './node';
import { outputOf } from './output';
import { excessiveAge, isRelevant, misdirection } from './relevance';
import { readSettings, type TriggerSettings } from './settings';
import { cleanUp, openSite, reasonOf } from './service';
import { isSigned, SIGNATURE_HEADER } from './signature';
import { counts, due, signers, type Subscription } from './subscription';

/** The response waits that long for names or for the service's time, in ms. */
const WAIT_MS = 3_000;
const HOUR_MS = 3_600_000;

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
		const reason =
			valid.length === 0
				? 'this node has no subscription'
				: "it isn't signed by a subscription of this node";
		node.log(context, `A delivery was refused: ${reason}`);
		context.getResponseObject().status(401).end();
		return { noWebhookResponse: true };
	}
	const isCurrent = signer === node.saved.current;
	if (isCurrent) node.aliveAt = Date.now();
	const event = readEvent(body);
	if (!event) return ignore(context, node, "its body isn't an event");
	const settings = readSettings(context);
	if (isCurrent) await deleteReplaced(context, node);
	const wrong = misdirection(event, signer, settings.events);
	if (wrong !== undefined) return ignore(context, node, wrong);
	if (!counts(node.saved, signer, event.happenedAt)) return NOTHING_TO_DO;
	return await startWith(context, { node, settings, event, signer });
}

/** The bytes of the request; undefined if n8n has none, as for multipart bodies. */
async function rawBody(context: IWebhookFunctions): Promise<Uint8Array | undefined> {
	const request = context.getRequestObject();
	if (/^multipart\//i.test(request.headers['content-type'] ?? '')) return undefined;
	if (!Buffer.isBuffer(request.rawBody)) await request.readRawBody();
	return Buffer.isBuffer(request.rawBody) ? request.rawBody : undefined;
}

function ignore(
	context: IWebhookFunctions,
	node: TriggerNode,
	reason: string,
	kind = reason,
): IWebhookResponseData {
	node.log(context, `A signed delivery was ignored: ${reason}`, kind);
	return NOTHING_TO_DO;
}

/** Deletes what the current subscription has replaced, in the background, at most once an hour. */
async function deleteReplaced(context: IWebhookFunctions, node: TriggerNode): Promise<void> {
	const now = Date.now();
	const isDue = node.saved.previous.some((one) => one.id && due.atDelivery(one, now));
	if (!isDue || Math.abs(now - node.deletedAt) < HOUR_MS) return;
	node.deletedAt = now;
	try {
		const site = await openSite(context, node);
		void cleanUp(site, due.atDelivery, { isUrgent: true, timeoutMs: 10_000 });
	} catch (error) {
		node.log(context, `Replaced subscriptions couldn't be deleted yet: ${reasonOf(error)}`);
	}
}

/** A verified delivery of a node. */
interface Delivery {
	node: TriggerNode;
	settings: TriggerSettings;
	event: DeliveredEvent;
	signer: Subscription;
}

/** Starts the workflow, unless the event is too old, repeated, or excluded by the settings. */
async function startWith(
	context: IWebhookFunctions,
	delivery: Delivery,
): Promise<IWebhookResponseData> {
	const { node, settings, event } = delivery;
	const { maxEventAgeMs, ignoreDuplicates } = settings;
	const tooOld = await excessiveAge(node, event, maxEventAgeMs, async (cardId) => {
		const { api } = await openSite(context, node);
		return await api.time(cardId, { isUrgent: true, timeoutMs: WAIT_MS });
	});
	if (tooOld !== undefined) return ignore(context, node, tooOld, 'age');
	const response = context.getResponseObject();
	if (ignoreDuplicates && !node.deliveries.begin(event.key, response)) return NOTHING_TO_DO;
	const index = await fieldsFor(context, delivery);
	const log = (message: string) => node.log(context, message);
	const isWanted = isRelevant(event, settings, { index, zone: localTime(context), log });
	if (!isWanted) return NOTHING_TO_DO;
	return { ...NOTHING_TO_DO, workflowData: [[{ json: outputOf(event, settings, index) }]] };
}

/** The fields of the event's card, if names or conditions need them; undefined if they can't be had. */
async function fieldsFor(
	context: IWebhookFunctions,
	{ node, settings, event, signer }: Delivery,
): Promise<FieldIndex | undefined> {
	const { card_id: cardId, data } = event;
	const isNamed = settings.simple && settings.fieldKeys === 'name' && data !== undefined;
	const isCompared = settings.conditions.length + settings.watchFields.length > 0;
	if (cardId === undefined || !(isNamed || isCompared)) return undefined;
	const key = JSON.stringify([signer.baseUrl, signer.workspace, cardId]);
	const list = async () => {
		const { api } = await openSite(context, node);
		const signal = AbortSignal.timeout(WAIT_MS);
		return await api.list(fieldsOf(cardId), { isUrgent: true, timeoutMs: WAIT_MS, signal });
	};
	const { index, failure } = await readFields(key, Object.keys(data ?? {}), list);
	if (failure !== undefined) {
		const reason = `The fields of card ${cardId} couldn't be read, so their IDs replace the names`;
		node.log(context, `${reason}: ${reasonOf(failure)}`, reason, HOUR_MS);
	}
	return index;
}
