/** Turns any error into an n8n error, with the item and advice. */
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { InputError } from '../../model/inputError';
import type { Problem } from '../../model/response/problem';
import { redact } from '../../model/redact';
import { ApiFailure, Failure } from './failures';

/** Where an error happened, and how to word its message for the user. */
export interface ErrorPlace {
	itemIndex?: number;
	/** Replaces field IDs in the service's message with field names. */
	withFieldNames?: (text: string) => string;
	/** Removes the credential's secrets from a text. */
	redact?: (text: string) => string;
}

/** The facts of an error, for the error output and for workflows that handle it. */
export interface ErrorDetails {
	description?: string;
	httpCode?: string;
	/** The last path segment of the problem's `type`. */
	kind?: string;
}

interface ErrorText {
	message: string;
	description: string | undefined;
}

/**
 * Sets the messages directly, because n8n's constructors rewrite any message that contains the name of a
 * system error, even by chance.
 */
function settle<E extends NodeApiError | NodeOperationError>(error: E, text: ErrorText): E {
	error.message = text.message;
	error.description = text.description;
	return error;
}

function operationError(node: INode, text: ErrorText, itemIndex?: number): NodeOperationError {
	return settle(new NodeOperationError(node, text.message, { itemIndex }), text);
}

/** Uses a small object, because n8n stores it in the execution's data. */
function apiError(
	node: INode,
	text: ErrorText,
	facts: { httpCode?: string; problem?: Problem },
	itemIndex?: number,
): NodeApiError {
	const { httpCode = null, problem } = facts;
	const error = new NodeApiError(node, { message: text.message }, { itemIndex });
	error.httpCode = httpCode;
	error.context = {
		...error.context,
		itemIndex,
		...(problem && { data: { ...problem }, kind: problem.kind }),
	};
	return settle(error, text);
}

/**
 * Turns anything thrown into an n8n error with the item index. Idempotent.
 *
 * @param node the node that reports the error
 */
export function toNodeError(
	node: INode,
	error: unknown,
	{ itemIndex, withFieldNames = (text) => text, redact: clean = withoutTokens }: ErrorPlace = {},
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		if (itemIndex !== undefined) error.context.itemIndex ??= itemIndex;
		return error;
	}
	if (error instanceof ApiFailure) {
		const { problem, advice } = error;
		const description = [problem.detail && withFieldNames(problem.detail), advice]
			.filter(Boolean)
			.join(' ');
		return apiError(
			node,
			{ message: problem.title, description: description || undefined },
			{ httpCode: String(problem.status), problem },
			itemIndex,
		);
	}
	if (error instanceof Failure && error.httpCode !== undefined) {
		return apiError(node, error, { httpCode: error.httpCode }, itemIndex);
	}
	if (error instanceof Failure || error instanceof InputError) {
		const { message, description } = error;
		return operationError(node, { message, description }, itemIndex);
	}
	return unexpectedError(node, error instanceof Error ? error : new Error(String(error)), {
		itemIndex,
		clean,
	});
}

/** Removes tokens only, if the credential's secrets are unknown. */
const withoutTokens = (text: string): string => redact(text, []);

/**
 * Creates an unexpected error. n8n stores its stack, so the stack must point to the line that threw the error: n8n 1
 * keeps nothing else.
 */
function unexpectedError(
	node: INode,
	error: Error,
	{ itemIndex, clean }: { itemIndex: number | undefined; clean: (text: string) => string },
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

/** The facts of a node error that a workflow can use. */
export function errorDetails(error: NodeApiError | NodeOperationError): ErrorDetails {
	const { kind } = error.context;
	return {
		...(error.description && { description: error.description }),
		...(error instanceof NodeApiError && error.httpCode && { httpCode: error.httpCode }),
		...(typeof kind === 'string' && { kind }),
	};
}
