/** `webhook()`: what becomes of a delivery. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { type DeliveredEvent, readEvent } from '../../model/event';
import type { FieldIndex } from '../../model/fieldIndex';
import type { Subscription } from '../../model/subscription/stored';
import { PROBE_HEADER } from '../../model/subscription/proof';
import { accepted, isOverwritten, stored, withStored } from '../../model/subscription/merge';
import { type Clock, systemClock } from '../../transport/http/clock';
import { localTime } from '../../transport/localTime';
import { warnSparingly, type WarningSlot } from '../log';
import { outputOf } from '../output';
import { readSettings, type TriggerSettings } from '../parameters';
import { nodeOf, type NodeState } from '../subscription/nodeState';
import { readStore, writeStore } from '../subscription/storage';
import { answerProbe } from './answerProbe';
import { comparedFields, isFiltered, meetsConditions } from './conditions';
import { knownFields } from './fieldNames';
import { concerns, excessiveAge, isWatched, misdirection } from './relevance';
import { rawBody, signerOf } from './verify';
import { unknownNames } from './watchedFields';

const NOTHING_TO_DO: IWebhookResponseData = { webhookResponse: { received: true } };

/** Answers without an execution, so that the service tries again. */
function refuse(context: IWebhookFunctions, status: 401 | 503): IWebhookResponseData {
	context.getResponseObject().status(status).end();
	return { noWebhookResponse: true };
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
	const nonce: unknown = context.getRequestObject().headers[PROBE_HEADER];
	if (typeof nonce === 'string') return await answerProbe(context, nonce, clock);
	const use = context.getMode() === 'manual' ? 'test' : 'production';
	const node = nodeOf(context, use);
	const warn = (slot: WarningSlot, message: string) =>
		warnSparingly(context, slot, clock.now(), message);
	const saved = readStore(context);
	node.dispatch({ type: 'read', stored: saved });
	const known = withStored(node.set, saved);
	const valid = accepted(known, clock.now());
	const body = await rawBody(context);
	const signer = body && signerOf(context, body, valid);
	if (!body || !signer) {
		const reason =
			valid.length > 0
				? 'it is not signed by a subscription of this node'
				: 'this node has no subscription';
		warn(node.warnings.refused, `A delivery was refused: ${reason}`);
		return refuse(context, 401);
	}

	const event = readEvent(body);
	if (!event) {
		warn(node.warnings.unreadable, 'A signed delivery was ignored: its body is not an event');
		return NOTHING_TO_DO;
	}
	const settings = readSettings(context);
	node.dispatch({
		type: 'delivered',
		id: signer.id,
		overlapMs: settings.overlapMs,
		now: clock.now(),
	});
	// An execution that ran long wrote back an old copy; this delivery proves that the subscription known here works.
	if (use === 'production' && isOverwritten(node.set, saved)) {
		writeStore(context, stored(node.set));
	}
	const subscription = known.current ?? signer;
	return await startWith(context, node, { event, signer, subscription, settings }, clock, warn);
}

interface Verified {
	event: DeliveredEvent;
	/** The subscription that signed it; during an overlap not the current one. */
	signer: Subscription;
	/** The current subscription of the node. */
	subscription: Subscription;
	settings: TriggerSettings;
}

/** Starts the workflow with a verified event, unless the node's settings exclude it. */
async function startWith(
	context: IWebhookFunctions,
	node: NodeState,
	{ event, signer, subscription, settings }: Verified,
	clock: Clock,
	warn: (slot: WarningSlot, message: string) => void,
): Promise<IWebhookResponseData> {
	const wrong = misdirection(event, subscription, settings.events);
	if (wrong) {
		warn(node.warnings.leftOut, `A signed delivery was ignored: ${wrong}`);
		return NOTHING_TO_DO;
	}
	const age = await excessiveAge(context, node, event, settings, clock);
	if (age !== undefined) {
		const minutes = Math.round(age / 60_000);
		warn(
			node.warnings.leftOut,
			`An event was ignored: it is ${minutes} minutes old, more than 'Max Event Age' allows`,
		);
		return NOTHING_TO_DO;
	}
	const mayRepeat = !settings.ignoreDuplicates;
	const taken = { key: event.key, subscription: signer.id, mayRepeat };
	const outcome = await node.deliveries.claim(taken, context.getResponseObject(), clock);
	if (outcome === 'duplicate') return NOTHING_TO_DO;
	if (outcome === 'pending') return refuse(context, 503);

	const index = await fieldsFor(context, event, settings, subscription.workspaceId, clock);
	const tell = (message: string) => warn(node.warnings.watchFields, message);
	if (isWatched(event, settings) && !concerns(event, settings, index, tell)) return NOTHING_TO_DO;
	const place = {
		index,
		toUtc: localTime(context),
		tell: (message: string) => warn(node.warnings.filters, message),
	};
	if (isFiltered(event, settings) && !meetsConditions(event, settings, place)) return NOTHING_TO_DO;
	const json = outputOf(event, settings, index);
	return { ...NOTHING_TO_DO, workflowData: [[{ json }]] };
}

/** The fields of the event's card, where names are needed. */
async function fieldsFor(
	context: IWebhookFunctions,
	event: DeliveredEvent,
	settings: TriggerSettings,
	workspaceId: string,
	clock: Clock,
): Promise<FieldIndex | undefined> {
	const { authentication, simple, fieldKeys, watchFields, card } = settings;
	const { data, cardId } = event;
	const isNamed = data !== undefined && simple && fieldKeys === 'name';
	const watches = data !== undefined && isWatched(event, settings);
	const filters = isFiltered(event, settings);
	if (cardId === undefined || !(isNamed || watches || filters)) return undefined;
	const wanted = [...(watches ? watchFields : []), ...(filters ? comparedFields(settings) : [])];
	const isEnough = (index: FieldIndex) =>
		Object.keys(data ?? {}).every((id) => index.byId(id)) &&
		(card === undefined || unknownNames(wanted, index).length === 0);
	return await knownFields(context, authentication, { workspaceId, cardId }, isEnough, clock);
}
