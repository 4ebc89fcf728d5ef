import { createClock, type ShiftedClock } from './shiftedClock.ts';
import { newSecret } from '../foundation/secrets.ts';
import type { RuntimeSettings } from '../foundation/settings.ts';
import type { App } from '../http/context.ts';
import type { Rate } from '../http/rateLimit.ts';
import { type Control, createControl } from './calls.ts';
import { createFaults } from './faults.ts';
import { addHooks } from './hooks.ts';
import { rateAnswerSchema } from './rateAnswer.ts';
import { createRequestLog } from './requestLog.ts';
import { addControlRoutes } from './routes.ts';
import type { ControlledParts, RigState } from './state.ts';
import { createTokenFaults } from './tokenFaults.ts';
import { defaultVariants, type Variants, variantsSchema } from './variants.ts';

export { type Control } from './calls.ts';

/** The test rig: everything that a model service would not have. */
export interface Rig {
	/** The service's clock, which tests put forward and back. */
	clock: ShiftedClock;
	token: string;
	/** The calls in this process; there once the plugin was added. */
	readonly control: Control;
	/** Makes the plugin that adds faults, variants, the request log and the routes of control. */
	plugin(parts: ControlledParts): (app: App) => void;
}

/** Makes the rig. Nothing of it acts before its plugin is added to an app. */
export function createRig(initial: {
	settings: RuntimeSettings;
	rate: Rate;
	options: { controlToken?: string; variants?: Partial<Variants> };
}): Rig {
	const { settings, rate, options } = initial;
	const variants = {
		...defaultVariants,
		...variantsSchema.partial().parse(options.variants ?? {}),
	};
	const state: RigState = {
		latencyMs: 0,
		atOnce: Infinity,
		paging: 'normal',
		variants: { ...variants },
		rateAnswer: rateAnswerSchema.parse({}),
	};
	const clock = createClock();
	const faults = createFaults();
	const tokenFaults = createTokenFaults();
	const requests = createRequestLog();
	const token = options.controlToken ?? newSecret();
	const initialSettings = { ...settings };
	let control: Control | undefined;

	return {
		clock,
		token,
		get control() {
			if (!control) throw new Error('the plugin of control was not added yet');
			return control;
		},
		plugin: (parts) => (app) => {
			control = createControl({
				...parts,
				state,
				settings,
				initial: { settings: initialSettings, variants, rate },
				faults,
				tokenFaults,
				requests,
				clock,
			});
			addHooks(app, { ...parts, state, faults, tokenFaults, requests, clock });
			addControlRoutes(app, control, token);
		},
	};
}
