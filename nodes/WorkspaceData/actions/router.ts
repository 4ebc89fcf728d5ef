import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { Cancelled } from '../transport/failures';
import { errorDetails, toNodeError, type ErrorPlace } from '../transport/nodeError';
import type { Operation } from './operation';
import { findOperation } from './registry';
import { openRun, type Run } from './run';
import { withoutErrorFlag } from './serviceObject';

/**
 * Runs the node: every input item through the chosen operation, side by side, with the output in
 * input order. This is the only place that knows about items, pairing and Continue On Fail.
 */
export async function route(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const inputs = context.getInputData();
	let prepared: Awaited<ReturnType<typeof prepare>>;
	try {
		prepared = await prepare(context);
	} catch (error) {
		const node = context.getNode();
		if (!context.continueOnFail()) throw toNodeError(node, error, { itemIndex: 0 });
		// Thrown, n8n would hand the input items on as if they had been done.
		return [inputs.map((_, itemIndex) => errorItem(node, error, { itemIndex }))];
	}
	const { operation, run } = prepared;
	const outcomes = await Promise.all(
		inputs.map(async (_, itemIndex) => await runItem(operation, run, itemIndex)),
	);
	const errors = outcomes.filter(({ error }) => error !== undefined);
	const failed = errors.find(({ error }) => !(error instanceof Cancelled)) ?? errors[0];
	if (failed && !context.continueOnFail()) {
		throw stoppedError(run, operation, outcomes, failed);
	}
	return [outcomes.flatMap(({ items }) => items)];
}

/** The item that an error belongs to. */
type ItemPlace = ErrorPlace & { itemIndex: number };

interface Outcome {
	itemIndex: number;
	items: INodeExecutionData[];
	error?: unknown;
}

async function prepare(context: IExecuteFunctions): Promise<{ operation: Operation; run: Run }> {
	const operation = findOperation(
		context.getNodeParameter('resource', 0, ''),
		context.getNodeParameter('operation', 0, ''),
	);
	return { operation, run: await openRun(context) };
}

async function runItem(operation: Operation, run: Run, itemIndex: number): Promise<Outcome> {
	const { context } = run;
	const pairedItem = { item: itemIndex };
	const get = (name: string): unknown =>
		context.getNodeParameter(
			name,
			itemIndex,
			operation.properties.find((property) => property.name === name)?.default,
			// n8n's own conversion loses nulls and refuses new options; values are checked against the live listing.
			{ skipValidation: true },
		);
	try {
		const results = await operation.execute({ run, itemIndex, get });
		return {
			itemIndex,
			items: results.map((object) => ({
				json: withoutErrorFlag(object),
				pairedItem,
			})) as INodeExecutionData[],
		};
	} catch (error) {
		if (!context.continueOnFail()) run.api.stop();
		const item = errorItem(context.getNode(), error, placeOf(run, itemIndex));
		return { itemIndex, items: [item], error };
	}
}

const placeOf = (run: Run, itemIndex: number): ItemPlace => ({
	itemIndex,
	withFieldNames: (text: string) => run.withFieldNames(text),
});

/**
 * The item that takes the place of a failed one. n8n's error output recognises it by its keys, and n8n 1
 * knows `error` and `message` only; with the error object beside, n8n would throw the rest away.
 */
function errorItem(node: INode, error: unknown, place: ItemPlace): INodeExecutionData {
	const nodeError = toNodeError(node, error, place);
	const { description: message, ...facts } = errorDetails(nodeError);
	const details =
		node.onError === 'continueErrorOutput'
			? { ...(message && { message }) }
			: { details: { ...(message && { description: message }), ...facts } };
	return {
		json: { error: nodeError.message, ...details },
		pairedItem: { item: place.itemIndex },
	};
}

/** The error that ends the run; says which items had been done, as running again does them twice. */
function stoppedError(run: Run, operation: Operation, outcomes: Outcome[], failed: Outcome): Error {
	const error = toNodeError(run.context.getNode(), failed.error, placeOf(run, failed.itemIndex));
	const done = outcomes.filter((outcome) => !outcome.error).length;
	if (operation.writes && done > 0) {
		const note = `${done} of ${outcomes.length} items had been done before the run stopped.`;
		error.description = [error.description, note].filter(Boolean).join(' ');
	}
	return error;
}
