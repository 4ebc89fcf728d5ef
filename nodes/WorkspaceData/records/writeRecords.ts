/** Reads what all items want written, then writes it card by card. */
import { InputError } from '../values/inputError';
import { foldCase } from '../values/nameSpelling';
import { newWork, type CardWork } from './cardWork';
import type { Entry, ItemResult, Results } from './entry';
import { failureOf } from './refusals';
import { conclude } from './results';
import type { CardReference, Run } from './run';
import { isSync, refuseCard, writeCards } from './write';

/** How an operation reads and writes what its items want. */
export interface WriteOperation {
	/** Reads an item; undefined to leave it out. @throws InputError */
	read: (itemIndex: number, result: ItemResult) => Promise<Entry | undefined>;
	/** The card of an item that can't be read, for a Sync: its items of a card stand or fall together. */
	cardOf?: (itemIndex: number) => Promise<CardReference>;
	/** Writes to the cards. */
	write?: typeof writeCards;
}

export async function writeRecords(
	run: Run,
	{ read, cardOf, write = writeCards }: WriteOperation,
): Promise<Results> {
	const items = run.context.getInputData().map((): ItemResult => ({ json: [] }));
	const works = new Map<string, CardWork>();
	const unread: number[] = [];
	for (const [itemIndex, result] of items.entries()) {
		await run.breathe();
		try {
			const entry = await read(itemIndex, result);
			if (entry) addEntry(run, works, entry);
		} catch (error) {
			result.error = failureOf(error);
			if (!run.continues) break;
			unread.push(itemIndex);
		}
	}
	for (const work of [...works.values()].filter(({ entries }) => entries.some(isSync))) {
		for (const itemIndex of unread) {
			const card = await cardOf?.(itemIndex).catch(() => undefined);
			if (!card || card.id === work.card.id)
				refuseCard(run, work, besideUnread(work.card, itemIndex));
		}
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
