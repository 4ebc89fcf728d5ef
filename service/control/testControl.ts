/** Adds the control for tests to a service: everything that a model service would not have. */
import type { Rate } from '../foundation/limiter.ts';
import type { RuntimeSettings } from '../foundation/settings.ts';
import type { App } from '../http/context.ts';
import { type Control, createControl } from './calls/index.ts';
import { type ControlledParts, initialState } from './context.ts';
import { Faults, TokenFaults } from './faults.ts';
import { addHooks } from './hooks.ts';
import { RequestLog } from './requestLog.ts';
import { addControlRoutes } from './routes.ts';
import { defaultVariants, type Variants, variantsSchema } from './variants.ts';

/** How the service was started. */
export interface ControlStart {
	settings: RuntimeSettings;
	rate: Rate;
	variants?: Partial<Variants>;
	/** Opens control over HTTP. */
	controlToken: string;
}

/** Adds faults, variants, the request log and the routes of control. @returns the calls in this process */
export function addControl(app: App, parts: ControlledParts, start: ControlStart): Control {
	const { settings, rate } = start;
	const variants = { ...defaultVariants, ...variantsSchema.parse(start.variants ?? {}) };
	const context = {
		...parts,
		settings,
		state: initialState(variants),
		initial: { settings: { ...settings }, variants, rate },
		faults: new Faults(),
		tokenFaults: new TokenFaults(),
		requests: new RequestLog(),
	};
	const control = createControl(context);
	addHooks(app, context);
	addControlRoutes(app, control, start.controlToken);
	return control;
}
