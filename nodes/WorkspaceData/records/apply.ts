/** Carries out what is planned: creations, then changes, deletions last; a result or an error for each step. */
import { recordsOf, type DataRecord, type RequestOptions } from '../transport/api';
import { Cancelled, isNotFound, RequestError } from '../transport/errors';
import { inParallel } from '../values/inParallel';
import { InputError } from '../values/inputError';
import type { JsonObject } from '../values/jsonObject';
import { listed } from '../values/messageText';
import { addNote } from './hints';
import { recordOf } from './overlay';
import type { Plan, Row, Step } from './planned';
import type { CardReference, Run } from './run';
import type { StepOutput } from './stepOutput';

/** What is written to a card. */
export interface CardWrites {
	card: CardReference;
	plan: Plan;
	entries: ReadonlyArray<{ settings: { request: RequestOptions } }>;
	output: StepOutput;
}

const requestOf = ({ entries }: CardWrites): RequestOptions => entries[0]?.settings.request ?? {};

/** What came of a step; nothing if the run ended before it. */
export type Outcome = { json: JsonObject } | { error: unknown } | { isGone: true };

/**
 * Carries out the steps of all cards. The first failure stops what has not begun, unless the run continues on errors.
 *
 * @param release called once all creations are answered
 * @returns what came of each step
 */
export async function applySteps(
	run: Run,
	cards: readonly CardWrites[],
	release: () => void,
): Promise<ReadonlyMap<Step, Outcome>> {
	const applying = new Applying(run);
	await applying.each(cards, ({ plan }) => plan.steps.filter(({ action }) => action === 'create'));
	release();
	await applying.each(cards, ({ plan }) => plan.steps.filter(({ action }) => action !== 'create'));
	const isWritten = ({ plan }: CardWrites) =>
		plan.steps.every((step) => 'json' in (applying.outcomes.get(step) ?? {}));
	await applying.each(cards.filter(isWritten), ({ plan }) => plan.deletions);
	return applying.outcomes;
}

/** A record during the writes. */
interface State {
	/** As it is now, as far as this is known. */
	now: DataRecord;
	/** Why it was not created. */
	failure?: unknown;
	/** True if an earlier write of it failed: what it has is not known. */
	isUnknown?: boolean;
	/** The end of the last write of it. */
	last?: Promise<unknown>;
}

class Applying {
	readonly outcomes = new Map<Step, Outcome>();
	private readonly run: Run;
	private readonly states = new Map<Row, State>();
	private isStopped = false;

	constructor(run: Run) {
		this.run = run;
	}

	/** Carries out some steps of each card, in parallel. */
	async each(
		cards: readonly CardWrites[],
		stepsOf: (card: CardWrites) => readonly Step[],
	): Promise<void> {
		const widths = cards.map((card) => this.run.api.width(requestOf(card)));
		const steps = stepsIn(cards, stepsOf);
		await inParallel(Math.max(1, ...widths), steps, async ({ card, step }) => {
			await this.apply(card, step);
		});
	}

	private async apply(card: CardWrites, step: Step): Promise<void> {
		if (this.isStopped) return;
		const { row } = step;
		const state = this.states.get(row) ?? { now: step.before };
		this.states.set(row, state);
		const write = async () => {
			await this.run.breathe();
			return await this.write(card, step, state);
		};
		const writing = state.last ? state.last.then(write) : write();
		const ended = writing.then(
			(outcome) => void this.outcomes.set(step, outcome),
			(error: unknown) => this.fail(step, state, error),
		);
		state.last = ended;
		await ended;
	}

	private fail(step: Step, state: State, error: unknown): void {
		this.outcomes.set(step, { error });
		state.isUnknown = true;
		if (step.action === 'create') state.failure = error;
		this.isStopped ||= !this.run.continues || error instanceof Cancelled;
	}

	private async write(card: CardWrites, step: Step, state: State): Promise<Outcome> {
		if (this.isStopped) throw new Cancelled();
		if (state.failure !== undefined) throw state.failure;
		const { action, row } = step;
		const before = state.now;
		// What an earlier write that failed has left isn't known.
		const sent = state.isUnknown ? step.values : step.sent;
		const isKept =
			action === 'keep' || action === 'change' ? Object.keys(sent).length === 0 : false;
		try {
			if (!isKept) state.now = await this.send(card, step, before, sent);
		} catch (error) {
			const isGone = isNotFound(error, 'record') && step.ifGone !== 'error';
			if (!isGone) throw noteCause(this.run, error, step, sent);
			if (step.ifGone !== 'done') return { isGone: true };
		}
		const done = { before, after: state.now, sent, isPartial: !row.isRead };
		const told = isKept ? 'keep' : action === 'keep' ? 'change' : action;
		return { json: card.output.of({ ...done, action: told }) };
	}

	/** Sends a step. @returns the record after it */
	private async send(
		writes: CardWrites,
		{ action }: Step,
		before: DataRecord,
		sent: JsonObject,
	): Promise<DataRecord> {
		const { api } = this.run;
		const records = recordsOf(writes.card.id);
		const request = requestOf(writes);
		if (action === 'create') {
			const made = await api.create(records, { data: sent }, request);
			return writtenRecord(made, recordOf('', {}), sent);
		}
		if (before.id === '') throw withoutId();
		if (action === 'delete') {
			await api.remove(records, before.id, request);
			return before;
		}
		return writtenRecord(
			await api.change(records, before.id, { data: sent }, request),
			before,
			sent,
		);
	}
}

function* stepsIn(
	cards: readonly CardWrites[],
	stepsOf: (card: CardWrites) => readonly Step[],
): Generator<{ card: CardWrites; step: Step }> {
	for (const card of cards) for (const step of stepsOf(card)) yield { card, step };
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

const withoutId = (): InputError =>
	new InputError(
		'The record was created, but the service returned no ID for it',
		'Run the workflow again with this item.',
	);

/** The maximum number of fields in a message. */
const MAX_NAMED = 10;

/** Adds to an error what the user can do about it. */
function noteCause(
	{ hints }: Run,
	error: unknown,
	{ action, row }: Step,
	sent: JsonObject,
): unknown {
	const status = error instanceof RequestError ? error.status : undefined;
	const empty = Object.keys(sent).filter((id) => sent[id] === '');
	if ((status === 400 || status === 422) && empty.length > 0) {
		const names = listed(
			empty.map((id) => hints.withNames(id)),
			MAX_NAMED,
		);
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
