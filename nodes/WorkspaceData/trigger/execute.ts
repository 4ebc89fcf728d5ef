/** `execute()`: n8n runs the trigger node in the execution that a delivery or the trigger started. */
import type { IExecuteFunctions, IHookFunctions, INodeExecutionData } from 'n8n-workflow';
import { toNodeError } from '../transport/failure/nodeError';
import { isKnown } from './catchUp/memory';
import { catchUp, readSearchJob } from './catchUp/search';
import { carryOutSaveJob, readSaveJob } from './subscription/saving';
import { readSettings } from './parameters';

/**
 * Returns the items of a delivery, and runs the jobs of the trigger. Only an execution has access to n8n's
 * deduplication table and to current static data.
 */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const mode = context.getMode();
	// n8n retries a failed execution in a separate mode. Records of a delivery are known by then.
	const json = mode === 'trigger' || mode === 'retry' ? items[0]?.json : undefined;
	const sealed = readSaveJob(json);
	if (sealed !== undefined) {
		if (mode === 'trigger') carryOutSaveJob(context, sealed);
		return [[]];
	}
	const search = readSearchJob(json);
	if (mode !== 'webhook' && mode !== 'trigger' && !search) return [items];
	const getNodeParameter: IHookFunctions['getNodeParameter'] = (name, fallback, options) =>
		context.getNodeParameter(name, 0, fallback, options);
	const settings = readSettings({ getNodeParameter });
	if (!settings.catchUp) return [search ? [] : items];
	if (!search) return [items[0] && (await isKnown(context, items[0].json)) ? [] : items];
	try {
		return [await catchUp(context, settings, search)];
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}
