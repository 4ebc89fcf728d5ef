/** The state that control changes, and the parts that it works on. */
import type { IdentityProvider } from '../auth/provider.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import type { WorkspaceData } from '../domain/workspaceData.ts';
import type { Cursors } from '../http/cursor.ts';
import type { Sender } from '../delivery/sender.ts';
import type { RuntimeSettings } from '../foundation/settings.ts';
import type { Rates } from '../foundation/limiter.ts';
import type { Store } from '../storage/store.ts';
import type { Faults } from './faults.ts';
import type { RateAnswer } from './rateAnswer.ts';
import type { RequestLog } from './requestLog.ts';
import type { ShiftedClock } from './shiftedClock.ts';
import type { TokenFaults } from './tokenFaults.ts';
import type { Variants } from './variants.ts';

/** The switches for tests while the service runs, in addition to its settings. */
export interface ControlState {
	/** Time that every API answer is held back, in ms. */
	latencyMs: number;
	/** How many answers are held back at a time; the others wait for them. */
	atOnce: number;
	/** Whether the others are refused with 503 instead. */
	refusesMore: boolean;
	/** How cursors behave: properly, or as a broken service would. */
	paging: 'normal' | 'repeatCursor' | 'endless' | 'shifting';
	/** How many more pages begin with the last record of the page before. */
	shifts: number;
	variants: Variants;
	rateAnswer: RateAnswer;
}

/** The parts of the service that control works on. */
export interface ControlledParts {
	store: Store;
	data: WorkspaceData;
	cursors: Cursors;
	rates: Rates;
	dispatcher: Dispatcher;
	sender: Sender;
	settings: RuntimeSettings;
	provider: Pick<IdentityProvider, 'app' | 'onToken' | 'onForm'>;
	workspaceId: string;
}

/** The parts that the hooks work with. */
export interface HookContext extends ControlledParts {
	state: ControlState;
	faults: Faults;
	tokenFaults: TokenFaults;
	requests: RequestLog;
	clock: ShiftedClock;
}
