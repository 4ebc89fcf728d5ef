/** Reads what all items want written, then writes it card by card. */
import { InputError } from '../values/inputError';
import type { JsonObject } from '../values/jsonObject';
import type { Entry } from './entry';
import { failureOf } from './refusals';
import type { CardReference, Run } from './run';
import type { Marks } from './stepOutput';
import { newWork, type CardWork } from './cardWork';
import { writeCards } from './write';
import { WriteResults, type ItemResult } from './writeResults';

/** How an operation writes records. */
export interface WriteOperation {
	/** Reads what an item writes from its parameters. @throws InputError */
	read: (itemIndex: number) => Promise<Entry>;
	/** How records are shown. */
	marks: Marks;
	/** For a Sync, whose items of a card stand or fall together: the card of an item that can't be read. */
	cardOf?: (itemIndex: number) => Promise<CardReference>;
}

/** @returns the results of each item, and those after all items */
export async function writeRecords(
	run: Run,
	{ read, marks, cardOf }: WriteOperation,
): Promise<{ items: ItemResult[]; last: Array<{ itemIndex: number; json: JsonObject }> }> {
	const results = new WriteResults(run, cardOf !== undefined);
	const works = new Map<string, CardWork>();
	/** The first item that can't be read, by its card; '' if that isn't known. */
	const invalid = new Map<string, number>();
	for (let itemIndex = 0; itemIndex < run.itemCount; itemIndex += 1) {
		await run.breathe();
		try {
			addEntry(run, works, await read(itemIndex), marks);
		} catch (error) {
			results.fail(itemIndex, failureOf(error));
			if (results.isStopped) return results.outcomes;
			const card = await cardOf?.(itemIndex).catch(() => undefined);
			if (cardOf && !invalid.has(card?.id ?? '')) invalid.set(card?.id ?? '', itemIndex);
		}
	}
	const valid: CardWork[] = [];
	for (const work of works.values()) {
		const itemIndex = invalid.get(work.card.id) ?? invalid.get('');
		if (itemIndex === undefined) valid.push(work);
		else results.refuseCard(work, besideInvalid(work.card, itemIndex));
	}
	await writeCards(run, valid, results);
	return results.outcomes;
}

function addEntry(run: Run, works: Map<string, CardWork>, entry: Entry, marks: Marks): void {
	const { card, isDry, common } = entry;
	const key = JSON.stringify([card.id, isDry && !common]);
	const known = works.get(key);
	if (known) known.entries.push(entry);
	else works.set(key, newWork(run, card, entry, marks));
}

const besideInvalid = ({ name }: CardReference, itemIndex: number): InputError =>
	new InputError(
		`Nothing was sent for card '${name}', because item ${itemIndex} isn't valid`,
		'Correct that item, then run all items again.',
	);
