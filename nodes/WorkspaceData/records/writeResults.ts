/** What comes of the items that write records: their results, or why they were refused or failed. */
import { Cancelled, mayHaveHappened } from '../transport/errors';
import { isEmpty } from '../values/emptyValue';
import type { InputError } from '../values/inputError';
import type { JsonObject } from '../values/jsonObject';
import { count, quote, sentences } from '../values/messageText';
import { plainText } from '../values/parameterValue';
import type { Outcome } from './apply';
import { noteDeletion } from './deletionRuns';
import type { Entry } from './entry';
import type { FieldIndex } from './fieldIndex';
import { addNote } from './hints';
import type { Step } from './planned';
import { combineRefusals, type RefusedItem } from './refusals';
import type { Run } from './run';
import type { Written } from './stepOutput';
import type { CardWork } from './cardWork';

/** The results of an item, and its error if it failed. */
export interface ItemResult {
	json: JsonObject[];
	error?: unknown;
}

export class WriteResults {
	/** What was added to cards, in words: the error that ends the run says so. */
	readonly additions: string[] = [];
	private readonly run: Run;
	/** True if the items of a card stand or fall together. */
	private readonly isWhole: boolean;
	private readonly items: ItemResult[];
	private readonly last: Array<{ itemIndex: number; json: JsonObject }> = [];
	private readonly refused = new Map<number, RefusedItem>();
	private hasFailed = false;

	constructor(run: Run, isWhole: boolean) {
		this.run = run;
		this.isWhole = isWhole;
		this.items = Array.from({ length: run.itemCount }, () => ({ json: [] }));
	}

	/** True if an error ends the run. */
	get isStopped(): boolean {
		return this.hasFailed && !this.run.continues;
	}

	/** An item can't be written. @param index the fields of its card, by which it is named */
	refuse(entry: Entry, error: InputError, index: FieldIndex): void {
		const which = this.isWhole ? nameOf(entry, index) : `Item ${entry.itemIndex}`;
		this.refused.set(entry.itemIndex, { which, error });
		this.fail(entry.itemIndex, error);
	}

	/** An item fails. */
	fail(itemIndex: number, error: unknown): void {
		const item = this.items[itemIndex];
		if (item) item.error ??= error;
		this.hasFailed = true;
	}

	/** Adds a result after those of all items. */
	addLast(itemIndex: number, json: JsonObject): void {
		this.last.push({ itemIndex, json });
	}

	/** How many items of a card have results, and the first of their errors. */
	progressOf({ entries }: CardWork): { written: number; error: unknown } {
		const items = entries.map(({ itemIndex }) => this.items[itemIndex]);
		const errors = items.flatMap((item) => item?.error ?? []);
		const written = items.filter((item) => (item?.json.length ?? 0) > 0).length;
		return { written, error: errors.find((one) => !(one instanceof Cancelled)) ?? errors[0] };
	}

	/** All items of a card fail, but for those that have an error of their own; one of these is enough to end a run. */
	refuseCard({ entries }: Pick<CardWork, 'entries'>, error: unknown): void {
		const hasOwn = entries.some(({ itemIndex }) => this.items[itemIndex]?.error !== undefined);
		if (this.isStopped && hasOwn) return;
		for (const { itemIndex } of entries) this.fail(itemIndex, error);
	}

	/** Requires that no item of the card was refused, if they stand or fall together. @throws InputError */
	requireWhole({ entries }: CardWork): void {
		if (!this.isWhole) return;
		const refused = entries.flatMap(({ itemIndex }) => this.refused.get(itemIndex) ?? []);
		if (refused.length === 0) return;
		const error = combineRefusals(refused, 'Nothing was sent for its card.');
		for (const { itemIndex } of entries) {
			const item = this.items[itemIndex];
			const isRefused = this.refused.delete(itemIndex);
			if (item && (isRefused || this.run.continues)) item.error = error;
		}
		throw error;
	}

	/** Adds what came of the steps of a card, in the order of the items. */
	async add(work: CardWork, outcomes: ReadonlyMap<Step, Outcome>): Promise<void> {
		const { plan, isDry, output, entries } = work;
		if (isDry && work.isSilent) return;
		for (const { itemIndex, ifNotFound } of plan.missing.size > 0 ? entries : [])
			if (plan.missing.has(itemIndex) && ifNotFound === 'empty')
				this.items[itemIndex]?.json.push({});
		for (const steps of groupByItem(plan.steps)) {
			await this.run.yieldToLoop();
			const item = this.items[steps[0]?.itemIndex ?? 0];
			if (isDry) for (const step of steps) item?.json.push(output.of(predicted(step)));
			else if (item) this.addSteps(item, steps, outcomes);
		}
		if (plan.deletions.length > 0) this.addDeletions(work, outcomes);
		output.hint();
	}

