/** Whether a verified event is one that the node was asked to react to. */
import type { IWebhookFunctions } from 'n8n-workflow';
import type { DeliveredEvent } from '../../model/event';
import type { FieldIndex } from '../../model/fieldIndex';
import type { Subscription } from '../../model/subscription/stored';
import { openApi } from '../../transport/api';
import type { Clock } from '../../transport/http/clock';
import type { TriggerSettings } from '../parameters';
import type { NodeState } from '../subscription/nodeState';
import { touches, unknownNames } from './watchedFields';

/** How long the answer to a delivery may wait for the service's time, in ms. */
const TIME_CALL = { impatient: true, timeoutMs: 3_000 } as const;
/** An event cannot come from further in the future, in ms; the clocks are apart then. */
const PLAUSIBLE_FUTURE_MS = 60_000;

/** Why a signed event is not for this node, in words for the log; undefined when it is. */
export function misdirection(
	event: DeliveredEvent,
	{ workspaceId, cardId }: Pick<Subscription, 'workspaceId' | 'cardId'>,
	events: readonly string[],
): string | undefined {
	if (!events.includes(event.event))
		return `'Trigger On' does not include the event '${event.event}'`;
	if (event.workspaceId !== undefined && event.workspaceId !== workspaceId) {
		return 'it is from another workspace';
	}
	if (event.cardId !== undefined && cardId !== null && event.cardId !== cardId) {
		return 'it is from another card';
	}
	return undefined;
}

/** Learns the service's time from the smallest answer that the interface offers. */
async function learnTime(
	context: IWebhookFunctions,
	node: NodeState,
	{ authentication }: TriggerSettings,
	cardId: string,
	clock: Clock,
): Promise<void> {
	const api = await openApi(context, authentication, clock);
	await api.request({
		method: 'GET',
		path: ['cards', { value: cardId, parameter: 'Card' }, 'records'],
		query: { limit: 1 },
		...TIME_CALL,
	});
	node.serviceClock = api.serviceClock;
}

/**
 * How old an event is that is too old, in ms; undefined where it is not. Either clock may have been put
 * right since they were last compared, so they are compared again before an event is left out, at most
 * once a minute. Where that fails, the event counts as fresh.
 */
export async function excessiveAge(
	context: IWebhookFunctions,
	node: NodeState,
	event: DeliveredEvent,
	settings: TriggerSettings,
	clock: Clock,
): Promise<number | undefined> {
	const { happenedAt, cardId } = event;
	if (happenedAt === undefined || settings.maxEventAgeMs === Infinity) return undefined;
	const aheadMs = node.set.current?.clockAheadMs ?? 0;
	const serviceNow = () => node.serviceClock?.now(aheadMs) ?? clock.now() + aheadMs;
	const age = () => serviceNow() - happenedAt;
	const isDoubtful = age() > settings.maxEventAgeMs || age() < -PLAUSIBLE_FUTURE_MS;
	if (isDoubtful && node.serviceClock?.isStale() !== false) {
		if (cardId === undefined) return undefined;
		const learned = await learnTime(context, node, settings, cardId, clock).then(
			() => true,
			() => false,
		);
		if (!learned) return undefined;
	}
	return age() > settings.maxEventAgeMs ? age() : undefined;
}

/** Whether only some changes of a record start the workflow. */
export const isWatched = ({ event }: DeliveredEvent, { watchFields }: TriggerSettings): boolean =>
	event === 'record.updated' && watchFields.length > 0;

/**
 * Whether an update may have changed a watched field. With one card, a name that no field has is one
 * that was renamed; with all cards, it is a field that other cards have.
 */
export function concerns(
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
