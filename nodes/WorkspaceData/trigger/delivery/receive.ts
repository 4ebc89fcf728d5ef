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
import { readAuthentication, readSettings, type TriggerSettings } from '../parameters';
import { nodeOf, type NodeState } from '../subscription/nodeState';
import { readStore, writeStore } from '../subscription/storage';
import { answerProbe } from './answerProbe';
import { comparedFields, isFiltered, meetsConditions } from './conditions';
import type { StrainSign } from './duplicates';
import { knownFields } from './fieldNames';
import { concerns, excessiveAge, isWatched, misdirection } from './relevance';
import { rawBody, signerOf } from './verify';
import { unknownNames } from './watchedFields';

/** At most one line about late answers in so many ms: as long as a renewal may take. */
const STRAIN_INTERVAL_MS = 600_000;

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
	const authentication = readAuthentication(context);
	const saved = await readStore(context, authentication);
	const body = await rawBody(context);
	const answered = body && (await answerProbe(context, body, saved, authentication, clock));
	if (answered) return answered;
	const use = context.getMode() === 'manual' ? 'test' : 'production';
	const node = nodeOf(context, use);
	const warn = (slot: WarningSlot, message: string) =>
		warnSparingly(context, slot, clock.now(), message);
	node.dispatch({ type: 'read', stored: saved });
	const known = withStored(node.set, saved);
	const valid = accepted(known, clock.now());
	// A probe that is not from this node is refused like any forgery.
	const isForgedProbe = PROBE_HEADER in context.getRequestObject().headers;
	const signer = body && !isForgedProbe ? signerOf(context, body, valid) : undefined;
	if (!body || !signer) {
		warn(node.warnings.refused, `A delivery was refused: ${refusalReason(valid)}`);
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
		await writeStore(context, authentication, stored(node.set));
	}
	const subscription = known.current ?? signer;
	const overlaps = valid.length > 1;
	const verified = { event, signer, subscription, overlaps, settings };
	return await startWith(context, node, verified, clock, warn);
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
	const outcome = await node.deliveries.claim(
		{ key: event.key, subscription: signer.id, mayRepeat, overlaps },
		context.getResponseObject(),
		clock,
		(sign) => onStrain(context, node, signer.id, sign, clock),
	);
	if (outcome === 'duplicate') return NOTHING_TO_DO;
	if (outcome === 'pending') return refuse(context, 503);

	const index = await fieldsFor(context, event, settings, subscription.workspaceId, clock);
	const tell = (message: string) => warn(node.warnings.watchFields, message);
	if (isWatched(event, settings) && !concerns(event, settings, index, tell)) return NOTHING_TO_DO;
	const place = {
		index,
		zone: localTime(context),
		tell: (message: string) => warn(node.warnings.filters, message),
	};
	if (isFiltered(event, settings) && !meetsConditions(event, settings, place)) return NOTHING_TO_DO;
	const json = outputOf(event, settings, index);
	return { ...NOTHING_TO_DO, workflowData: [[{ json }]] };
}

/** What a late answer means, in words for the log. */
const STRAIN: Record<StrainSign, string> = {
	late: 'A delivery was answered late',
	refused: 'A delivery was not answered with success',
	repeated: 'A delivery came again',
	hungUp: 'A sender did not wait for the answer to its delivery',
};

/** Notes that the service may have paused the subscription. */
function onStrain(
	context: IWebhookFunctions,
	node: NodeState,
	id: string,
	sign: StrainSign,
	clock: Clock,
): void {
	const now = clock.now();
	node.dispatch({ type: 'strained', id, now });
	if (node.set.strain === undefined) return;
	const message = `${STRAIN[sign]}: n8n may have too little time or too few places for executions. In case the service pauses the subscription, the trigger renews it within ten minutes, unless deliveries continue`;
	warnSparingly(context, node.warnings.late, now, message, STRAIN_INTERVAL_MS);
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
