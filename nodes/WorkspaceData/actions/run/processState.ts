/** What executions of this process share about what they write. Everything in actions/ that outlives a run is here. */
import { BoundedMap } from '../../model/boundedMap';
import { createKeyedQueue } from '../../model/keyedQueue';
import { CardMemory } from './cardMemory';

/** The cards that this process wrote to in the last minute, by their addresses. */
const memories = new Map<string, CardMemory>();

/** Ends the memories that nobody needs any more. @param now ms since the epoch */
export function forgetCards(now: number): void {
	for (const [address, memory] of memories) if (memory.isOver(now)) memories.delete(address);
}

/** The memory of a card. @param address of the card */
export function memoryOf(address: string): CardMemory {
	const known = memories.get(address) ?? new CardMemory();
	memories.set(address, known);
	return known;
}

/** Runs tasks on one thing in turn, by its address. */
export const turns = createKeyedQueue();

/** When something was created without an answer, by its address, in ms since the epoch. */
export const unclearCreations = new BoundedMap<string, number>(1_000);

/** Services that have shown that they keep the values that a change does not name, by their address. A service does one or the other. */
export const keepingServices = new BoundedMap<string, true>(1_000);
