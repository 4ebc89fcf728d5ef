/** Credentials and parameters that cannot be used: a message that names them, and nothing is sent. */
import type { IDataObject, INode } from 'n8n-workflow';
import { runAction } from '../support/n8n';
import { byId } from '../support/parameters';
import { type TestWorkspace, useWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
useWorkspace((started) => (workspace = started));

const list = { resource: 'card', operation: 'getAll', returnAll: true };

const withBaseUrl = (baseUrl: string) => ({
	workspaceDataApi: { ...workspace.apiKey.workspaceDataApi, baseUrl },
});

describe('a node that cannot start', () => {
	test.each([
		['a bad credential', { workspaceDataApi: {} }, list, "'Base URL' is empty"],
		['an unknown operation', undefined, { ...list, operation: 'bogus' }, "'Operation' cannot be"],
		['an unknown resource', undefined, { ...list, resource: 'bogus' }, "'Resource' cannot be"],
		[
			'an unknown authentication',
			undefined,
			{ ...list, authentication: 'bogus' },
			"'Authentication' cannot be",
		],
	] as const)(
		'%s: no input item passes for done',
		async (_what, credentials, parameters, message) => {
			const outcome = async (onError?: INode['onError']) =>
				await runAction({
					credentials: credentials ?? workspace.apiKey,
					parameters,
					items: [{ key: 'a' }, { key: 'b' }],
					...(onError && { node: { onError } }),
				});
			const said = expect.stringContaining(message) as string;

			const { error } = await outcome();
			expect(error?.message).toEqual(said);
			expect(error?.context?.itemIndex).toBe(0);

			const { items } = await outcome('continueRegularOutput');
			expect(items.map(({ json, pairedItem }) => [json.error, pairedItem])).toEqual([
				[said, { item: 0 }],
				[said, { item: 1 }],
			]);

			const failing = await outcome('continueErrorOutput');
			expect(failing.items).toEqual([]);
			expect(failing.errorItems.map(({ json }) => [json.key, json.error])).toEqual([
				['a', said],
				['b', said],
			]);
			expect(workspace.requests()).toEqual([]);
		},
	);
});

describe('bad input is named, and nothing is sent', () => {
	test.each([
		[
			'no credential',
			{ node: { credentials: {} } },
			"No credential 'Workspace Data API' is selected",
		],
		[
			'a base URL without /api/v1',
			{ credentials: () => withBaseUrl('http://127.0.0.1:1/api') },
			"'Base URL' must end in /api/v1",
		],
		[
			'a base URL that is none',
			{ credentials: () => withBaseUrl('data.example.com/api/v1') },
			"'Base URL' is not a valid address",
		],
		[
			'broken JSON',
			{
				parameters: {
					resource: 'card',
					operation: 'create',
					name: 'x',
					additionalFields: { customProperties: '{ "a": ' },
				},
			},
			"'Custom Properties' is not valid JSON",
		],
		[
			'JSON that is no object',
			{
				parameters: {
					resource: 'card',
					operation: 'create',
					name: 'x',
					additionalFields: { customProperties: '[1]' },
				},
			},
			"'Custom Properties' is not a JSON object",
		],
		[
			'an empty name',
			{ parameters: { resource: 'card', operation: 'create', name: '={{ "" }}' } },
			"'Name' is empty",
		],
		[
			'an empty field type',
			{
				parameters: {
					resource: 'field',
					operation: 'create',
					cardId: byId('c'),
					name: 'Status',
					type: '={{ "" }}',
				},
			},
			"'Type Name or ID' is empty",
		],
		[
			'an empty update',
			{
				parameters: {
					resource: 'card',
					operation: 'update',
					cardId: byId('c'),
					updateFields: {},
				},
			},
			"'Update Fields' is empty",
		],
		...['card', 'field'].map((resource): [string, { parameters: IDataObject }, string] => [
			`an update of a ${resource} without properties`,
			{
				parameters: {
					resource,
					operation: 'update',
					cardId: byId('c'),
					fieldId: byId('f'),
					updateFields: { customProperties: '{}' },
				},
			},
			"'Update Fields' is empty",
		]),
	])(
		'%s',
		async (
			_what,
			{
				node,
				credentials,
				parameters,
			}: {
				node?: IDataObject;
				credentials?: () => ReturnType<typeof withBaseUrl>;
				parameters?: IDataObject;
			},
			message,
		) => {
			const outcome = runAction({
				credentials: credentials?.() ?? workspace.apiKey,
				parameters: parameters ?? list,
				...(node && { node }),
			});
			const said = await outcome.then(
				({ error }) => error?.message ?? '',
				(error: Error) => error.message,
			);
			expect(said).toContain(_what === 'no credential' ? 'redential' : message);
			expect(workspace.requests()).toEqual([]);
		},
	);
});
