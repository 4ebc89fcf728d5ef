/** What a person reads who cannot publish a workflow. */
import type { IHookFunctions, INode } from 'n8n-workflow';
import { InputError } from '../../../nodes/WorkspaceData/model/inputError';
import {
	activationError,
	targetUrlOf,
} from '../../../nodes/WorkspaceData/trigger/subscription/publishing';

const at = (url: string | undefined) =>
	({
		getNodeWebhookUrl: (name: string) => (name === 'default' ? url : undefined),
	}) as unknown as IHookFunctions;

test.each(['https://n8n.example.com/webhook/x', 'http://localhost:5678/webhook/x'])(
	'%s is an address',
	(url) => {
		expect(targetUrlOf(at(url))).toBe(url);
	},
);

test.each([
	'n8n.example.com/webhook/x',
	'n8n.example.com:5678/webhook/x',
	'ftp://n8n.example.com/x',
	'xhttps://n8n.example.com',
	'',
])("'%s' is none, and the message says what to set", (url) => {
	expect(() => targetUrlOf(at(url))).toThrow(
		expect.objectContaining({
			message: `n8n's webhook address is '${url}', which is not a valid address`,
			description: expect.stringContaining('N8N_WEBHOOK_URL'),
		}),
	);
});

test('no address at all', () => {
	expect(() => targetUrlOf(at(undefined))).toThrow('n8n has no webhook address');
});

const node = {
	id: '1',
	name: 'Trigger',
	type: 't',
	typeVersion: 1,
	parameters: {},
} as unknown as INode;

test.each<[string, unknown, string | undefined, string]>([
	[
		'message and advice',
		new InputError('It is empty', 'Choose one.'),
		undefined,
		'It is empty. Choose one.',
	],
	[
		'a hint behind them',
		new InputError('It is empty.', 'Choose one!'),
		'Look there',
		'It is empty. Choose one! Look there.',
	],
	['a question', new InputError('Is it there?', 'Look'), undefined, 'Is it there? Look.'],
	[
		'the name of a system error, as it is',
		new InputError('ECONNREFUSED 127.0.0.1', 'Start it.'),
		undefined,
		'ECONNREFUSED 127.0.0.1. Start it.',
	],
])('all is in the message: %s', (_, error, hint, message) => {
	const shown = activationError(node, error, hint);
	expect(shown.name).toBe('NodeOperationError');
	expect(shown.message).toBe(message);
});
