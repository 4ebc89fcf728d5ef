/** Errors in n8n's own form. */
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { InputError } from '../values/inputError';
import { redact } from './credential';
import { RequestError } from './errors';

/**
 * Turns anything thrown into an n8n error with the item index. Idempotent.
 *
 * @param clean removes the credential's secrets from a text
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
	clean = (text: string): string => redact(text),
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		if (itemIndex !== undefined) error.context.itemIndex ??= itemIndex;
		return error;
	}
	if (!(error instanceof RequestError || error instanceof InputError)) {
		// n8n stores the stack, which points to the line that threw it.
		const cause = error instanceof Error ? error : new Error(String(error));
		cause.message = clean(cause.message);
		cause.stack = clean(cause.stack ?? '');
		const made = new NodeOperationError(node, cause, { itemIndex });
		return Object.assign(made, { message: cause.message, stack: cause.stack });
	}
	const { message, description } = error;
	const { status, code, kind, detail } = error as Partial<RequestError>;
	const httpCode = status?.toString() ?? code;
	// A small object, because n8n stores it in the execution's data.
	const made = httpCode
		? new NodeApiError(node, { message }, { itemIndex, httpCode })
		: new NodeOperationError(node, message, { itemIndex });
	if (status) Object.assign(made.context, { data: { status, title: message, kind, detail }, kind });
	// n8n's constructors rewrite any message that contains the name of a system error, even by chance.
	return Object.assign(made, { message, description });
}
