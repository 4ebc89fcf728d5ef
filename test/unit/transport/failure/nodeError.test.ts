/** What a person reads in n8n when an item fails, and what a workflow can work with. */
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { InputError } from '../../../../nodes/WorkspaceData/model/inputError';
import {
	ApiFailure,
	Failure,
	NetworkFailure,
	UnexpectedAnswer,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';
import {
	errorDetails,
	toNodeError,
	type ErrorPlace,
} from '../../../../nodes/WorkspaceData/transport/failure/nodeError';

const node: INode = {
	id: '1',
	name: 'Workspace Data',
	type: 'workspaceData',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const convert = (error: unknown, place?: ErrorPlace) => toNodeError(node, error, place);
const problem = { status: 422, kind: 'invalid-value', title: 'Invalid', detail: 'fld_1 is wrong' };

test('a refusal has the service’s words, with field names, then the advice, the status and the item', () => {
	const error = convert(new ApiFailure(problem, 'Correct it.'), {
		itemIndex: 0,
		withFieldNames: (text) => text.replace('fld_1', "'Amount'"),
	});
	expect(error).toBeInstanceOf(NodeApiError);
	expect(error).toMatchObject({
		message: 'Invalid',
		description: "'Amount' is wrong Correct it.",
		httpCode: '422',
		context: { itemIndex: 0, kind: 'invalid-value', data: problem },
	});
	expect(errorDetails(error)).toStrictEqual({
		description: "'Amount' is wrong Correct it.",
		httpCode: '422',
		kind: 'invalid-value',
	});
});

test.each<[ApiFailure, string | undefined]>([
	[new ApiFailure({ status: 500, title: 'Broken' }), undefined],
	[new ApiFailure({ status: 500, title: 'Broken' }, 'Try later.'), 'Try later.'],
	[new ApiFailure({ status: 500, title: 'Broken', detail: 'Disk full' }), 'Disk full'],
])('a refusal without a detail or advice shows no empty one', (failure, description) => {
	const error = convert(failure);
	expect(error.description).toBe(description);
	expect(errorDetails(error)).toStrictEqual({
		httpCode: '500',
		...(description && { description }),
	});
});

test('a lost connection shows its code and the item', () => {
	const error = convert(
		new NetworkFailure('ECONNREFUSED', 'the connection was refused', 'no', true),
		{
			itemIndex: 3,
		},
	);
	expect(error).toBeInstanceOf(NodeApiError);
	expect(error.message).toBe('the connection was refused');
	expect(error.context.itemIndex).toBe(3);
	expect(error.context.data).toBeUndefined();
	expect(errorDetails(error)).toStrictEqual({ httpCode: 'ECONNREFUSED' });
});

test.each([
	new InputError("'Card' is empty", 'Choose one.'),
	new UnexpectedAnswer("'Card' is empty", 'Choose one.'),
	new Failure("'Card' is empty", { description: 'Choose one.', transient: false }),
])('%s: nothing is said about a status that there is not', (failure) => {
	const error = convert(failure, { itemIndex: 2 });
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error.context.itemIndex).toBe(2);
	expect([error.message, errorDetails(error)]).toStrictEqual([
		"'Card' is empty",
		{ description: 'Choose one.' },
	]);
});

test('the name of a system error in a message does not change it', () => {
	const words = 'the service says ECONNREFUSED and ETIMEDOUT';
	expect(convert(new InputError(words)).message).toBe(words);
	expect(convert(new ApiFailure({ status: 500, title: words })).message).toBe(words);
});

test('an error that is n8n’s own stays the same one, and keeps the item it was for', () => {
	const first = convert(new InputError('Wrong'));
	expect(convert(first)).toBe(first);
	expect(first.context.itemIndex).toBeUndefined();
	expect(convert(first, { itemIndex: 4 })).toBe(first);
	expect(first.context.itemIndex).toBe(4);
	convert(first, { itemIndex: 5 });
	expect(first.context.itemIndex).toBe(4);
	const answered = convert(new ApiFailure(problem), { itemIndex: 1 });
	expect(convert(answered, { itemIndex: 2 })).toBe(answered);
	expect(answered.context.itemIndex).toBe(1);
});

describe('an unexpected error', () => {
	const thrown = new TypeError('secret is not a function');
	thrown.stack = [
		'TypeError: secret is not a function',
		'and a second line',
		'    at place (/secret.js:1:2)',
		'    at other (/other.js:3:4)',
	].join('\n');

	test('shows where it was thrown, without secrets', () => {
		const error = convert(thrown, {
			itemIndex: 7,
			redact: (text) => text.replaceAll('secret', '***'),
		});
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error.message).toBe('*** is not a function');
		expect(error.context.itemIndex).toBe(7);
		expect(error.stack).toBe(
			'NodeOperationError: *** is not a function\n    at place (/***.js:1:2)\n    at other (/other.js:3:4)',
		);
		expect(error.cause).toMatchObject({ name: 'TypeError', message: '*** is not a function' });
	});

	test('without secrets to know, bearer tokens are taken out', () => {
		const error = convert(new Error('sent Bearer abcdef123456'));
		expect(error.message).toBe('sent Bearer ***');
		expect(error.stack).not.toContain('abcdef123456');
	});

	test.each([
		['no stack', undefined],
		['a stack without a place', 'Error: broken'],
	])('with %s keeps its message', (_, stack) => {
		const broken = Object.assign(new Error('broken'), { stack });
		const error = convert(broken);
		expect(error.message).toBe('broken');
		expect(error.stack).toContain('broken');
	});

	test('may be anything that can be thrown', () => {
		expect(convert('a text').message).toBe('a text');
		expect(convert(undefined).message).toBe('undefined');
	});
});
