/** The state that control changes, and the parts that it works on. */
import { z } from 'zod/v4';
import type { IdentityProvider } from '../auth/provider.ts';
import type { WorkspaceData } from '../data/workspaceData.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import type { Sender } from '../delivery/sender.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Limiter } from '../foundation/limiter.ts';
import { maximumTimerMs } from '../foundation/settings.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Faults, TokenFaults } from './faults.ts';
import { rateAnswerSchema } from './rateAnswer.ts';
import type { RequestLog } from './requestLog.ts';
import { defaultVariants, type Variants, variantsSchema } from './variants.ts';

/** How responses of the API are held back; unless told otherwise, they aren't. */
export const latencySchema = z.strictObject({
	/** Time that every response is held back. */
	ms: z.number().min(0).max(maximumTimerMs).default(0),
	/** How many at a time; the others wait for them. */
	atOnce: z.int().min(1).default(Infinity),
	/** Whether the others are refused with 503 instead. */
	refusesMore: z.boolean().default(false),
});

/** How cursors behave: properly, or as a broken service would. */
export const pagingSchema = z.strictObject({
	mode: z.enum(['normal', 'repeatCursor', 'endless', 'shifting']).default('normal'),
	/** How many more pages begin with the last record of the page before, if they are shifting. */
	times: z.int().min(0).default(1_000_000),
});

/** The switches for tests while the service runs, in addition to its settings. */
export type ControlState = ReturnType<typeof initialState>;

/** The state of a service that was just started. */
export const initialState = (variants: Partial<Variants> = {}) => ({
	latency: latencySchema.parse({}),
	paging: pagingSchema.parse({}),
	rateAnswer: rateAnswerSchema.parse({}),
	variants: { ...defaultVariants, ...variantsSchema.parse(variants) },
});

/** The parts of the service that control works on, and how it was started, which `reset` restores. */
export interface ControlledParts extends ResolvedOptions {
	data: WorkspaceData;
	limiter: Limiter;
	dispatcher: Dispatcher;
	sender: Sender;
	clock: Clock;
	provider: IdentityProvider;
	workspaceId: string;
}

/** All that control works on. */
export interface ControlContext extends ControlledParts {
	state: ControlState;
	faults: Faults;
	tokenFaults: TokenFaults;
	requests: RequestLog;
}
