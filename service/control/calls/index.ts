/** All calls of control. */
import { z } from 'zod/v4';
import { type ControlContext, initialState } from '../context.ts';
import { answerCalls, faultCalls, observationCalls } from './answers.ts';
import { call } from './call.ts';
import { dataCalls } from './data.ts';
import { deliveryCalls } from './deliveries.ts';
import { identityCalls } from './identities.ts';

/** In-process control of a running service; the same calls are served over HTTP. See README.md. */
export type Control = ReturnType<typeof createControl>;

/** Ends all faults, and restores what the start had set. */
function resetBehavior(context: ControlContext): void {
	const { state, initial, settings, rates, clock } = context;
	context.faults.clear();
	context.tokenFaults.clear();
	const { variants, ...others } = initialState(initial.variants);
	Object.assign(state, others);
	Object.assign(state.variants, variants);
	Object.assign(settings, initial.settings);
	rates.set(initial.rate);
	clock.offsetSeconds = 0;
}

/** Deletes cards, records, subscriptions, deliveries and e-mails of all workspaces, and empties the request log. */
function deleteData({ data, requests }: ControlContext): void {
	for (const workspaceId of data.identities.workspaceIds()) {
		for (const { id } of data.subscriptions.list(workspaceId)) {
			data.subscriptions.remove(workspaceId, id);
		}
		for (const { id } of data.cards.list(workspaceId)) data.cards.remove(workspaceId, id);
	}
	requests.reset();
}

/** Makes the calls. */
export function createControl(context: ControlContext) {
	return {
		...answerCalls(context),
		...faultCalls(context),
		...dataCalls(context),
		...identityCalls(context),
		...deliveryCalls(context),
		...observationCalls(context),
		/**
		 * Returns to the faults, variants, limits and delays of the start; with `data`, deletes all data, too. Keys and
		 * accounts stay.
		 */
		reset: call(z.strictObject({ data: z.boolean().default(false) }).prefault({}), (input) => {
			resetBehavior(context);
			if (input.data) deleteData(context);
		}),
	};
}
