/** The Sync of one card: all of its items and records are checked before the first write to any card. */
import { InputError } from '../../values/inputError';
import { quote } from '../../values/messageText';
import type { DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/jsonObject';
import { plainText } from '../../values/parameterValue';
import { isEmpty } from '../../values/emptyValue';
import { changeCard, hintAtAdditions, planChanges } from '../newFields/ensureFields';
import { readMatches, type MatchIndex, type MatchingFields } from '../reading/matchIndex';
import { readFilter } from '../reading/scan';
import type { CardReference, Run } from '../run/run';
import { inParallel } from '../schedule/items';
import { writeEach } from '../writing/changeMany';
import { settled } from '../writing/difference';
import { requireSameFields } from '../writing/freshFields';
import { convertValues, type ItemWrite } from '../writing/itemValues';
import { hintAtSpelling, itemKey, matchingFields, otherSpelling } from '../writing/matching';
import { inputErrorOf, refusalOf, type RefusedItem } from '../writing/refusals';
import { resultsOf } from '../writing/writtenItems';
import { create, updateFound } from '../writing/writeRecord';
import { noteSync, requireOneRun, type SyncSettings } from './oneRun';
import { checkAgainstRecords, type SyncItem } from './syncCheck';

/** What an item gives to its card. */
export interface SyncPart {
	write: ItemWrite;
	settings: SyncSettings;
}

/** The output or the error of each item; none if the run ended before it. */
export type Outcomes = Map<number, { json: JsonObject[] } | { error: unknown }>;

/** The matching fields of a card, and its records by their values. */
interface LiveCard {
	fields: MatchingFields;
	matches: MatchIndex;
}

/** An item to be written. */
interface SyncWrite extends SyncItem {
	write: ItemWrite;
	/** True if no record has its key. */
	isNew: boolean;
}

export class CardSync {
	/** The indexes of all items, in order. */
	readonly indexes: number[] = [];
	/** The first invalid item; of the run, if its card isn't known. */
	invalid: number | undefined;
	private readonly run: Run;
	private readonly card: CardReference;
	private readonly parts: SyncPart[] = [];
	/** The settings of the first item as text, and the first item with others. */
	private settings: string | undefined;
	private different: number | undefined;

	constructor(run: Run, card: CardReference) {
		this.run = run;
		this.card = card;
	}

	/** Adds the next item. @param part undefined for an invalid one */
	add(itemIndex: number, part: SyncPart | undefined): void {
		this.indexes.push(itemIndex);
		if (!part) {
			this.invalid ??= itemIndex;
			return;
		}
		this.parts.push(part);
		const settings = JSON.stringify([part.settings, part.write.adds]);
		this.settings ??= settings;
		if (settings !== this.settings) this.different ??= itemIndex;
	}

	/**
	 * Checks all items.
	 *
	 * @param errors receives why single items are invalid
	 * @returns a function that writes the items, and then deletes the records without an item. It sets their outcomes
	 * @throws what prevents the sync of the card
	 */
	async check(errors: Map<number, unknown>): Promise<(outcomes: Outcomes) => Promise<void>> {
		const { run, card } = this;
		const { write, settings } = this.validPart();
		const { columns, request, writer, adds } = write;
		const known = await run.fields.of(card, request);
		requireOneRun(run, card, settings, known);
		const writes = this.parts.splice(0).map((part) => part.write);
		const plan = adds.fields || adds.choices ? await planChanges(write, known, writes) : undefined;
		if (plan && writer.isDry) hintAtAdditions(write, plan);
		const grows = plan !== undefined && !writer.isDry;
		const listing = plan?.index ?? known;
		const fields = matchingFields(run, columns, listing);
		const exact = { isExact: true, hints: columns.hints };
		const meets = readFilter(settings.filters, settings.matchType, listing, run, exact);
		const matches = await readMatches(run, writer, fields);
		const records = matches.all();
		await requireSameFields(run, writer, known);
		const live = { fields, matches };
		const items = await this.convert(writes, live, grows, errors);
		if (items.some(({ isNew }) => isNew)) matches.requireComplete();
		await this.requireKnownSpelling(items, live);
		const deletions = await checkAgainstRecords({
			...settings,
			...{ card: card.name, items, records, fields, meets },
			now: new Date().toISOString(),
			pause: run.yieldToLoop,
		});
		if (deletions.length > 0) matches.requireComplete();
		return async (outcomes) => {
			const prepare = async () => (grows ? await this.grow(write, items) : live);
			const left = await this.writeAll(write, items, prepare, outcomes);
			if (left === 0) await this.deleteAll(write, settings, fields, deletions, outcomes);
			if (!left || deletions.length === 0) return;
			run.messages.hint(
				`No record of card '${card.name}' was deleted, because not all items were written. Run all items again.`,
			);
		};
	}

	/** @returns the first item @throws what prevents the sync, as far as the items show it */
	private validPart(): SyncPart {
		const { card, invalid, different } = this;
		const [first] = this.parts;
		// Without a first item, all are invalid.
		if (invalid !== undefined || !first) {
			throw new InputError(
				`Nothing was sent for card '${card.name}', because item ${invalid} isn't valid`,
				'Correct that item, then run all items again.',
			);
		}
		if (different === undefined) return first;
		throw new InputError(
			`The conditions or settings of items ${first.write.itemIndex} and ${different} differ, but both are for card '${card.name}'`,
			"Nothing was sent. 'Filters', 'Must Match', 'If Record Has No Item', 'Max Records to Delete' and 'Dry Run' must be the same for all items of a card.",
		);
	}

	/**
	 * Converts the values of all items, and drops the entered ones unless they are needed again: there may be 100,000.
	 *
	 * @param grows true if the fields of the card will change
	 * @throws InputError with all invalid items
	 */
	private async convert(
		writes: readonly ItemWrite[],
		live: LiveCard,
		grows: boolean,
		errors: Map<number, unknown>,
	): Promise<SyncWrite[]> {
		const { run } = this;
		const items: SyncWrite[] = [];
		const refused = new Map<number, RefusedItem>();
		let options: ItemWrite['options'] | undefined;
		for (const write of writes) {
			await run.yieldToLoop();
			try {
				// The options for the output are read here, because nothing may fail once records are written.
				if (write.options !== options)
					resultsOf(run, write.writer.cardRun, live.fields.index, write.options);
				options = write.options;
				const item = await converted(write, live);
				const columns = grows ? write.columns : { ...write.columns, entries: [] };
				items.push({ ...item, write: { ...write, columns } });
			} catch (error) {
				refused.set(write.itemIndex, { which: nameOf(write), error: inputErrorOf(error) });
			}
		}
		if (refused.size === 0) return items;
		// The record of a refused item may have been skipped, and may have the value.
		live.matches.requireComplete();
		const refusal = refusalOf([...refused.values()], 'Nothing was sent for its card.');
		for (const itemIndex of refused.keys()) errors.set(itemIndex, refusal);
		throw refusal;
	}

	/** @throws InputError for an item that would be created although its record exists in another spelling */
	private async requireKnownSpelling(
		items: readonly SyncWrite[],
		{ fields, matches }: LiveCard,
	): Promise<void> {
		const wanted = new Set(items.map(({ key }) => key));
		for (const { data } of items.filter(({ isNew }) => isNew)) {
			await this.run.yieldToLoop();
			const near = (await matches.near(data)).find((one) => !wanted.has(fields.keyOf(one.data)));
			if (near) throw otherSpelling(fields, data, near, this.card.name);
		}
	}

	/** Adds the fields and choices that the items need to the card, and converts the values of the items again. */
	private async grow(write: ItemWrite, items: SyncWrite[]): Promise<LiveCard> {
		const { run, card } = this;
		const writes = items.map((item) => item.write);
		await changeCard(write, writes);
		const index = await run.fields.of(card, write.request);
		const fields = matchingFields(run, write.columns, index);
		for (const item of items) {
			await run.yieldToLoop();
			item.data = (await convertValues(item.write, index)).data;
		}
		return { fields, matches: await readMatches(run, write.writer, fields) };
	}

	/** Writes all items, in parallel. @returns how many weren't written; undefined if none could be */
	private async writeAll(
		{ request }: ItemWrite,
		items: readonly SyncWrite[],
		prepare: () => Promise<LiveCard>,
		outcomes: Outcomes,
	): Promise<number | undefined> {
		const { run } = this;
		const { halted } = run.session;
		if (halted.isOver) return undefined;
		let live: LiveCard;
		try {
			live = await prepare();
		} catch (error) {
			for (const index of this.indexes) this.fail(index, error, outcomes);
			return undefined;
		}
		let left = items.length;
		const atOnce = () => run.session.atOnce({ method: 'PATCH', ...request });
		await inParallel(items, atOnce, async (item) => {
			if (halted.isOver) return;
			await run.yieldToLoop();
			try {
				outcomes.set(item.itemIndex, { json: await this.writeItem(item, live) });
				left -= 1;
			} catch (error) {
				this.fail(item.itemIndex, error, outcomes);
			}
		});
		return left;
	}

	private fail(itemIndex: number, error: unknown, outcomes: Outcomes): void {
		outcomes.set(itemIndex, { error });
		if (!this.run.context.continueOnFail()) this.run.session.stop();
	}

	/** Writes an item. In a dry run nothing is sent. */
	private async writeItem(
		{ write, data }: SyncWrite,
		{ fields, matches }: LiveCard,
	): Promise<JsonObject[]> {
		const { run, card } = this;
		const { writer } = write;
		const { index } = fields;
		const results = resultsOf(run, writer.cardRun, index, write.options);
		const writeIt = async (): Promise<JsonObject[]> => {
			// Find the record again, because another execution may have created or deleted it since the check.
			const [before, ...others] = await matches.find(data);
			if (others.length > 0) {
				throw new InputError(
					`${others.length + 1} records of card '${card.name}' match this item now`,
					'Another execution has created one. Run all items again.',
				);
			}
			if (!before) {
				const created = await matches.create(
					data,
					async (existed) => await create(write, { data, index }, existed),
				);
				hintAtSpelling(write, fields, data, created);
				return [results('created', created)];
			}
			const { action, record, sent } = await updateFound(write, { data, index }, before);
			// A dry run returns changes only.
			const json = results(action, record, before, sent);
			return writer.isDry && action === 'unchanged' ? [] : [json];
		};
		return await run.turns.onKey(writer, fields.partOf(data), writeIt);
	}

	/** Deletes the records without an item. A record that another execution has written since the check stays. */
	private async deleteAll(
		{ writer, options }: ItemWrite,
		settings: SyncSettings,
		fields: MatchingFields,
		deletions: readonly DataRecord[],
		outcomes: Outcomes,
	): Promise<void> {
		const { run, card, indexes } = this;
		const { log } = writer;
		const results = resultsOf(run, writer.cardRun, fields.index, options, 'all');
		const itemIndex = indexes.at(-1) ?? 0;
		const how = { writer, done: 'deleted', itemIndex } as const;
		try {
			const deleted = await writeEach(run, how, deletions, async (record) => {
				const isWanted = () => !log.isWritten(record);
				const remove = async () => await writer.remove(record.id, isWanted);
				const isGone = await run.turns.onKey(writer, fields.partOf(record.data), remove);
				return isGone ? results('deleted', record) : undefined;
			});
			noteSync(run, card, settings, fields.index);
			for (const json of deleted) run.appended.push({ itemIndex: indexes[0] ?? 0, json });
		} catch (error) {
			const outcome = outcomes.get(itemIndex);
			const own = outcome && 'json' in outcome ? outcome.json : [];
			run.partial.set(itemIndex, [...own, ...(run.partial.get(itemIndex) ?? [])]);
			run.messages.note(
				error,
				`All items of card '${card.name}' were written. Run all items again to delete the other records.`,
			);
			this.fail(itemIndex, error, outcomes);
		}
	}
}

/** Converts the values of an item. @throws InputError for values that can't be sent, and that its record doesn't have */
async function converted(write: ItemWrite, { fields, matches }: LiveCard): Promise<SyncWrite> {
	const { run, itemIndex } = write;
	const live = await convertValues(write, fields.index);
	const { data: values } = live;
	const key = itemKey(fields, values);
	const [record] = matches.known(values);
	const keys = fields.ids.map((id) => [id, ownValue(values, id)]);
	// The key stays, although a computed value isn't sent.
	const data = { ...settled(live, record, fields.index, run.zone), ...Object.fromEntries(keys) };
	return { itemIndex, key, data, write, isNew: !record };
}

/** Names an item for the user by its values for the fields to match on, or by its index if it has none. */
function nameOf({ itemIndex, columns: { entries, matchingKeys } }: ItemWrite): string {
	const values = matchingKeys
		.flatMap((key) => entries.filter(([name, value]) => name === key && !isEmpty(value)))
		.map(([key, value]) => `${key} ${quote(plainText(value))}`);
	return values.length === 0 ? `Item ${itemIndex}` : `The item with ${values.join(', ')}`;
}
