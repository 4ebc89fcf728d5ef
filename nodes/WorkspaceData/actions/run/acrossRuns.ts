/** What executions of this process share about their writes. No other state in actions/ outlives a run. */
import { BoundedMap } from '../../model/boundedMap';
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

/** The records that each execution has synced, as texts. An execution has one signal for all of its nodes. */
const synced = new WeakMap<AbortSignal, Set<string>>();

/** Returns true if an execution has synced these records. */
export const hasSynced = (execution: AbortSignal | undefined, records: string): boolean =>
	execution !== undefined && synced.get(execution)?.has(records) === true;

/** Remembers that an execution has synced these records. */
export function rememberSync(execution: AbortSignal | undefined, records: string): void {
	if (execution) synced.set(execution, new Set(synced.get(execution)).add(records));
}
