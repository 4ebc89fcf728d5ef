/** Runs the selected operation for all input items. Only this file knows error items, pairing and *On Error*. */
import {
	NodeApiError,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type NodeOperationError,
} from 'n8n-workflow';
import type { ItemResult, Results } from '../records/entry';
import { progressNote } from '../records/hints';
import { openRun, type Run } from '../records/run';
import { withoutErrorFlag } from '../records/recordOutput';
import { Cancelled, RequestError } from '../transport/errors';
import { toNodeError } from '../transport/nodeError';
import { isObject, type JsonObject } from '../values/json';
import { sentences } from '../values/messageText';
import { openParameters } from './operation/readParameters';
import type { Operation } from './operation/defineOperation';
import { findOperation } from './registry';

/** Runs the node: the output of all items, in input order. @throws n8n's error, unless the run continues on errors */
export async function route(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	let operation: Operation | undefined;
	let run: Run | undefined;
	let results: Results;
	try {
		operation = findOperation(
			context.getNodeParameter('resource', 0, ''),
			context.getNodeParameter('operation', 0, ''),
		);
		run = await openRun(context);
		results = await operation.execute(run, openParameters(context, operation));
	} catch (error) {
		// What stops the work for all items is the error of each of them.
		results = { items: context.getInputData().map(() => ({ json: [], error })) };
	} finally {
		await run?.close();
	}
	const place = { context, run, writes: run !== undefined && operation?.writes === true };
	const ending = endingError(place, results);
	if (ending) throw ending;
	return [outputOf(place, results, operation?.passesOn)];
}

/** What the errors of a node are made with. */
interface Place {
	context: IExecuteFunctions;
	/** Undefined if it didn't begin. */
	run: Run | undefined;
	writes: boolean;
}

/** Pairs all results with their items. */
function outputOf(
	place: Place,
	{ items, last = [] }: Results,
	passesOn = false,
): INodeExecutionData[] {
	const node = place.context.getNode();
	const input = place.context.getInputData();
	const itemOf = (given: JsonObject, item: number): INodeExecutionData => {
		const json = (passesOn ? given : withoutErrorFlag(given)) as IDataObject;
		const binary = passesOn && input[item]?.binary;
		return { json, ...(binary && { binary }), pairedItem: { item } };
	};
	const ofItems = items.flatMap(({ json, error }, itemIndex) => {
		const output = json.map((one) => itemOf(one, itemIndex));
		if (error === undefined) return output;
		return [...output, errorItem(node, itemError(place, error, itemIndex), itemIndex)];
	});
	return [...ofItems, ...last.map(({ json, itemIndex }) => itemOf(json, itemIndex))];
}

/** The error that ends the run; undefined if there is none, or the run continues on errors. */
function endingError(place: Place, { items }: Results): NodeError | undefined {
	const { context, run, writes } = place;
	const failed = items.filter(({ error }) => error !== undefined);
	const first = failed.find(({ error }) => !(error instanceof Cancelled)) ?? failed[0];
	const isCanceled = writes && run?.api.signal?.aborted;
	const continues = context.continueOnFail();
	if (!first || (continues && !isCanceled)) return undefined;
	const note = writes && stoppedNote(items, first);
	const error = itemError(place, first.error, items.indexOf(first), note);
	if (run && run.done.count > 0) {
		const data = isObject(error.context.data) ? error.context.data : {};
		error.context.data = { ...data, ...run.done.details } as IDataObject;
	}
	if (run && isCanceled) logCanceled(run, error);
	return continues ? undefined : error;
}

/** Says how many items were processed, because a new run repeats them; false if one item's error is enough. */
function stoppedNote(items: readonly ItemResult[], first: ItemResult): string | false {
	if (items.length === 1 && !(first.error instanceof Cancelled)) return false;
	const errors = items.flatMap(({ error }) => error ?? []);
	const processed = 'processed before the run stopped';
	return progressNote(items.length - errors.length, items.length, 'item', processed, errors);
}

/**
 * Logs the progress of a canceled run, with the IDs of the written records. n8n stores the execution as soon as it is
 * canceled, and ignores later messages of the node.
 */
function logCanceled({ context, done }: Run, { message, description }: NodeError): void {
	const { name } = context.getNode();
	const place = { workflowId: context.getWorkflow().id, executionId: context.getExecutionId() };
	for (const line of [sentences(message, description ?? ''), ...done.lines])
		context.logger.info(`${name}: ${line}`, place);
}

type NodeError = NodeApiError | NodeOperationError;

/** Returns the error of an item. @param note a further sentence of its description */
function itemError(
	{ context, run }: Place,
	error: unknown,
	itemIndex: number,
	note: string | false = false,
): NodeError {
	const node = context.getNode();
	const detail = (error instanceof RequestError && error.detail) || '';
	const clean = run && ((text: string) => run.api.redact(text));
	const nodeError = toNodeError(node, error, itemIndex, clean);
	const { message, description: told = '' } = nodeError;
	// Only in the service's own words: ours say where an ID is meant.
	const named = told?.replace(detail, () => run?.hints.withNames(detail) ?? detail);
	const description = sentences(named, note);
	const isTool = node.type.endsWith('Tool');
	// An AI model receives only the message, so the message must list the allowed values.
	if (isTool)
		nodeError.message = description.includes(message)
			? description
			: sentences(message, description);
	nodeError.description = isTool ? undefined : description || undefined;
	return nodeError;
}

/**
 * Creates the item that replaces a failed one. n8n's error output recognizes it by its keys. n8n 1 accepts only
 * `error` and `message`. If there were an error object next to them, n8n would drop the other properties.
 */
function errorItem(node: INode, nodeError: NodeError, item: number): INodeExecutionData {
	const details = errorDetails(nodeError);
	const { description: message } = details;
	const isErrorOutput = node.onError === 'continueErrorOutput';
	const more = isErrorOutput ? { ...(message && { message }) } : { details };
	return { json: { error: nodeError.message, ...more }, pairedItem: { item } };
}

/** The facts of an error for the error output. */
function errorDetails(error: NodeError): Record<string, string> {
	const { kind } = error.context;
	return {
		...(error.description && { description: error.description }),
		...(error instanceof NodeApiError && error.httpCode && { httpCode: error.httpCode }),
		...(typeof kind === 'string' && { kind }),
	};
}
