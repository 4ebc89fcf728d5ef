/** Checks the age of an event by the service's clock. */
import type { DeliveredEvent } from '../webhookEvent';
import type { Session } from '../../transport/session';

/** How long the response to a delivery may wait for the service's time, in ms. */
const TIME_CALL = { impatient: true, timeoutMs: 3_000 } as const;
/** Max time by which an event may be in the future, in ms. Beyond it, the clocks differ. */
const PLAUSIBLE_FUTURE_MS = 60_000;

/**
 * Explains for the log why an event is too old; undefined if it isn't. Somebody may have corrected either
 * clock, so they are compared again before an event is ignored, at most once a minute. If this fails, the
 * event counts as recent.
 */
export async function excessiveAge(
	event: DeliveredEvent,
	maxAgeMs: number | undefined,
	openService: () => Promise<Session>,
): Promise<string | undefined> {
	if (maxAgeMs === undefined) return undefined;
	const age = await checkedAge(event, maxAgeMs, openService).catch(() => NaN);
	if (!(age > maxAgeMs)) return undefined;
	return `it is ${Math.round(age / 60_000)} minutes old, more than 'Max Event Age (Minutes)' allows`;
}

/** @returns the age in ms; NaN if it can't be known */
async function checkedAge(
	{ happenedAt = NaN, cardId }: DeliveredEvent,
	maxAgeMs: number,
	openService: () => Promise<Session>,
): Promise<number> {
	const session = await openService();
	const { serviceClock } = session.pace;
	const age = () => serviceClock.now() - happenedAt;
	const isDoubtful = age() > maxAgeMs || age() < -PLAUSIBLE_FUTURE_MS;
	if (!isDoubtful || !serviceClock.isStale()) return age();
	if (cardId === undefined) return NaN;
	// The smallest response in the interface.
	await session.request({
		method: 'GET',
		path: ['cards', { value: cardId, parameter: 'Card' }, 'records'],
		query: { limit: 1 },
		...TIME_CALL,
	});
	// A service that doesn't state its time has another clock than n8n.
	return serviceClock.isStale() ? NaN : age();
}
