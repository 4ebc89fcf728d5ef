/** What came of the items that write records: their results, or why they failed. */
import { Cancelled } from '../transport/errors';
import { InputError } from '../values/inputError';
import type { ItemResult, LastResult } from './entry';
import { addNote, progressNote } from './hints';
import type { Step } from './overlay';
import { combineRefusals } from './refusals';
import type { Run } from './run';
import { noteDeletion } from './sync';
import type { CardWork } from './cardWork';

/** Adds what came of the steps of a card to the results of its items. @returns the deletions of a Sync */
export async function addResults(run: Run, work: CardWork): Promise<LastResult[]> {
	const { plan, isDry, output, isSilent } = work;
	if (isDry && isSilent) return [];
	for (const { entry, steps } of plan.items) {
		if (isDry) await run.breathe();
		if (entry.result.error !== undefined) continue;
		addSteps(entry.result, work, steps);
		if (steps.length === 0 && entry.ifNotFound === 'empty') entry.result.json.push({});
	}
	const last = deletionsOf(run, work);
	output.hint();
	return last;
}

/** Adds the results of steps to those of an item, then the first error. */
function addSteps(result: ItemResult, { isDry, output }: CardWork, steps: readonly Step[]): void {
	const errors: unknown[] = [];
	const before = result.json.length;
	for (const step of steps) {
		const outcome = isDry
			? { json: output.of(step) }
			: (step.outcome ?? { error: new Cancelled() });
		if ('error' in outcome) errors.push(outcome.error);
		else if (outcome.json) result.json.push(outcome.json);
	}
	const first = errors.find((error) => !(error instanceof Cancelled)) ?? errors[0];
	if (first === undefined) return;
	const done = steps[0]?.action === 'delete' ? 'deleted' : 'updated';
	const written = result.json.length - before;
	if (steps.length > 1) addNote(first, progressNote(written, steps.length, 'record', done, errors));
	result.error = first;
}

/** The deletions of a Sync, if all were made; else its first item gets what came of them. */
function deletionsOf(run: Run, work: CardWork): LastResult[] {
	const { card, entries, plan, isDry, output } = work;
	const [first] = entries;
	if (!first || plan.deletions.length === 0) return [];
	const { itemIndex, result } = first;
	const outcomes = plan.deletions.flatMap((step) =>
		isDry ? { json: output.of(step) } : (step.outcome ?? []),
	);
	if (!isDry && outcomes.length > 0) noteDeletion(run, card);
	const last = outcomes.flatMap((outcome) =>
		'json' in outcome && outcome.json ? { itemIndex, json: outcome.json } : [],
	);
	if (last.length === plan.deletions.length) return last;
	if (entries.every((entry) => entry.result.error === undefined)) {
		addSteps(result, work, plan.deletions);
		addNote(
			result.error,
			`All items of card '${card.name}' were written. Run all items again to delete the other records.`,
		);
	} else {
		run.hints.add(
			`No record of card '${card.name}' was deleted, because not all items were written. Run all items again.`,
		);
	}
	return [];
}

/** Ends a run: an error that stops it is one for all refused items, and says what was added to cards. */
export function conclude({ continues, done }: Run, items: readonly ItemResult[]): void {
	const failed = items
		.map((result, itemIndex) => ({ itemIndex, result }))
		.filter(({ result: { error } }) => error !== undefined && !(error instanceof Cancelled));
	const [first] = failed;
	if (continues || !items.some(({ error }) => error !== undefined)) return;
	const refused = failed.filter(({ result }) => result.error instanceof InputError);
	const areSeveral = refused.some(({ result }) => result.error !== first?.result.error);
	const ending = items[first?.itemIndex ?? 0];
	if (ending?.error instanceof InputError && areSeveral && done.count === 0)
		ending.error = combineRefusals(refused, done.additions.length > 0 ? '' : 'Nothing was sent.');
	for (const addition of done.additions) addNote(ending?.error, addition);
	// What was not begun is no result.
	for (const item of items) if (item.json.length === 0) item.error ??= new Cancelled();
}
