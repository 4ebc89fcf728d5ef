/** Runs the selected operation for every input item. */
import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { isObject, type JsonObject } from '../model/response/jsonObject';
import { sentences } from '../values/messageText';
import { Cancelled } from '../transport/failure/failureKinds';
import { errorDetails, toNodeError } from '../transport/failure/nodeError';
import type { Call, Operation, PropertyDefinition } from './operation';
import { openParameters } from './readParameters';
import { findOperation } from './registry';
import { progressOf, type Messages } from './run/messages';
import { openRun, type Run } from './run/run';
import { copyOf, passedOn, withoutErrorFlag } from './outputItems';
import { refusalOf, RefusedValues } from './writing/refusals';

/**
 * Runs the selected operation for all input items in parallel, and returns the output in input order. Only this file
 * handles items, pairing and Continue On Fail.
 */
export async function route(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	let operation: Operation;
	let run: Run;
	try {
		operation = findOperation(
			context.getNodeParameter('resource', 0, ''),
			context.getNodeParameter('operation', 0, ''),
		);
		run = await openRun(context);
	} catch (error) {
		const node = context.getNode();
		const errorOf = (itemIndex: number) => toNodeError(node, error, { itemIndex });
		if (!context.continueOnFail()) throw errorOf(0);
		// A thrown error would make n8n pass the input items on as if they had succeeded.
		return [context.getInputData().map((_, item) => errorItem(node, errorOf(item), item))];
	}
	try {
		return [await runItems(operation, run)];
	} finally {
		run.close();
	}
}

/** @throws the error that ends the run, unless n8n continues on errors */
async function runItems(operation: Operation, run: Run): Promise<INodeExecutionData[]> {
	const { context } = run;
	const parameter = openParameters(context, operation);
	const outcomes = await run.items.each(async (itemIndex) => {
		await run.yieldToLoop();
		const get = (name: string, ofItem = itemIndex): unknown => parameter(name, ofItem);
		return await runItem(operation, { run, itemIndex, get });
	});
	const errors = outcomes.filter(({ error }) => error !== undefined);
	const failed = errors.find(({ error }) => !(error instanceof Cancelled)) ?? errors[0];
	const isCancelled = operation.writes && context.getExecutionCancelSignal()?.aborted;
	if (failed && (isCancelled || !context.continueOnFail())) {
		// Reports the number of processed items, because a new run repeats them.
		const progress = operation.writes && stoppedNote(run.messages, outcomes, failed.error);
		const note = sentences(progress, ...run.messages.additions);
		const error = itemError(run, withOthers(failed.error, errors), failed.itemIndex, note);
		if (run.done.count > 0) {
			const data = isObject(error.context.data) ? error.context.data : {};
			error.context.data = { ...data, ...run.done.details } as IDataObject;
		}
		if (isCancelled) logCancelled(run, error);
		if (!context.continueOnFail()) throw error;
	}
	run.finish();
	// Cards are worked on in parallel.
	const late = [...run.appended]
		.sort((a, b) => a.itemIndex - b.itemIndex)
		.map(({ itemIndex, json }) => ({
			json: withoutErrorFlag(json) as IDataObject,
			pairedItem: { item: itemIndex },
		}));
	return [...outcomes.flatMap(({ items }) => items), ...late];
}

/** The number of an item's results prepared between two yields to the event loop. */
const SLICE_RESULTS = 100;

interface Outcome {
	itemIndex: number;
	items: INodeExecutionData[];
	error?: unknown;
}

async function runItem(operation: Operation, call: Call<PropertyDefinition>): Promise<Outcome> {
	const { run, itemIndex } = call;
	const { context } = run;
	// A previous item has ended the run, or it was canceled.
	if (run.session.halted.isOver && !operation.isShared)
		return { itemIndex, items: [], error: new Cancelled() };
	try {
		return { itemIndex, items: await itemsOf(operation, call, await operation.execute(call)) };
	} catch (error) {
		if (!context.continueOnFail()) {
			run.session.stop();
			return { itemIndex, items: [], error };
		}
		const done = await itemsOf(operation, call, run.partial.get(itemIndex) ?? []);
		const item = errorItem(context.getNode(), itemError(run, error, itemIndex), itemIndex);
		return { itemIndex, items: [...done, item], error };
	}
}

