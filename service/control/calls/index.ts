/** All calls of control. */
import { z } from 'zod/v4';
import { runtimeSettingsSchema } from '../../foundation/settings.ts';
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
	context.faults.clear();
	context.tokenFaults.clear();
	Object.assign(context.state, initialState(context.variants));
	Object.assign(context.settings, runtimeSettingsSchema.parse(context));
	context.limiter.set(context.rate);
	context.clock.offsetSeconds = 0;
}

/** Deletes cards, records, subscriptions, deliveries and e-mails of all workspaces, and empties the request log. */
function deleteData({ data: { database }, requests }: ControlContext): void {
	for (const table of ['subscriptions', 'cards']) database.run(`DELETE FROM ${table}`);
	for (const cache of database.caches) cache.clear();
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
