/** All calls of control. */
import { z } from 'zod/v4';
import { rateAnswerSchema } from '../rateAnswer.ts';
import { answerCalls, faultCalls, observationCalls } from './answers.ts';
import { call, type ControlContext } from './call.ts';
import { dataCalls } from './data.ts';
import { deliveryCalls } from './deliveries.ts';
import { identityCalls } from './identities.ts';

export { type ControlCall, type ControlContext } from './call.ts';

/** In-process control of a running service; the same calls are served over HTTP. See README.md. */
export type Control = ReturnType<typeof createControl>;

/** Ends all faults, and restores what the start had set. */
function resetBehaviour({
	faults,
	tokenFaults,
	state,
	initial,
	settings,
	rates,
	clock,
}: ControlContext) {
	faults.clear();
	tokenFaults.clear();
	Object.assign(state.variants, initial.variants);
	Object.assign(settings, initial.settings);
	state.latencyMs = 0;
	state.atOnce = Infinity;
	state.refusesMore = false;
	state.paging = 'normal';
	state.shifts = 0;
	state.rateAnswer = rateAnswerSchema.parse({});
	rates.set(initial.rate);
	clock.offsetSeconds = 0;
}

/** Deletes cards, records, subscriptions, deliveries and e-mails of all workspaces, and empties the request log. */
function deleteData({ store, data, requests }: ControlContext) {
	for (const workspaceId of store.identities.workspaceIds()) {
		for (const { id } of data.subscriptions.list(workspaceId)) store.removeSubscription(id);
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
		 * Goes back to the faults, variants, limits and delays of the start; with `data`, deletes all data, too. Keys
		 * and accounts stay.
		 */
		reset: call(z.strictObject({ data: z.boolean().default(false) }).prefault({}), (input) => {
			resetBehaviour(context);
			if (input.data) deleteData(context);
		}),
	};
}
