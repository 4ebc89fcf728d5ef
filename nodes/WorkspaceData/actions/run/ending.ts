/** Ends a run: adds a hint after a long wait, and says how far a failed or canceled run came. */
import type { IExecuteFunctions, NodeOperationError } from 'n8n-workflow';
import type { JsonObject } from '../../model/response/shapes';
import { Cancelled } from '../../transport/failure/failures';
import { progressOf, type Messages } from './messages';

/** An output item that comes after those of all input items. */
export interface LateResult {
	/** The input item that it is paired with. */
	itemIndex: number;
	json: JsonObject;
}

/** The end of a run: a failure, or the last steps of a success. */
export interface Ending {
	/** Adds a step to the end of a successful run. */
	whenDone(step: () => void): void;
	append(results: readonly LateResult[]): void;
	readonly appended: readonly LateResult[];
	/** Runs the steps that `whenDone` added, because all items have succeeded, or their errors are output. */
	done(): void;
	/** Stops starting work, because an item has failed and the run ends with it. */
	stop(): void;
	/** True if `stop` was called. */
	readonly isStopped: boolean;
}

/** A longer wait for the rate limit, in ms, causes a hint, because n8n shows no progress. */
const LONG_WAIT_MS = 5_000;

/** Returns the hint after a long wait for the rate limit; undefined if there was none. */
export function longWaitHint(waitedMs: number): string | undefined {
	if (waitedMs <= LONG_WAIT_MS) return undefined;
	const seconds = Math.round(waitedMs / 1_000);
	return `This run waited ${seconds} seconds for the service's rate limit. Process fewer items at a time, or ask the operator of the service for a higher limit.`;
}

/** Returns true if a run was canceled, and no message says yet how far it came. */
const isUntoldCancelling = (messages: Messages, error: unknown): boolean =>
	error instanceof Cancelled && messages.noteOn(error) === undefined;

/**
 * Says how many items were processed before an error ended the run; undefined if one item's error is enough.
 *
 * @param outcomes the outcomes of all items, with the errors of the failed ones
 * @param failed the error that ends the run
 */
export function stoppedNote(
	messages: Messages,
	outcomes: ReadonlyArray<{ error?: unknown }>,
	failed: unknown,
): string | undefined {
	if (outcomes.length === 1 && !isUntoldCancelling(messages, failed)) return undefined;
	const errors = outcomes.flatMap(({ error }) => (error ? [error] : []));
	const done = outcomes.length - errors.length;
	const what = 'items were processed before the run stopped';
	return progressOf(done, outcomes.length, what, errors);
}

/**
 * Logs the progress of a canceled run. n8n stores the execution as soon as it is canceled, and ignores later
 * messages of the node.
 */
export function logCancelled(
	context: IExecuteFunctions,
	{ message, description }: Pick<NodeOperationError, 'message' | 'description'>,
): void {
	context.logger.info(`${context.getNode().name}: ${message}. ${description ?? ''}`, {
		workflowId: context.getWorkflow().id,
		executionId: context.getExecutionId(),
	});
}

/** @param stopRequests stops sending requests */
export function createEnding(stopRequests: () => void): Ending {
	const steps: Array<() => void> = [];
	const appended: LateResult[] = [];
	let isStopped = false;
	return {
		whenDone(step) {
			steps.push(step);
		},
		append(results) {
			for (const result of results) appended.push(result);
		},
		appended,
		done() {
			for (const step of steps) step();
		},
		stop() {
			isStopped = true;
			stopRequests();
		},
		get isStopped() {
			return isStopped;
		},
	};
}
