/** How a run ends: the hint that it waited long, and how far one came that failed or was cancelled. */
import type { IExecuteFunctions, NodeOperationError } from 'n8n-workflow';
import type { JsonObject } from '../../model/answer/shapes';
import { Cancelled } from '../../transport/failure/failures';
import { progressOf, type Messages } from './messages';

/** An output item that comes after those of all input items. */
export interface LateResult {
	/** The input item that it is paired with. */
	itemIndex: number;
	json: JsonObject;
}

/** The end of a run: with a failure, or with the last steps of its success. */
export interface Ending {
	/** Adds a step to the end of a run that succeeds. */
	whenDone(step: () => void): void;
	/** Adds output items to the end of the output. */
	append(results: readonly LateResult[]): void;
	readonly appended: readonly LateResult[];
	/** Takes the steps that `whenDone` added: all items have succeeded, or their errors are output. */
	done(): void;
	/** Starts nothing more: an item has failed, and the run ends with it. */
	stop(): void;
	/** Whether `stop` was called. */
	readonly isStopped: boolean;
}

/** A wait for the rate limit that is longer than this, in ms, is mentioned: n8n shows no progress. */
const LONG_WAIT_MS = 5_000;

/** The hint at the end of a run that waited long for the rate limit; undefined if it did not. */
export function longWaitHint(waitedMs: number): string | undefined {
	if (waitedMs <= LONG_WAIT_MS) return undefined;
	const seconds = Math.round(waitedMs / 1_000);
	return `This run waited ${seconds} seconds for the service's rate limit. Process fewer items at a time, or ask the operator of the service for a higher limit.`;
}

/** Whether a run was cancelled, and nothing says yet how far it came. */
const isUntoldCancelling = (messages: Messages, error: unknown): boolean =>
	error instanceof Cancelled && messages.noteOn(error) === undefined;

/**
 * How many items were processed before an error ended the run; undefined for a run of one item whose error says it all.
 *
 * @param outcomes of all items, with the errors of the failed ones
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
 * Logs how far a cancelled run came. n8n stores the execution as soon as it is cancelled, and drops what the node reports
 * afterwards.
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

/** @param stopRequests sends nothing more */
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
