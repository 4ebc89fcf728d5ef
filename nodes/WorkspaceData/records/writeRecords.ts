/** Reads what all items want written, then writes it card by card. */
import { InputError } from '../values/inputError';
import { newWork, type CardWork, type LastResult } from './cardWork';
import type { Entry, ItemResult } from './entry';
import { failureOf } from './refusals';
import { conclude } from './results';
import type { CardReference, Run } from './run';
import { refuseCard, writeCards } from './write';

/** How an operation reads what its items write. */
export interface EntryReader {
	/** Reads an item. @throws InputError */
	read: (itemIndex: number, result: ItemResult) => Promise<Entry>;
	/** For a Sync, whose items of a card stand or fall together: the card of an item that can't be read. */
	cardOf?: ((itemIndex: number) => Promise<CardReference>) | undefined;
}

/** @returns the results of each item, and those after all items */
export async function writeRecords(
	run: Run,
	{ read, cardOf }: EntryReader,
): Promise<{ items: ItemResult[]; last: LastResult[] }> {
	const items = newResults(run);
	const works = new Map<string, CardWork>();
	const unread: Array<{ itemIndex: number; card: CardReference | undefined }> = [];
	for (const [itemIndex, result] of items.entries()) {
		await run.breathe();
		try {
			const entry = await read(itemIndex, result);
			const known = works.get(entry.card.id);
			if (known) known.entries.push(entry);
			else works.set(entry.card.id, newWork(run, entry.card, entry));
		} catch (error) {
			result.error = failureOf(error);
			if (!run.continues) break;
			const card = await cardOf?.(itemIndex).catch(() => undefined);
			if (cardOf) unread.push({ itemIndex, card });
		}
	}
	for (const work of works.values()) {
		const beside = unread.find(({ card }) => !card || card.id === work.card.id);
		if (beside) refuseCard(run, work, besideUnread(work.card, beside.itemIndex));
	}
	const last = await writeCards(run, [...works.values()], items);
	conclude(run, items);
	return { items, last };
}

/** The results of a run's items, before anything is done. */
export const newResults = ({ itemCount }: Run): ItemResult[] =>
	Array.from({ length: itemCount }, () => ({ json: [] }));

const besideUnread = ({ name }: CardReference, itemIndex: number): InputError =>
	new InputError(
		`Nothing was sent for card '${name}', because item ${itemIndex} isn't valid`,
		'Correct that item, then run all items again.',
	);
