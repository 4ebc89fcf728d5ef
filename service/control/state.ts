import type { IdentityProvider } from '../auth/provider.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import type { WorkspaceData } from '../domain/workspaceData.ts';
import type { Cursors } from '../http/cursor.ts';
import type { RateLimiter } from '../http/rateLimit.ts';
import type { Store } from '../storage/store.ts';
import type { Faults } from './faults.ts';
import type { RateAnswer } from './rateAnswer.ts';
import type { RequestLog } from './requestLog.ts';
import type { ShiftedClock } from './shiftedClock.ts';
import type { TokenFaults } from './tokenFaults.ts';
import type { Variants } from './variants.ts';

/** The switches for tests while the service runs, in addition to its settings. */
export interface RigState {
	/** Time that every API answer is held back, in ms. */
	latencyMs: number;
	/** How many answers are held back at a time; the others wait for them. */
	atOnce: number;
	/** How cursors behave: properly, or as a broken service would. */
	paging: 'normal' | 'repeatCursor' | 'endless';
	variants: Variants;
	rateAnswer: RateAnswer;
}

/** The parts of the service that control turns. */
export interface ControlledParts {
	store: Store;
	data: WorkspaceData;
	cursors: Cursors;
	limiter: RateLimiter;
	dispatcher: Dispatcher;
	provider: Pick<IdentityProvider, 'app' | 'onToken'>;
	workspaceId: string;
}

/** The parts that the hooks work with. */
export interface HookContext extends ControlledParts {
	state: RigState;
	faults: Faults;
	tokenFaults: TokenFaults;
	requests: RequestLog;
	clock: ShiftedClock;
}
