import { NodeOperationError, type INode } from 'n8n-workflow';
import { toNodeError } from '../../transport/failure/nodeError';

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/**
 * An error of the lifecycle, all in its message: n8n 2 shows nothing else when a workflow cannot be
 * published.
 *
 * @param hint what else the user should know
 */
export function activationError(node: INode, error: unknown, hint?: string): NodeOperationError {
	const { message, description } = toNodeError(node, error);
	const text = [message, description, hint]
		.filter((part): part is string => Boolean(part))
		.map(sentence)
		.join(' ');
	const told = new NodeOperationError(node, text);
	// n8n's constructor rewrites messages in which it finds the name of a system error.
	told.message = text;
	return told;
}
