/** Carries out what is planned: creations, then changes, deletions last; each step gets its result or its error. */
import { AT_ONCE, recordsOf, type DataRecord } from '../transport/api';
import { Cancelled, isNotFound, RequestError } from '../transport/errors';
import { inParallel } from '../values/inParallel';
import { InputError } from '../values/inputError';
import type { JsonObject } from '../values/json';
import { listed } from '../values/messageText';
import { groupBy } from './fieldIndex';
import { addNote } from './hints';
import { recordOf, type Step } from './overlay';
import type { Run } from './run';
import type { CardWork } from './cardWork';

/**
 * Carries out the steps of all cards. The first failure stops what has not begun, unless the run continues on errors.
 *
 * @param release called once all creations are answered
 */
export async function applyPlans(
	run: Run,
	works: readonly CardWork[],
	release: () => void,
): Promise<void> {
	const applying = new Applying(run, works);
	const planned = works.flatMap((work) =>
		work.plan.items.flatMap(({ entry: { itemIndex }, steps }) =>
			steps.map((step) => ({ work, step, itemIndex })),
		),
	);
	planned.sort((a, b) => a.itemIndex - b.itemIndex);
	const isCreation = ({ step }: Planned): boolean => step.action === 'create';
	await applying.each(planned.filter(isCreation));
	release();
	await applying.each(planned.filter((one) => !isCreation(one)));
	const isWritten = ({ plan }: CardWork) =>
		plan.items.every(
			({ refusal, steps }) =>
				!refusal && steps.every(({ outcome }) => outcome && !('error' in outcome)),
		);
	const deletionsOf = (work: CardWork) => work.plan.deletions.map((step) => ({ work, step }));
	await applying.each(works.filter(isWritten).flatMap(deletionsOf));
}

/** A step of a card's plan. */
interface Planned {
	work: CardWork;
	step: Step;
}

class Applying {
	private readonly run: Run;
	private readonly width: number;
	private isStopped = false;

	constructor(run: Run, works: readonly CardWork[]) {
		this.run = run;
		this.width = Math.max(...works.map(({ request: { maxParallel = AT_ONCE } }) => maxParallel));
	}

	/** Carries out steps in parallel, but those of one record in their order. */
	async each(planned: readonly Planned[]): Promise<void> {
		const tasks = groupBy(planned, ({ step }) => step.row);
		await inParallel(this.width, tasks.values(), async (steps) => {
			for (const { work, step } of steps) await this.carryOut(work, step);
		});
	}

	private async carryOut(work: CardWork, step: Step): Promise<void> {
		if (this.isStopped) return;
		step.outcome = await this.write(work, step).catch((error: unknown) => {
			step.row.isFailed = true;
			this.isStopped ||= !this.run.continues || error instanceof Cancelled;
			return { error };
		});
	}

	private async write(work: CardWork, step: Step): Promise<NonNullable<Step['outcome']>> {
		await this.run.breathe();
		if (this.isStopped) throw new Cancelled();
		const { action, row, sent } = step;
		if (row.isFailed) throw afterFailure();
		const before = row.now ?? step.before;
		try {
			if (action !== 'keep') row.now = await this.send(work, step, before);
		} catch (error) {
			const isGone = isNotFound(error, 'record') && step.ifGone !== 'error';
			if (!isGone) throw withCause(this.run, error, step);
			if (step.ifGone !== 'done') return step.ifGone === 'empty' ? { json: {} } : {};
		}
		return { json: work.output.of({ row, before, after: row.now ?? before, sent, action }) };
	}

	/** Sends a step. @returns the record after it */
	private async send(
		{ card, request }: CardWork,
		{ action, sent }: Step,
		before: DataRecord,
	): Promise<DataRecord> {
		const { api } = this.run;
		const records = recordsOf(card.id);
		if (action === 'create') {
			const created = await api.create(records, { data: sent }, request);
			return writtenRecord(created, recordOf('', {}), sent);
		}
		if (before.id === '') throw withoutId();
		if (action === 'delete') {
			await api.remove(records, before.id, request);
			return before;
		}
		const changed = await api.change(records, before.id, { data: sent }, request);
		return writtenRecord(changed, before, sent);
	}
}

/** The record after a write, whose response may show all of it, a part, or nothing. Empty values that it leaves out are cleared. */
function writtenRecord(
	shown: DataRecord | undefined,
	before: DataRecord,
	sent: JsonObject,
): DataRecord {
	const data = { ...before.data, ...sent, ...shown?.data };
	const id = before.id || (shown?.id ?? '');
	return recordOf(id, data, shown?.createdAt ?? before.createdAt);
}

/** What a failed write has left isn't known, and the next one was planned after it. */
const afterFailure = (): InputError =>
	new InputError(
		"The same record couldn't be written for an earlier item",
		'Nothing was sent for this item. Run it again once the earlier item works.',
	);

const withoutId = (): InputError =>
	new InputError(
		'The record was created, but the service returned no ID for it',
		'Run the workflow again with this item.',
	);

/** Adds to an error what the user can do about it. */
function withCause({ hints }: Run, error: unknown, { action, row, sent }: Step): unknown {
	const status = error instanceof RequestError ? error.status : undefined;
	const empty = Object.keys(sent).filter((id) => sent[id] === '');
	if ((status === 400 || status === 422) && empty.length > 0) {
		const names = listed(empty.map((id) => hints.withNames(id)));
		addNote(
			error,
			`Empty text was sent for ${names}. 'Empty Values' can leave it out, or clear the fields.`,
		);
	}
	if (!row.isRead && isNotFound(error, 'record'))
		addNote(
			error,
			action === 'delete'
				? "To find a record by its values, use 'Delete Many'."
				: "To find a record by its values, use 'Update Many', or 'Create or Update' with 'Update Only' in 'Upsert Mode'.",
		);
	return error;
}
