/** What executions of this process share about their writes. No other state in actions/ outlives a run. */
import { BoundedMap } from '../../values/boundedMap';
import { createKeyedQueue } from '../../model/keyedQueue';
import { CardLog } from './cardLog';
import { UnclearCreations } from './unclearCreations';

/** The cards that a run uses, or where a creation less than a minute ago got no clear response; by their addresses. */
const logs = new Map<string, CardLog>();

/** Opens the log of a card for a run. @param address the card's address */
export function openLog(address: string, run: object): CardLog {
	const log = logs.get(address) ?? new CardLog();
	logs.set(address, log);
	log.open(run);
	return log;
}

/** Closes a log for a run. The last run forgets it. @param now ms since the epoch */
export function closeLog(log: CardLog, run: object, now: number): void {
	log.close(run);
	for (const [address, one] of logs) if (one.isOver(now)) logs.delete(address);
}

/** Runs tasks on the same thing one after the other, by its address. */
export const turns = createKeyedQueue();

export const unclearCreations = new UnclearCreations();

/** Services that are known to keep the values that a change doesn't name, by their address. */
export const keepingServices = new BoundedMap<string, true>(1_000);

/** What each execution has synced of each card. An execution has one signal for all of its nodes. */
const synced = new WeakMap<AbortSignal, Map<string, Set<string>>>();

/** Returns what an execution has synced of a card, to be added to. @param card its address */
export function syncedIn(execution: AbortSignal | undefined, card: string): Set<string> {
	if (!execution) return new Set();
	const cards = synced.get(execution) ?? new Map<string, Set<string>>();
	synced.set(execution, cards);
	const own = cards.get(card) ?? new Set<string>();
	cards.set(card, own);
	return own;
}