/** Pairs the results of an item with it. */
async function itemsOf(
	operation: Operation,
	{ run, itemIndex }: Call<PropertyDefinition>,
	results: readonly JsonObject[],
): Promise<INodeExecutionData[]> {
	const { context } = run;
	const pairedItem = { item: itemIndex };
	const isAlone = context.getInputData().length === 1;
	const binary = operation.passesOn && context.getInputData()[itemIndex]?.binary;
	// Created with its final length: a growing array reserves room for 16 more, and there may be 100,000 of them.
	const items = new Array<INodeExecutionData>(results.length);
	for (const [place, result] of results.entries()) {
		if (place % SLICE_RESULTS === SLICE_RESULTS - 1) await run.yieldToLoop();
		const safe = operation.passesOn
			? passedOn(result, context.getNode())
			: withoutErrorFlag(result);
		const json = (isAlone ? safe : copyOf(safe)) as IDataObject;
		items[place] = binary ? { json, binary, pairedItem } : { json, pairedItem };
	}
	return items;
}

/** Returns the error that ends the run, with those of other items whose values were refused as well. */
function withOthers(failed: unknown, errors: readonly Outcome[]): unknown {
	const refused = errors.filter(({ error }) => error instanceof RefusedValues);
	if (!(failed instanceof RefusedValues) || refused.length < 2) return failed;
	const items = refused.map(({ itemIndex, error }) => ({
		which: `Item ${itemIndex}`,
		error: error as RefusedValues,
	}));
	return refusalOf(items);
}

/**
 * Says how many items were processed before an error ended the run; undefined if one item's error is enough.
 *
 * @param outcomes the outcomes of all items, with the errors of the failed ones
 * @param failed the error that ends the run
 */
function stoppedNote(
	messages: Messages,
	outcomes: readonly Outcome[],
	failed: unknown,
): string | undefined {
	const isUntold = failed instanceof Cancelled && messages.noteOn(failed) === undefined;
	if (outcomes.length === 1 && !isUntold) return undefined;
	const errors = outcomes.flatMap(({ error }) => (error ? [error] : []));
	const done = outcomes.length - errors.length;
	return progressOf(done, outcomes.length, 'item', 'processed before the run stopped', errors);
}

/** The maximum number of IDs in a line of n8n's log. */
const IDS_IN_LINE = 1_000;

/**
 * Logs the progress of a canceled run, with the IDs of the written records. n8n stores the execution as soon as it is
 * canceled, and ignores later messages of the node.
 */
function logCancelled({ context, done }: Run, { message, description }: ItemError): void {
	const { name } = context.getNode();
	const place = { workflowId: context.getWorkflow().id, executionId: context.getExecutionId() };
	context.logger.info(`${name}: ${sentences(message, description ?? '')}`, place);
	for (const line of done.lines(IDS_IN_LINE)) context.logger.info(`${name}: ${line}`, place);
}

type ItemError = ReturnType<typeof toNodeError>;

/** Returns the error of an item, with the run's note on it. @param more a further note */
function itemError(run: Run, error: unknown, itemIndex: number, more?: string): ItemError {
	const withFieldNames = (text: string) => run.messages.withNames(text);
	const place = { itemIndex, withFieldNames, redact: (text: string) => run.session.redact(text) };
	const nodeError = toNodeError(run.context.getNode(), error, place);
	const description = sentences(nodeError.description ?? '', run.messages.noteOn(error), more);
	nodeError.description = description || undefined;
	// An AI model receives only the message, so the message must list the allowed values.
	if (description && run.context.getNode().type.endsWith('Tool')) {
		nodeError.message = sentences(nodeError.message, description);
	}
	return nodeError;
}

/**
 * Creates the item that replaces a failed one. n8n's error output recognizes it by its keys. n8n 1 accepts only
 * `error` and `message`. If there were an error object next to them, n8n would drop the other properties.
 */
function errorItem(node: INode, nodeError: ItemError, itemIndex: number): INodeExecutionData {
	const details = errorDetails(nodeError);
	const { description: message } = details;
	const isErrorOutput = node.onError === 'continueErrorOutput';
	const more = isErrorOutput ? { ...(message && { message }) } : { details };
	return {
		json: { error: nodeError.message, ...more },
		pairedItem: { item: itemIndex },
	};
}
