/** The control for tests: everything that a model service would not have. */
import { createClock, type ShiftedClock } from './shiftedClock.ts';
import { newSecret } from '../foundation/secrets.ts';
import type { RuntimeSettings } from '../foundation/settings.ts';
import type { App } from '../http/context.ts';
import type { Rate } from '../foundation/limiter.ts';
import { type Control, createControl } from './calls/index.ts';
import { createFaults } from './faults.ts';
import { addHooks } from './hooks.ts';
import { rateAnswerSchema } from './rateAnswer.ts';
import { createRequestLog } from './requestLog.ts';
import { addControlRoutes } from './routes.ts';
import type { ControlledParts, ControlState } from './state.ts';
import { createTokenFaults } from './tokenFaults.ts';
import { defaultVariants, type Variants, variantsSchema } from './variants.ts';

/** The control for tests. */
export interface TestControl {
	/** The service's clock, which tests put forward and back. */
	clock: ShiftedClock;
	token: string;
	/** The calls in this process; there once it was added to an app. */
	readonly control: Control;
	/** Adds faults, variants, the request log and the routes of control. */
	addTo(app: App, parts: ControlledParts): void;
}

/** Makes the control. Nothing of it acts before it is added to an app. */
export function createTestControl(start: {
	settings: RuntimeSettings;
	rate: Rate;
	options: { controlToken?: string; variants?: Partial<Variants> };
}): TestControl {
	const { rate, options } = start;
	const variants = {
		...defaultVariants,
		...variantsSchema.partial().parse(options.variants ?? {}),
	};
	const state: ControlState = {
		latencyMs: 0,
		atOnce: Infinity,
		refusesMore: false,
		paging: 'normal',
		shifts: 0,
		variants: { ...variants },
		rateAnswer: rateAnswerSchema.parse({}),
	};
	const clock = createClock();
	const token = options.controlToken ?? newSecret();
	const settings = { ...start.settings };
	let control: Control | undefined;

	return {
		clock,
		token,
		get control() {
			if (!control) throw new Error('control was not added to an app yet');
			return control;
		},
		addTo(app, parts) {
			const own = {
				...parts,
				state,
				clock,
				faults: createFaults(),
				tokenFaults: createTokenFaults(),
				requests: createRequestLog(),
			};
			const open = new Set<unknown>();
			app.server.on('connection', (socket) => {
				open.add(socket);
				socket.once('close', () => open.delete(socket));
			});
			const connections = () => open.size;
			control = createControl({ ...own, initial: { settings, variants, rate }, connections });
			addHooks(app, own);
			addControlRoutes(app, control, token);
		},
	};
}
