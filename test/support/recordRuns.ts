import type { IDataObject } from 'n8n-workflow';
import { runAction, type ActionResult, type ActionRun } from './n8n';
import { byId } from './parameters';
import type { TestCard, TestWorkspace } from './workspace';

type RunRecord = (
	operation: string,
	parameters?: IDataObject,
	items?: IDataObject[],
	more?: Partial<ActionRun>,
) => Promise<ActionResult>;

/** Record operations on the card of a test, and answers in place of the service's. */
export interface RecordRuns {
	/** Runs an operation of the resource Record on the card. */
	run: RunRecord;
	/** As `run`; requests are counted from here on. */
	runCounted: RunRecord;
	/** Answers the next requests of this kind with this JSON; the service does nothing. */
	answer(
		method: string,
		path: string,
		json: unknown,
		more?: { status?: number; times?: number },
	): void;
}

/** @param made gives the service and the card of the running test, as `useCard` makes them */
export function recordRuns(made: () => { workspace: TestWorkspace; card: TestCard }): RecordRuns {
	const run: RunRecord = async (operation, parameters = {}, items = [{}], more = {}) => {
		const { workspace, card } = made();
		return await runAction({
			credentials: workspace.apiKey,
			items,
			parameters: { resource: 'record', operation, cardId: byId(card.id), ...parameters },
			...more,
		});
	};
	return {
		run,
		async runCounted(...given) {
			made().workspace.service.control.resetRequests();
			return await run(...given);
		},
		answer(method, path, json, { status = 200, times = 1 } = {}) {
			const { control } = made().workspace.service;
			control.fail({ method, path, mode: 'answer', status, body: 'json', json, times });
		},
	};
}

/** What was done, item by item. */
export const actionsOf = ({ json }: ActionResult): unknown[] => json.map(({ action }) => action);
