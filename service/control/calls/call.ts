/** A call of control: a function that checks its input. */
import { z } from 'zod/v4';
import type { ControlContext } from '../context.ts';

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

/** The workspace of a card. @throws Error if there is no such card */
export function workspaceOfCard({ data }: Pick<ControlContext, 'data'>, cardId: string): string {
	const workspaceId = data.cards.workspaceOf(cardId);
	if (workspaceId === undefined) throw new Error(`Card "${cardId}" does not exist.`);
	return workspaceId;
}
