/** Checks the age of an event by the service's clock. */
import type { DeliveredEvent } from '../../model/webhookEvent';
import type { Session } from '../../transport/session';
import type { Clock } from '../../transport/http/clock';
import type { TriggerSettings } from '../parameters';
import type { TriggerNode } from '../subscription/node';

/** How long the response to a delivery may wait for the service's time, in ms. */
const TIME_CALL = { impatient: true, timeoutMs: 3_000 } as const;
/** Max time by which an event may be in the future, in ms. Beyond it, the clocks differ. */
const PLAUSIBLE_FUTURE_MS = 60_000;

/**
 * Explains for the log why an event is too old; undefined if it isn't. Somebody may have corrected
 * either clock, so they are compared again before an event is ignored, at most once a minute. If this fails, the event counts as recent.
 */
export async function excessiveAge(
	node: TriggerNode,
	event: DeliveredEvent,
	settings: TriggerSettings,
	openService: () => Promise<Session>,
	clock: Clock,
): Promise<string | undefined> {
	// The age of an event without a time is NaN, so it is never too old.
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

/** Reads the service's time from the smallest response in the interface. */
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
