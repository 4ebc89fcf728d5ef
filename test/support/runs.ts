/** Runs of the action node on the service and the card of the running test. */
import type { IDataObject } from 'n8n-workflow';
import { runAction, type ActionResult, type ActionRun } from './n8n';
import { byId } from './parameters';
import { card, workspace } from './workspace';

/** The setting of a node whose errors don't end a run: each failed item gets its error. */
export const GOING_ON = { node: { onError: 'continueRegularOutput' } } as const;

/** Runs an operation. */
export const runNode = async (
	parameters: IDataObject,
	items: IDataObject[] = [{}],
	more: Partial<ActionRun> = {},
): Promise<ActionResult> =>
	await runAction({ credentials: workspace.apiKey, items, parameters, ...more });

/** Runs an operation of the resource Record on the card. */
export const run = async (
	operation: string,
	parameters: IDataObject = {},
	...more: [items?: IDataObject[], more?: Partial<ActionRun>]
): Promise<ActionResult> =>
	await runNode({ resource: 'record', operation, cardId: byId(card.id), ...parameters }, ...more);

/** As `run`; requests are counted from here on. */
export async function runCounted(...given: Parameters<typeof run>): Promise<ActionResult> {
	workspace.service.control.resetRequests();
	return await run(...given);
}

/** As `run`, for one that may be cancelled. */
export function startRun(...[operation, parameters, items, more]: Parameters<typeof run>) {
	const cancelling = new AbortController();
	return {
		running: run(operation, parameters, items, { signal: cancelling.signal, ...more }),
		cancel: () => cancelling.abort(),
	};
}

/** What was done, item by item. */
export const actionsOf = ({ json }: ActionResult): unknown[] => json.map(({ action }) => action);
