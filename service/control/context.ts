/** The state that control changes, and the parts that it works on. */
import type { IdentityProvider } from '../auth/provider.ts';
import type { WorkspaceData } from '../data/workspaceData.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import type { Sender } from '../delivery/sender.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Rate, Rates } from '../foundation/limiter.ts';
import type { RuntimeSettings } from '../foundation/settings.ts';
import type { Faults, TokenFaults } from './faults.ts';
import { type RateAnswer, rateAnswerSchema } from './rateAnswer.ts';
import type { RequestLog } from './requestLog.ts';
import type { Variants } from './variants.ts';

/** The switches for tests while the service runs, in addition to its settings. */
export interface ControlState {
	/** Time that every response of the API is held back, in ms. */
	latencyMs: number;
	/** How many responses are held back at a time; the others wait for them. */
	atOnce: number;
	/** Whether the others are refused with 503 instead. */
	refusesMore: boolean;
	/** How cursors behave: properly, or as a broken service would. */
	paging: 'normal' | 'repeatCursor' | 'endless' | 'shifting';
	/** How many more pages begin with the last record of the page before. */
	shifts: number;
	rateAnswer: RateAnswer;
	variants: Variants;
}

/** The parts of the service that control works on. */
export interface ControlledParts {
	data: WorkspaceData;
	rates: Rates;
	dispatcher: Dispatcher;
	sender: Sender;
	clock: Clock;
	provider: IdentityProvider;
	workspaceId: string;
}

/** All that control works on. */
export interface ControlContext extends ControlledParts {
	settings: RuntimeSettings;
	state: ControlState;
	/** The state that `reset` restores. */
	initial: { settings: Readonly<RuntimeSettings>; variants: Readonly<Variants>; rate: Rate };
	faults: Faults;
	tokenFaults: TokenFaults;
	requests: RequestLog;
}

/** The state of a service that nothing was done to. */
export const initialState = (variants: Readonly<Variants>): ControlState => ({
	latencyMs: 0,
	atOnce: Infinity,
	refusesMore: false,
	paging: 'normal',
	shifts: 0,
	rateAnswer: rateAnswerSchema.parse({}),
	variants: { ...variants },
});
