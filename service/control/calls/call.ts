/** A call of control: a function that checks its input. */
import { z } from 'zod/v4';
import type { RuntimeSettings } from '../../foundation/settings.ts';
import type { Rate } from '../../foundation/limiter.ts';
import type { Faults } from '../faults.ts';
import type { RequestLog } from '../requestLog.ts';
import type { ShiftedClock } from '../shiftedClock.ts';
import type { ControlledParts, ControlState } from '../state.ts';
import type { TokenFaults } from '../tokenFaults.ts';
import type { Variants } from '../variants.ts';

/** The parts that control works on. */
export interface ControlContext extends ControlledParts {
	state: ControlState;
	/** The state that `reset` restores. */
	initial: { settings: Readonly<RuntimeSettings>; variants: Readonly<Variants>; rate: Rate };
	faults: Faults;
	tokenFaults: TokenFaults;
	requests: RequestLog;
	clock: ShiftedClock;
	/** Connections that are open. */
	connections(): number;
}

type Arguments<S extends z.ZodType> =
	undefined extends z.input<S> ? [input?: z.input<S>] : [input: z.input<S>];

/** A control call: a function that checks its input, and the schema it checks it with. */
export interface ControlCall<S extends z.ZodType, R> {
	(...input: Arguments<S>): R;
	readonly schema: S;
}

/** Makes a call. */
export function call<S extends z.ZodType, R>(
	schema: S,
	run: (input: z.output<S>) => R,
): ControlCall<S, R> {
	return Object.assign((...input: Arguments<S>) => run(schema.parse(input[0])), { schema });
}

/** The input of a call that takes none. */
export const nothing = z.strictObject({}).optional();
/** The input of a call about one card. */
export const card = z.strictObject({ cardId: z.string() });

/** The workspace of a card. @throws Error where there is no such card */
export function workspaceOfCard({ store }: Pick<ControlContext, 'store'>, cardId: string): string {
	const workspaceId = store.cards.workspaceOf(cardId);
	if (workspaceId === undefined) throw new Error(`Card "${cardId}" does not exist.`);
	return workspaceId;
}
