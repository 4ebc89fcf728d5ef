/** Makes n8n's items of an operation's results. */
import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import type { Run } from '../records/run';
import type { JsonObject } from '../values/jsonObject';
import type { Operation, Outcomes } from './operation/defineOperation';

/**
 * Pairs all results with their items.
 *
 * @param errorItem makes the item of an input item that failed
 */
export async function outputItems(
	{ passesOn }: Pick<Operation, 'passesOn'>,
	run: Run,
	{ items, last = [] }: Outcomes,
	errorItem: (error: unknown, itemIndex: number) => INodeExecutionData,
): Promise<INodeExecutionData[]> {
	const input = run.context.getInputData();
	const node = run.context.getNode();
	const output: INodeExecutionData[] = [];
	const add = (json: JsonObject, itemIndex: number): void => {
		const safe = passesOn ? passedOn(json, node) : withoutErrorFlag(json);
		const binary = passesOn && input[itemIndex]?.binary;
		output.push({
			// What is read once for all items is no later node's to change for the others.
			json: (input.length === 1 || passesOn ? safe : structuredClone(safe)) as IDataObject,
			...(binary && { binary }),
			pairedItem: { item: itemIndex },
		});
	};
	for (const [itemIndex, outcome] of items.entries()) {
		const { json, error } = outcome;
		// Copies aren't kept next to what they were made of.
		outcome.json = [];
		for (const one of json) {
			await run.yieldToLoop();
			add(one, itemIndex);
		}
		if (error !== undefined) output.push(errorItem(error, itemIndex));
	}
	for (const { json, itemIndex } of last) {
		await run.yieldToLoop();
		add(json, itemIndex);
	}
	return output;
}

/**
 * Returns the properties of a service's object, except for `error`. With Retry On Fail, n8n 1 treats an item with any
 * `error` but undefined as a failure, and n8n 2 any but undefined, null and false; the node then runs again.
 *
 * @returns the object itself, or a copy that has the value under `error_`
 */
export function withoutErrorFlag(object: JsonObject): JsonObject {
	if (!Object.hasOwn(object, 'error')) return object;
	const { error, ...rest } = object;
	return { ...rest, error_: error };
}

/** If an item has no other keys, n8n treats `error` as a failure. */
const FAILURE_KEYS = ['error', 'message', 'details'];

/**
 * Passes on an input item unchanged, unless n8n would treat it as failed because of the node's settings.
 *
 * @returns the object itself, or a copy that has the value under `error_`
 */
export function passedOn(
	item: JsonObject,
	{ retryOnFail, onError }: Pick<INode, 'retryOnFail' | 'onError'>,
): JsonObject {
	const isFailure =
		onError === 'continueErrorOutput' &&
		Object.keys(item).every((key) => FAILURE_KEYS.includes(key));
	return retryOnFail === true || isFailure ? withoutErrorFlag(item) : item;
}
