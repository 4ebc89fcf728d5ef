/** Reads what all items want written, then writes it card by card. */
import { InputError } from '../values/inputError';
import { foldCase } from '../values/nameSpelling';
import { newWork, type CardWork, type LastResult } from './cardWork';
import type { Entry, ItemResult } from './entry';
import { failureOf } from './refusals';
import { conclude } from './results';
import type { CardReference, Run } from './run';
import { refuseCard, writeCards } from './write';

/** How an operation reads and writes what its items want. */
export interface WriteOperation {
	/** Reads an item; undefined to leave it out. @throws InputError */
	read: (itemIndex: number, result: ItemResult) => Promise<Entry | undefined>;
	/** For a Sync, whose items of a card stand or fall together: the card of an item that can't be read. */
	cardOf?: ((itemIndex: number) => Promise<CardReference>) | undefined;
	/** Writes to the cards. */
	write?: typeof writeCards;
}

/** @returns the results of each item, and those after all items */
export async function writeRecords(
	run: Run,
	{ read, cardOf, write = writeCards }: WriteOperation,
): Promise<{ items: ItemResult[]; last: LastResult[] }> {
	const items = Array.from({ length: run.itemCount }, (): ItemResult => ({ json: [] }));
	const works = new Map<string, CardWork>();
	const unread: Array<{ itemIndex: number; card: CardReference | undefined }> = [];
	for (const [itemIndex, result] of items.entries()) {
		await run.breathe();
		try {
			const entry = await read(itemIndex, result);
			if (entry) addEntry(run, works, entry);
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
	const isStopped = !run.continues && items.some(({ error }) => error !== undefined);
	const last = isStopped ? [] : await write(run, [...works.values()], items);
	conclude(run, items);
	return { items, last };
}

function addEntry(run: Run, works: Map<string, CardWork>, entry: Entry): void {
	const { id, name } = entry.card;
	const key = id || foldCase(name);
	const known = works.get(key);
	if (known) known.entries.push(entry);
	else works.set(key, newWork(run, entry));
}

const besideUnread = ({ name }: CardReference, itemIndex: number): InputError =>
	new InputError(
		`Nothing was sent for card '${name}', because item ${itemIndex} isn't valid`,
		'Correct that item, then run all items again.',
	);
