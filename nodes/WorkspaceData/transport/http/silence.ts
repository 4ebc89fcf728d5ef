/** Servers that did not answer in time: nobody is made to wait for them twice. */
import { BoundedMap } from '../../model/boundedMap';
import { isTimeOut } from '../failure/failures';
import type { Clock } from './clock';

/** Time-outs in a row after which the rest of an execution fails at once. */
export const MAX_TIMEOUTS = 3;
/** How long calls that somebody waits for fail at once after a time-out, in ms. */
const SILENT_MS = 20_000;
const MAX_ORIGINS = 1_000;
/** A time-out after less than this, in ms, tells nothing about a server: the limit may just be short. */
const MIN_TIMEOUT_MS = 5_000;

/** Until when servers count as silent, in ms since the epoch, by the clock that tells the time. */
const silences = new WeakMap<Clock, BoundedMap<string, number>>();

function silentUntil(clock: Clock): BoundedMap<string, number> {
	const known = silences.get(clock) ?? new BoundedMap<string, number>(MAX_ORIGINS);
	silences.set(clock, known);
	return known;
}

/** Whether a server kept silent in the last seconds. @param url any address of it */
export const isSilent = (url: string, clock: Clock): boolean =>
	(silentUntil(clock).get(new URL(url).origin) ?? 0) > clock.now();

/**
 * Notes the outcome of a try.
 *
 * @param url any address of the server
 * @param outcome an answer, or why there is none
 * @param waitedMs how long it was waited for
 * @returns whether the server kept silent; undefined if that is unknown
 */
export function noteSilence(
	url: string,
	outcome: unknown,
	waitedMs: number,
	clock: Clock,
): boolean | undefined {
	const isSilence = isTimeOut(outcome);
	if (isSilence && waitedMs < MIN_TIMEOUT_MS) return undefined;
	silentUntil(clock).set(new URL(url).origin, isSilence ? clock.now() + SILENT_MS : 0);
	return isSilence;
}