	/** What came of all items. An error that ends the run is one for all refused items, and says what was added to cards. */
	get outcomes(): { items: ItemResult[]; last: Array<{ itemIndex: number; json: JsonObject }> } {
		const { items, last } = this;
		if (!this.isStopped) return { items, last };
		const first = items.find(({ error }) => error !== undefined && !(error instanceof Cancelled));
		const refused = [...this.refused.values()];
		if (first && refused.length > 1 && this.run.done.count === 0)
			first.error = combineRefusals(refused, this.additions.length > 0 ? '' : 'Nothing was sent.');
		for (const addition of this.additions) addNote(first?.error, addition);
		// What was not begun is no result.
		const unbegun = new Cancelled();
		for (const item of items) if (item !== first && item.json.length === 0) item.error ??= unbegun;
		return { items, last };
	}

	/** Adds the results of steps to those of an item, then the first error. */
	private addSteps(
		item: ItemResult,
		steps: readonly Step[],
		outcomes: ReadonlyMap<Step, Outcome>,
		isDeletion = steps[0]?.action === 'delete',
	): void {
		const errors: unknown[] = [];
		const before = item.json.length;
		for (const step of steps) {
			const outcome = outcomes.get(step) ?? { error: new Cancelled() };
			if ('json' in outcome) item.json.push(outcome.json);
			else if ('error' in outcome) errors.push(outcome.error);
			else if (step.ifGone === 'empty') item.json.push({});
		}
		const first = errors.find((error) => !(error instanceof Cancelled)) ?? errors[0];
		if (first === undefined) return;
		const written = item.json.length - before;
		const done = isDeletion ? 'deleted' : 'updated';
		if (steps.length > 1) addNote(first, progressOf(written, steps.length, done, errors));
		item.error ??= first;
		this.hasFailed = true;
	}

	/** The deletions of a Sync come last, or with an error if one of them has failed. */
	private addDeletions(
		{ card, plan, entries, isDry, output }: CardWork,
		outcomes: ReadonlyMap<Step, Outcome>,
	): void {
		const { deletions } = plan;
		const itemIndex = entries[0]?.itemIndex ?? 0;
		const item = this.items[itemIndex];
		if (isDry) {
			for (const step of deletions) this.last.push({ itemIndex, json: output.of(predicted(step)) });
			return;
		}
		const made = deletions.flatMap((step) => outcomes.get(step) ?? []);
		if (made.length > 0) noteDeletion(this.run, card);
		if (made.length === deletions.length && made.every((outcome) => 'json' in outcome)) {
			for (const outcome of made)
				if ('json' in outcome) this.last.push({ itemIndex, json: outcome.json });
			return;
		}
		const isWritten = entries.every((entry) => this.items[entry.itemIndex]?.error === undefined);
		if (item && isWritten) {
			this.addSteps(item, deletions, outcomes);
			if (deletions.length === 1) addNote(item.error, progressOf(0, 1, 'deleted', []));
			addNote(
				item.error,
				`All items of card '${card.name}' were written. Run all items again to delete the other records.`,
			);
		} else {
			this.run.hints.add(
				`No record of card '${card.name}' was deleted, because not all items were written. Run all items again.`,
			);
		}
	}
}

const predicted = (step: Step): Written => ({ ...step, isPartial: !step.row.isRead });

/** The steps of each item: they follow each other. */
function* groupByItem(steps: readonly Step[]): Generator<Step[]> {
	let group: Step[] = [];
	for (const step of steps) {
		if (group.length > 0 && group[0]?.itemIndex !== step.itemIndex) {
			yield group;
			group = [];
		}
		group.push(step);
	}
	if (group.length > 0) yield group;
}

/** Says how far some work came before it ended. */
function progressOf(done: number, all: number, what: string, errors: readonly unknown[]): string {
	const unclear = errors.filter(mayHaveHappened).length;
	const was = done === 1 || all === 1 ? 'was' : 'were';
	return sentences(
		`${done} of ${count(all, 'record')} ${was} ${what}.`,
		unclear > 0 && `For ${unclear} more, the request was under way: it may have been carried out.`,
	);
}

/** Names an item for the user by its values for the fields to match on, or by its index if it has none. */
function nameOf({ itemIndex, columns, find }: Entry, index: FieldIndex): string {
	const keys = find.by === 'key' ? find.matching.matchingKeys : [];
	const values = entriesOf(columns, index)
		.filter(([name, value]) => keys.includes(name) && !isEmpty(value))
		.map(([name, value]) => `${name} ${quote(plainText(value))}`);
	return values.length === 0 ? `Item ${itemIndex}` : `The item with ${values.join(', ')}`;
}

function entriesOf(columns: Entry['columns'], index: FieldIndex) {
	try {
		return columns?.(index).entries ?? [];
	} catch {
		return [];
	}
}
