/** What executions of this process share about their writes. No other state in actions/ outlives a run. */
import { BoundedMap } from '../../model/boundedMap';
import { createKeyedQueue } from '../../model/keyedQueue';
import { CardMemory } from './cardMemory';
import { getOrCreate } from './getOrCreate';

/** The cards that this process wrote to in the last minute, by their addresses. */
const memories = new Map<string, CardMemory>();

/** Removes memories that nobody needs any longer. @param now ms since the epoch */
export function forgetCards(now: number): void {
	for (const [address, memory] of memories) if (memory.isOver(now)) memories.delete(address);
}

/** Returns the memory of a card. @param address the card's address */
export const memoryOf = (address: string): CardMemory =>
	getOrCreate(memories, address, () => new CardMemory());

/** Runs tasks on the same thing one after the other, by its address. */
export const turns = createKeyedQueue();

/** When something was created without a response, in ms since the epoch, by its address. */
export const unclearCreations = new BoundedMap<string, number>(1_000);

/** Services that are known to keep the values that a change doesn't name, by their address. */
export const keepingServices = new BoundedMap<string, true>(1_000);
