/** Adds the control for tests to a service: everything that a model service would not have. */
import type { FastifyInstance } from 'fastify';
import { type Control, createControl } from './calls/index.ts';
import { type ControlledParts, initialState } from './context.ts';
import { Faults, TokenFaults } from './faults.ts';
import { addHooks } from './hooks.ts';
import { RequestLog } from './requestLog.ts';
import { addControlRoutes } from './routes.ts';

/** Adds faults, variants, the request log and the routes of control. @returns the calls in this process */
export function addControl(app: FastifyInstance, parts: ControlledParts): Control {
	const context = {
		...parts,
		state: initialState(parts.variants),
		faults: new Faults(),
		tokenFaults: new TokenFaults(),
		requests: new RequestLog(),
	};
	const control = createControl(context);
	addHooks(app, context);
	addControlRoutes(app, control, parts.controlToken);
	return control;
}
