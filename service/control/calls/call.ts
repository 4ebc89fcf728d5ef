/** A call of control: a function that checks its input. */
import { z } from 'zod/v4';

type Arguments<S extends z.ZodType> =
	undefined extends z.input<S> ? [input?: z.input<S>] : [input: z.input<S>];

/** A control call: a function that checks its input. */
export type ControlCall<S extends z.ZodType, R> = (...input: Arguments<S>) => R;

/** Makes a call. */
export function call<S extends z.ZodType, R>(
	schema: S,
	run: (input: z.output<S>) => R,
): ControlCall<S, R> {
	return (...input) => run(schema.parse(input[0]));
}

/** The input of a call that takes none. */
export const nothing = z.strictObject({}).optional();
/** The input of a call about one card. */
export const card = z.strictObject({ cardId: z.string() });
