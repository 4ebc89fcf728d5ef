/** What an endpoint says about itself in the description document. */
import { z } from 'zod/v4';
import { problemSchema } from './resources.ts';

/** No body. */
export const noBody = z.null().describe('Done; no body.');

/**
 * The options of a route: its description and its schemas. What it responds with is typed loosely on purpose: variants
 * respond in other shapes than the described ones.
 * @param summary a sentence; more about it may follow
 */
export function endpoint<Parts extends object>(
	operationId: string,
	summary: string,
	[status, response]: [status: number, response: z.ZodType],
	parts: Parts,
) {
	const responses: Record<string, unknown> = { [status]: response, default: problemSchema };
	const [title = ''] = summary.split('. ', 1);
	const tags = [`${/(Card|Field|Record|Webhook)s?$/.exec(operationId)?.[1] ?? ''}s`];
	const described = { summary: title.replace(/\.$/, ''), description: summary };
	return { schema: { operationId, ...described, tags, response: responses, ...parts } };
}
