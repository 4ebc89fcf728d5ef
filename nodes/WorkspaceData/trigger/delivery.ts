import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { type DeliveredEvent, readEvent } from '../model/event';
import type { FieldIndex } from '../model/fieldResolution';
import { isSigned, SIGNATURE_HEADER } from '../model/signature';
import type { KeptSubscriptions, Subscription } from '../model/subscription';
import { systemClock, type Clock } from '../transport/clock';
import { knownFields } from './fieldNames';
import { loadSubscriptions } from './keptSubscriptions';
import { memoryOf } from './memory';
import { simplified } from './output';
import { takeOn } from './repetition';
import { readSettings, type TriggerSettings } from './settings';
import { warnSparingly } from './warning';
import { touches, unknownNames } from './watchedFields';

/**
 * How much later than the current subscription an event must be for a retired one's delivery of it to
 * be superfluous, in ms: both are times of the service, but not necessarily of one clock.
 */
const CLEARLY_LATER_MS = 30_000;

/** The bytes of the request; undefined where n8n has none, as for multipart bodies. */
async function rawBody(context: IWebhookFunctions): Promise<Uint8Array | undefined> {
	const request = context.getRequestObject();
	if (/^multipart\//i.test(request.headers['content-type'] ?? '')) return undefined;
	if (!Buffer.isBuffer(request.rawBody)) await request.readRawBody();
	return Buffer.isBuffer(request.rawBody) ? request.rawBody : undefined;
}

/** The subscription whose secret signed the delivery. All are tried, so that it takes the same time. */
function signer(
	{ current, retired }: KeptSubscriptions,
	body: Uint8Array,
	signature: unknown,
): Subscription | undefined {
	const subscriptions = [...(current ? [current] : []), ...retired];
	return subscriptions.filter(({ secret }) => isSigned(body, signature, [secret]))[0];
}

/** Why a signed event is not for this node, in words for the log; undefined when it is. */
function misdirection(
	event: DeliveredEvent,
	{ workspaceId, cardId }: Subscription,
	events: readonly string[],
): string | undefined {
	if (!events.includes(event.event)) return `the event '${event.event}' was not asked for`;
	if (event.workspaceId !== undefined && event.workspaceId !== workspaceId) {
		return 'it is of another workspace';
	}
	if (event.cardId !== undefined && cardId !== null && event.cardId !== cardId) {
		return 'it is of another card';
	}
	return undefined;
}

function isTooOld({ happenedAt }: DeliveredEvent, maxAgeMs: number, serviceNow: number): boolean {
	return happenedAt !== undefined && serviceNow - happenedAt > maxAgeMs;
}

const NOTHING_TO_DO: IWebhookResponseData = { webhookResponse: { received: true } };

const isWatched = ({ event }: DeliveredEvent, { watchFields }: TriggerSettings): boolean =>
	event === 'record.updated' && watchFields.length > 0;

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
	const isNamed = simple && fieldKeys === 'name';
	if (!data || cardId === undefined || !(isNamed || isWatched(event, settings))) return undefined;
	const watched = isWatched(event, settings) && card !== undefined ? watchFields : [];
	const isEnough = (index: FieldIndex) =>
		Object.keys(data).every((id) => index.byId(id)) && unknownNames(watched, index).length === 0;
	return await knownFields(context, authentication, { workspaceId, cardId }, isEnough, clock);
}

/**
 * Whether an update may have changed a watched field. With one card, a name that no field has is one
 * that was renamed; with all cards, it is a field that other cards have.
 */
function concerns(
	{ data = {}, cardId }: DeliveredEvent,
	{ watchFields, card }: TriggerSettings,
	index: FieldIndex | undefined,
	warn: (message: string) => void,
): boolean {
	if (!index || touches(data, watchFields, index)) return true;
	const unknown = card === undefined ? [] : unknownNames(watchFields, index);
	if (unknown.length === 0) return false;
	const names = unknown.map((name) => `'${name}'`).join(', ');
	warn(
		`Card ${cardId} has no field ${names} to watch: every update of a record starts the workflow`,
	);
	return true;
}

/**
 * `webhook()`: verifies a delivery over its raw bytes before anything else, and starts the workflow
 * with it. Anything that is not signed with a secret of this node is answered 401; a signed delivery
 * that is not wanted is answered 200. Neither starts an execution.
 *
 * @see service interface, part 6
 */
export async function receiveDelivery(
	context: IWebhookFunctions,
	clock: Clock = systemClock,
): Promise<IWebhookResponseData> {
	const memory = memoryOf(context);
	const kept = loadSubscriptions(context);
	const body = await rawBody(context);
	const signature: unknown = context.getRequestObject().headers[SIGNATURE_HEADER];
	const subscription = body && signer(kept, body, signature);
	if (!body || !subscription) {
		const reason =
			kept.current || kept.retired.length > 0
				? 'it is not signed by a subscription of this node'
				: 'this node has no subscription';
		warnSparingly(
			context,
			memory.warnings.refused,
			clock.now(),
			`A delivery was refused: ${reason}`,
		);
		context.getResponseObject().status(401).end();
		return { noWebhookResponse: true };
	}

	if (subscription.id === kept.current?.id) memory.aliveAt = clock.now();
	const event = readEvent(body);
	if (!event) return NOTHING_TO_DO;
	const settings = readSettings(context);
	const wanted = kept.current ?? subscription;
	const wrong = misdirection(event, wanted, settings.events);
	if (wrong) {
		warnSparingly(
			context,
			memory.warnings.leftOut,
			clock.now(),
			`A signed delivery was left out: ${wrong}`,
		);
		return NOTHING_TO_DO;
	}
	const serviceNow = clock.now() + wanted.clockAheadMs;
	if (isTooOld(event, settings.maxEventAgeMs, serviceNow)) return NOTHING_TO_DO;

	// The current subscription delivers it as well, perhaps to another process of this n8n.
	const isSuperfluous =
		subscription.id !== wanted.id &&
		event.happenedAt !== undefined &&
		event.happenedAt > wanted.since + CLEARLY_LATER_MS;
	if (isSuperfluous) return NOTHING_TO_DO;
	if (settings.ignoreDuplicates) {
		const response = context.getResponseObject();
		if (!(await takeOn(memory.deliveries, event.key, response, clock))) return NOTHING_TO_DO;
	}

	const index = await fieldsFor(context, event, settings, wanted.workspaceId, clock);
	const warn = (message: string) =>
		warnSparingly(context, memory.warnings.watchFields, clock.now(), message);
	if (isWatched(event, settings) && !concerns(event, settings, index, warn)) return NOTHING_TO_DO;
	const { simple, fieldKeys } = settings;
	const json = simple
		? simplified(event, fieldKeys === 'name' ? index : undefined)
		: (event.body as IDataObject);
	return { ...NOTHING_TO_DO, workflowData: [[{ json }]] };
}
