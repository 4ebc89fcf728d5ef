/** Sync: checks all items of all cards, then writes the cards one after the other. */
import type { JsonObject } from '../../model/response/jsonObject';
import { Cancelled } from '../../transport/failure/failureKinds';
import type { CardReference, Run } from '../run/run';
import { CardSync, type Outcomes, type SyncPart } from './cardSync';

/**
 * Syncs all cards with their items.
 *
 * @param read returns an item's values and settings
 * @param findCard returns an item's card, although its values are invalid
 * @returns a function that returns the output of an item, or throws its error. It works once for each item
 */
export async function syncAll(
	run: Run,
	read: (itemIndex: number) => Promise<SyncPart>,
	findCard: (itemIndex: number) => Promise<CardReference>,
): Promise<(itemIndex: number) => JsonObject[]> {
	const cards = new Map<string, CardSync>();
	const errors = new Map<number, unknown>();
	/** The first item whose card isn't known: its record could be missing from any of the cards. */
	let homeless: number | undefined;
	for (const itemIndex of run.context.getInputData().keys()) {
		await run.yieldToLoop();
		const part = await read(itemIndex).catch((error) => void errors.set(itemIndex, error));
		const card = part ? part.write.card : await findCard(itemIndex).catch(() => undefined);
		if (!card) {
			homeless ??= itemIndex;
			continue;
		}
		const own = cards.get(card.id) ?? new CardSync(run, card);
		cards.set(card.id, own);
		own.add(itemIndex, part ?? undefined);
	}
	const outcomes: Outcomes = new Map([...errors].map(([index, error]) => [index, { error }]));
	const writes: Array<(outcomes: Outcomes) => Promise<void>> = [];
	for (const own of cards.values()) {
		own.invalid ??= homeless;
		try {
			writes.push(await own.check(errors));
		} catch (error) {
			for (const index of own.indexes) outcomes.set(index, { error: errors.get(index) ?? error });
		}
		await run.yieldToLoop();
	}
	if (outcomes.size === 0 || run.context.continueOnFail()) {
		for (const write of writes) await write(outcomes);
	} else if (errors.size > 0) {
		// The run ends with one error: that of an item tells more than that of its card.
		for (const index of outcomes.keys()) if (!errors.has(index)) outcomes.delete(index);
	}
	return (itemIndex) => {
		const outcome = outcomes.get(itemIndex);
		outcomes.delete(itemIndex);
		if (!outcome) throw new Cancelled();
		if ('error' in outcome) throw outcome.error;
		return outcome.json;
	};
}
