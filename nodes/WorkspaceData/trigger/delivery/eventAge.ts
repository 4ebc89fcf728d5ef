/** How old an event is, by the service's clock. */
import type { DeliveredEvent } from '../../model/webhookEvent';
import type { Session } from '../../transport/session';
import type { Clock } from '../../transport/http/clock';
import type { TriggerSettings } from '../parameters';
import type { TriggerNode } from '../subscription/node';

/** How long the answer to a delivery may wait for the service's time, in ms. */
const TIME_CALL = { impatient: true, timeoutMs: 3_000 } as const;
/** An event cannot come from further in the future, in ms; the clocks are apart then. */
const PLAUSIBLE_FUTURE_MS = 60_000;

/**
 * Why an event is too old, in words for the log; undefined where it is not. Either clock may have been put
 * right since they were last compared, so they are compared again before an event is left out, at most
 * once a minute. Where that fails, the event counts as fresh.
 */
export async function excessiveAge(
	node: TriggerNode,
	event: DeliveredEvent,
	settings: TriggerSettings,
	openService: () => Promise<Session>,
	clock: Clock,
): Promise<string | undefined> {
	// The age of an event without a time is no number, and so in no bounds.
	const { happenedAt = NaN, cardId } = event;
	if (settings.maxEventAgeMs === Infinity) return undefined;
	const aheadMs = node.state.saved.current?.clockAheadMs ?? 0;
	const serviceNow = () => node.serviceClock?.now(aheadMs) ?? clock.now() + aheadMs;
	const age = () => serviceNow() - happenedAt;
	const isDoubtful = age() > settings.maxEventAgeMs || age() < -PLAUSIBLE_FUTURE_MS;
	if (isDoubtful && node.serviceClock?.isStale() !== false) {
		if (cardId === undefined) return undefined;
		try {
			await learnTime(node, cardId, openService);
		} catch {
			return undefined;
		}
	}
	if (!(age() > settings.maxEventAgeMs)) return undefined;
	return `it is ${Math.round(age() / 60_000)} minutes old, more than 'Max Event Age (Minutes)' allows`;
}

/** Learns the service's time from the smallest answer that the interface offers. */
async function learnTime(
	node: TriggerNode,
	cardId: string,
	openService: () => Promise<Session>,
): Promise<void> {
	const session = await openService();
	await session.request({
		method: 'GET',
		path: ['cards', { value: cardId, parameter: 'Card' }, 'records'],
		query: { limit: 1 },
		...TIME_CALL,
	});
	node.serviceClock = session.serviceClock;
}
