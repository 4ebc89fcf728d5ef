/** `webhook()`: what becomes of a delivery. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { type DeliveredEvent, readEvent } from '../../model/webhookEvent';
import { SIGNATURE_HEADER } from '../../model/signature';
import {
	accepted,
	isOverwritten,
	signerOf,
	stored,
	withStored,
} from '../../model/subscription/merge';
import { PROBE_HEADER } from '../../model/subscription/proof';
import type { Subscription } from '../../model/subscription/stored';
import { openSession } from '../../transport/session';
import { type Clock, systemClock } from '../../transport/http/clock';
import { localTime } from '../../transport/timeZone';
import { warnSparingly, type Warn } from '../log';
import { outputOf } from '../output';
import { readAuthentication, readSettings, type TriggerSettings } from '../parameters';
import { nodeOf, type NodeState } from '../subscription/nodeState';
import { answerProbe } from '../subscription/probe';
import { openStore } from '../subscription/storage';
import { excessiveAge } from './eventAge';
import { fieldsFor } from './fieldNames';
import { STRAIN_INTERVAL_MS, strainWarning, type StrainSign } from './lateAnswers';
import { isRelevant, misdirection } from './relevance';

const NOTHING_TO_DO: IWebhookResponseData = { webhookResponse: { received: true } };

/** n8n answers nothing itself. */
const ANSWERED: IWebhookResponseData = { noWebhookResponse: true };

/** Answers without an execution, so that the service tries again. */
function refuse(context: IWebhookFunctions, status: 401 | 503): IWebhookResponseData {
	context.getResponseObject().status(status).end();
	return ANSWERED;
}

/**
 * Verifies a delivery over its raw bytes before anything else, and starts the workflow with it. Anything
 * that is not signed with a secret of this node is answered 401; a signed delivery that is not wanted is
 * answered 200. Neither starts an execution, nor does a probe.
 *
 * @see service interface, part 6
 */
export async function receiveDelivery(
	context: IWebhookFunctions,
	clock: Clock = systemClock,
): Promise<IWebhookResponseData> {
	const { headers } = context.getRequestObject();
	const body = await rawBody(context);
	const warn: Warn = (slot, message, intervalMs) =>
		warnSparingly(context, slot, clock.now(), message, intervalMs);
	const authentication = readAuthentication(context);
	const store = openStore(context, authentication);
	const saved = await store.read();
	const proof = body && (await answerProbe({ body, headers }, saved, store.ownSecret, clock));
	if (proof) {
		context.getResponseObject().status(proof.status).end(proof.text);
		return ANSWERED;
	}
	const use = context.getMode() === 'manual' ? 'test' : 'production';
	const node = nodeOf(context, use);
	node.dispatch({ type: 'read', stored: saved });
	const known = withStored(node.set, saved);
	const valid = accepted(known, clock.now());
	// A probe that is not from this node is refused like any forgery.
	const isForgedProbe = PROBE_HEADER in headers;
	const signature: unknown = headers[SIGNATURE_HEADER];
	const signer = body && !isForgedProbe ? signerOf(body, signature, valid) : undefined;
	if (!body || !signer) {
		warn(node.warnings.refused, `A delivery was refused: ${refusalReason(valid)}`);
		return refuse(context, 401);
	}

	const event = readEvent(body);
	if (!event) {
		warn(node.warnings.unreadable, 'A signed delivery was ignored: its body is not an event');
		return NOTHING_TO_DO;
	}
	const settings = readSettings(context, context.getNode().typeVersion);
	const { overlapMs } = settings;
	node.dispatch({ type: 'delivered', id: signer.id, overlapMs, now: clock.now() });
	// An execution that ran long wrote back an old copy; this delivery proves that the subscription known here works.
	if (use === 'production' && isOverwritten(node.set, saved)) await store.write(stored(node.set));
	const subscription = known.current ?? signer;
	const overlaps = valid.length > 1;
	const verified = { event, signer, subscription, overlaps, settings };
	return await startWith(context, node, verified, clock, warn);
}

/** The bytes of the request; undefined where n8n has none, as for multipart bodies. */
async function rawBody(context: IWebhookFunctions): Promise<Uint8Array | undefined> {
	const request = context.getRequestObject();
	if (/^multipart\//i.test(request.headers['content-type'] ?? '')) return undefined;
	if (!Buffer.isBuffer(request.rawBody)) await request.readRawBody();
	return Buffer.isBuffer(request.rawBody) ? request.rawBody : undefined;
}

/** Why no subscription of the node signed a delivery, in words for the log. */
function refusalReason(valid: readonly Subscription[]): string {
	if (valid.length === 0) return 'this node has no subscription';
	return valid.some(({ secret }) => secret === '')
		? 'the credential has changed, so the saved secret cannot be read; the trigger renews the subscription'
		: 'it is not signed by a subscription of this node';
}

interface Verified {
	event: DeliveredEvent;
	/** The subscription that signed it; during an overlap not the current one. */
	signer: Subscription;
	/** The current subscription of the node. */
	subscription: Subscription;
	/** Whether other subscriptions may deliver the event, too. */
	overlaps: boolean;
	settings: TriggerSettings;
}

/** Starts the workflow with a verified event, unless the node's settings exclude it. */
async function startWith(
	context: IWebhookFunctions,
	node: NodeState,
	{ event, signer, subscription, overlaps, settings }: Verified,
	clock: Clock,
	warn: Warn,
): Promise<IWebhookResponseData> {
	const openService = async () => await openSession(context, settings.authentication, clock);
	const wrong = misdirection(event, subscription, settings.events);
	if (wrong) {
		warn(node.warnings.leftOut, `A signed delivery was ignored: ${wrong}`);
		return NOTHING_TO_DO;
	}
	const tooOld = await excessiveAge(node, event, settings, openService, clock);
	if (tooOld) {
		warn(node.warnings.leftOut, `An event was ignored: ${tooOld}`);
		return NOTHING_TO_DO;
	}
	const mayRepeat = !settings.ignoreDuplicates;
	const outcome = await node.deliveries.claim(
		{ key: event.key, subscription: signer.id, mayRepeat, overlaps },
		context.getResponseObject(),
		clock,
		(sign) => onStrain(node, signer.id, sign, clock, warn),
	);
	if (outcome === 'duplicate') return NOTHING_TO_DO;
	if (outcome === 'pending') return refuse(context, 503);

	const credentials = Object.values(context.getNode().credentials ?? {}).map(({ id }) => id);
	const place = { openService, credentials, workspaceId: subscription.workspaceId };
	const index = await fieldsFor(event, settings, place, clock);
	const isWanted = isRelevant(event, settings, index, localTime(context), {
		watchFields: (message) => warn(node.warnings.watchFields, message),
		filters: (message) => warn(node.warnings.filters, message),
	});
	if (!isWanted) return NOTHING_TO_DO;
	return { ...NOTHING_TO_DO, workflowData: [[{ json: outputOf(event, settings, index) }]] };
}

/** Notes that the service may have paused the subscription. */
function onStrain(node: NodeState, id: string, sign: StrainSign, clock: Clock, warn: Warn): void {
	node.dispatch({ type: 'strained', id, now: clock.now() });
	if (node.set.strain === undefined) return;
	warn(node.warnings.late, strainWarning(sign), STRAIN_INTERVAL_MS);
}
