/** Turns any error into an n8n error, with the item and advice. */
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { InputError } from '../../values/inputError';
import { redact } from '../redact';
import { sentences } from '../../values/messageText';
import { ApiFailure, Failure } from './failureKinds';

/** Where an error happened, and how to word its message for the user. */
export interface ErrorPlace {
	itemIndex?: number;
	/** Replaces field IDs in the service's message with field names. */
	withFieldNames?: (text: string) => string;
	/** Removes the credential's secrets from a text. */
	redact?: (text: string) => string;
}

/** Uses a small object, because n8n stores it in the execution's data. */
function apiError(node: INode, failure: Failure, itemIndex: number | undefined): NodeApiError {
	const error = new NodeApiError(node, { message: failure.message }, { itemIndex });
	error.httpCode = failure.httpCode ?? null;
	if (failure instanceof ApiFailure) {
		const { problem } = failure;
		Object.assign(error.context, { data: { ...problem }, kind: problem.kind });
	}
	return error;
}

/**
 * Turns anything thrown into an n8n error with the item index. Idempotent.
 *
 * @param node the node that reports the error
 */
export function toNodeError(
	node: INode,
	error: unknown,
	place: ErrorPlace = {},
): NodeApiError | NodeOperationError {
	const { itemIndex, withFieldNames = (text) => text } = place;
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		if (itemIndex !== undefined) error.context.itemIndex ??= itemIndex;
		return error;
	}
	if (!(error instanceof Failure || error instanceof InputError)) {
		return unexpectedError(node, error instanceof Error ? error : new Error(String(error)), place);
	}
	const nodeError =
		error instanceof Failure && error.httpCode !== undefined
			? apiError(node, error, itemIndex)
			: new NodeOperationError(node, error.message, { itemIndex });
	const { detail } = error instanceof ApiFailure ? error.problem : {};
	// n8n's constructors rewrite any message that contains the name of a system error, even by chance.
	nodeError.message = error.message;
	nodeError.description =
		sentences(detail && withFieldNames(detail), error.description) || undefined;
	return nodeError;
}

/**
 * Creates an unexpected error. n8n stores its stack, so the stack must point to the line that threw the error: n8n 1
 * keeps nothing else. If the credential's secrets are unknown, only tokens are removed.
 */
function unexpectedError(
	node: INode,
	error: Error,
	{ itemIndex, redact: clean = (text) => redact(text, []) }: ErrorPlace,
): NodeOperationError {
	const message = clean(error.message);
	const stack = clean(error.stack ?? '');
	const cause = Object.assign(new Error(message), { name: error.name, stack });
	const wrapped = new NodeOperationError(node, cause, { itemIndex });
	wrapped.message = message;
	const place = stack.search(/^\s+at /m);
	if (place >= 0) wrapped.stack = `${wrapped.name}: ${message}\n${stack.slice(place)}`;
	return wrapped;
}

/** The facts of an error for the error output. `kind` is the last path segment of the problem's `type`. */
export function errorDetails(error: NodeApiError | NodeOperationError): Record<string, string> {
	const { kind } = error.context;
	return {
		...(error.description && { description: error.description }),
		...(error instanceof NodeApiError && error.httpCode && { httpCode: error.httpCode }),
		...(typeof kind === 'string' && { kind }),
	};
}
