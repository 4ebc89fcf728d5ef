/** Turns any error into n8n's own, with the item and advice. */
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { InputError } from '../../model/inputError';
import type { Problem } from '../../model/answer/problem';
import { redact } from '../../model/redact';
import { ApiFailure, Failure } from './failures';

/** Where an error happened, and how to put it into the user's words. */
export interface ErrorPlace {
	itemIndex?: number;
	/** Puts field names where the service's text has field ids. */
	withFieldNames?: (text: string) => string;
	/** Takes the credential's secrets out of a text. */
	redact?: (text: string) => string;
}

/** The facts of an error, for the error output and for whoever handles it in a workflow. */
export interface ErrorDetails {
	description?: string;
	httpCode?: string;
	/** Last path segment of the problem's `type`. */
	kind?: string;
}

interface ErrorText {
	message: string;
	description: string | undefined;
}

/**
 * Sets the texts in place: n8n's constructors rewrite messages in which they find the name of a
 * system error, also by chance.
 */
function settle<E extends NodeApiError | NodeOperationError>(error: E, text: ErrorText): E {
	error.message = text.message;
	error.description = text.description;
	return error;
}

function operationError(node: INode, text: ErrorText, itemIndex?: number): NodeOperationError {
	return settle(new NodeOperationError(node, text.message, { itemIndex }), text);
}

/** Built from a small object: n8n stores what it is given in the execution's data. */
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
 * Turns anything thrown into n8n's own error, with the item index. Idempotent.
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

/** Without tokens, where the secrets of the credential are not known. */
const withoutTokens = (text: string): string => redact(text, []);

/**
 * An unexpected error. n8n stores its stack, so the stack must have the line that threw, not the one
 * here: n8n 1 keeps nothing else of the error.
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

/** The facts of a node error that a workflow can work with. */
export function errorDetails(error: NodeApiError | NodeOperationError): ErrorDetails {
	const { kind } = error.context;
	return {
		...(error.description && { description: error.description }),
		...(error instanceof NodeApiError && error.httpCode && { httpCode: error.httpCode }),
		...(typeof kind === 'string' && { kind }),
	};
}
