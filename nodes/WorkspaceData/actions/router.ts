/** Runs the selected operation for all input items. Only this file knows error items and *On Error*. */
import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { progressNote } from '../records/hints';
import { openRun, type Run } from '../records/run';
import { Cancelled, errorDetails, RequestError, toNodeError } from '../transport/errors';
import { isObject } from '../values/jsonObject';
import { sentences } from '../values/messageText';
import type { ItemOutcome, Operation, Outcomes } from './operation/defineOperation';
import { outputItems } from './outputItems';
import { openParameters } from './openParameters';
import { findOperation } from './registry';

/** Runs the node: the output of all items, in input order. @throws n8n's error, unless the run continues on errors */
export async function route(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const node = context.getNode();
	let run: Run | undefined;
	try {
		const operation = findOperation(
			context.getNodeParameter('resource', 0, ''),
			context.getNodeParameter('operation', 0, ''),
		);
		run = await openRun(context);
		return [await runItems(operation, run)];
	} catch (error) {
		const errorOf = (itemIndex: number) => toNodeError(node, error, { itemIndex });
		if (!context.continueOnFail()) throw errorOf(0);
		// A thrown error would make n8n pass the input items on as if they had succeeded.
		return [context.getInputData().map((_, item) => errorItem(node, errorOf(item), item))];
	} finally {
		await run?.close();
	}
}

async function runItems(operation: Operation, run: Run): Promise<INodeExecutionData[]> {
	const outcomes = await outcomesOf(operation, run);
	const ending = endingError(operation, run, outcomes);
	if (ending) throw ending;
	const output = await outputItems(operation, run, outcomes, (error, itemIndex) =>
		errorItem(run.context.getNode(), itemError(run, error, itemIndex), itemIndex),
	);
	return output;
}

/** What stops the work for all items is the error of each of them. */
async function outcomesOf(operation: Operation, run: Run): Promise<Outcomes> {
	try {
		return await operation.execute(run, openParameters(run.context, operation));
	} catch (error) {
		return { items: Array.from({ length: run.itemCount }, () => ({ json: [], error })) };
	}
}

/** The error that ends the run; undefined if there is none, or the run continues on errors. */
function endingError(operation: Operation, run: Run, { items }: Outcomes): ItemError | undefined {
	const failed = items.filter(({ error }) => error !== undefined);
	const first = failed.find(({ error }) => !(error instanceof Cancelled)) ?? failed[0];
	const isCanceled = operation.writes && run.api.signal?.aborted;
	if (!first || (run.continues && !isCanceled)) return undefined;
	const note = operation.writes && stoppedNote(items, first);
	const error = itemError(run, first.error, items.indexOf(first), note || undefined);
	if (run.done.count > 0) {
		const data = isObject(error.context.data) ? error.context.data : {};
		error.context.data = { ...data, ...run.done.details } as IDataObject;
	}
	if (isCanceled) logCanceled(run, error);
	return run.continues ? undefined : error;
}

/** Says how many items were processed, because a new run repeats them; undefined if one item's error is enough. */
function stoppedNote(items: readonly ItemOutcome[], first: ItemOutcome): string | undefined {
	if (items.length === 1 && !(first.error instanceof Cancelled)) return undefined;
	const errors = items.flatMap(({ error }) => error ?? []);
	const processed = 'processed before the run stopped';
	return progressNote(items.length - errors.length, items.length, 'item', processed, errors);
}

/** The maximum number of IDs in a line of n8n's log. */
const IDS_IN_LINE = 1_000;

/**
 * Logs the progress of a canceled run, with the IDs of the written records. n8n stores the execution as soon as it is
 * canceled, and ignores later messages of the node.
 */
function logCanceled({ context, done }: Run, { message, description }: ItemError): void {
	const { name } = context.getNode();
	const place = { workflowId: context.getWorkflow().id, executionId: context.getExecutionId() };
	context.logger.info(`${name}: ${sentences(message, description ?? '')}`, place);
	for (const line of done.lines(IDS_IN_LINE)) context.logger.info(`${name}: ${line}`, place);
}

type ItemError = NodeApiError | NodeOperationError;

/** Returns the error of an item. @param note a further sentence of its description */
function itemError(run: Run, error: unknown, itemIndex: number, note?: string): ItemError {
	const node = run.context.getNode();
	const detail = (error instanceof RequestError && error.detail) || '';
	const nodeError = toNodeError(node, error, {
		itemIndex,
		// Only in the service's own words: ours say where an ID is meant.
		withNames: (text) => text.replace(detail, () => run.hints.withNames(detail)),
		redact: (text) => run.api.redact(text),
	});
	const description = sentences(nodeError.description ?? '', note);
	const isTool = node.type.endsWith('Tool');
	// An AI model receives only the message, so the message must list the allowed values.
	if (isTool && description !== '') {
		const { message } = nodeError;
		nodeError.message = description.includes(message)
			? description
			: sentences(message, description);
	}
	nodeError.description = isTool ? undefined : description || undefined;
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
	return { json: { error: nodeError.message, ...more }, pairedItem: { item: itemIndex } };
}
