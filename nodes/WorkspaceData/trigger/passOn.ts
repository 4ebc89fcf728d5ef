import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { toNodeError } from '../transport/nodeError';
import { catchUp, readCatchUpOrder, withoutKnown } from './catchUp';
import { readSaveOrder, saveSealed } from './saving';
import { readSettings, type TriggerSettings } from './settings';

const settingsOf = (context: IExecuteFunctions): TriggerSettings =>
	readSettings({
		getNodeParameter: (name, fallback) => context.getNodeParameter(name, 0, fallback),
	});

/**
 * `execute()`: n8n runs this node as part of the execution that a delivery or the trigger started.
 * Passes on what a delivery gave, and does what the trigger ordered: only an execution has n8n's memory
 * that survives, and static data as they are.
 */
export async function passOn(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const mode = context.getMode();
	// n8n tries a failed execution again in a mode of its own; records of a delivery are known by then.
	const ordered = mode === 'trigger' || mode === 'retry' ? items[0]?.json : undefined;
	const sealed = readSaveOrder(ordered);
	if (sealed !== undefined) {
		if (mode === 'trigger') await saveSealed(context, settingsOf(context).authentication, sealed);
		return [[]];
	}
	const span = readCatchUpOrder(ordered);
	if (mode !== 'webhook' && mode !== 'trigger' && !span) return [items];
	const settings = settingsOf(context);
	if (!settings.catchUp) return [span ? [] : items];
	if (!span) return [await withoutKnown(context, items)];
	try {
		return [await catchUp(context, settings, span)];
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}
