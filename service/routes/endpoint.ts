/** What an endpoint says about itself in the description document. */
import { z } from 'zod/v4';
import { problemSchema } from './resources.ts';

/** No body. */
export const noBody = z.null().describe('Done; no body.');

/** The tag of an operation, by the thing that it is about. */
const tagOf = (operationId: string) =>
	`${/(Card|Field|Record|Webhook)s?$/.exec(operationId)?.[1] ?? ''}s`;

/**
 * The options of a route: its description and its schemas. What it responds with is typed loosely on purpose: variants
 * respond in other shapes than the described ones.
 */
export function endpoint<Parts extends object>(
	operationId: string,
	[summary, description]: [summary: string, description: string],
	response: Record<number, z.ZodType>,
	parts: Parts,
) {
	const responses: Record<string, unknown> = { ...response, default: problemSchema };
	const tags = [tagOf(operationId)];
	return { schema: { operationId, summary, description, tags, response: responses, ...parts } };
}
