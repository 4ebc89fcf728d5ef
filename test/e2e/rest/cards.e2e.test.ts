/** Cards and fields: every operation, in one workflow per resource; and the credentials in n8n's HTTP Request node. */
import { outputOf } from '../../host/n8nClient.ts';
import { byId, byName, chain, manualTrigger } from '../../host/workflowBuilder.ts';
import { useSharedBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';

describe(`cards and fields in n8n ${major}`, () => {
	const bench = useSharedBench(major);

	it('creates, gets, lists, updates and deletes a card', async () => {
		const { action, succeed } = bench();
		const created = byId("={{ $('Create').first().json.id }}");
		const card = (name: string, operation: string, parameters = {}, executeOnce = false) =>
			action(name, { resource: 'card', operation, ...parameters }, { executeOnce });
		const execution = await succeed(
			chain(
				'Cards',
				[
					manualTrigger(),
					card('Create', 'create', {
						name: 'Plants',
						additionalFields: { description: 'Green things' },
					}),
					card('Get', 'get', { cardId: created }),
					card('Update', 'update', { cardId: created, updateFields: { name: 'Trees' } }),
					card('Get by name', 'get', { cardId: byName('Trees') }),
					card('List', 'getAll', { returnAll: true }),
					card('Delete', 'delete', { cardId: created }, true),
					card('List again', 'getAll', { returnAll: true }),
				].map((node) => (node.name === 'List again' ? { ...node, alwaysOutputData: true } : node)),
			),
		);
		const first = (node: string) => outputOf(execution, node)[0]?.json;
		const id = first('Create')?.id;
		expect(first('Create')).toMatchObject({ name: 'Plants', description: 'Green things' });
		expect(first('Get')).toMatchObject({ id, name: 'Plants', description: 'Green things' });
		expect(first('Update')).toMatchObject({ id, name: 'Trees', description: 'Green things' });
		expect(first('Get by name')).toMatchObject({ id, name: 'Trees' });
		expect(outputOf(execution, 'List').map(({ json }) => json.id)).toContain(id);
		expect(first('Delete')).toEqual({ deleted: true, id });
		expect(outputOf(execution, 'List again').map(({ json }) => json.id)).not.toContain(id);
	});

	it('creates, gets, lists, updates and deletes a field', async () => {
		const { action, api, succeed } = bench();
		const card = await api.createCard('Garden', [['Name', 'text']]);
		const field = (name: string, operation: string, parameters = {}) =>
			action(
				name,
				{ resource: 'field', operation, cardId: byId(card.id), ...parameters },
				{ executeOnce: true },
			);
		const created = byId("={{ $('Create').first().json.id }}");
		const execution = await succeed(
			chain('Fields', [
				manualTrigger(),
				field('Create', 'create', {
					name: 'Colour',
					type: 'single_select',
					additionalFields: { options: '["green", "red"]' },
				}),
				field('Get', 'get', { fieldId: created }),
				field('Update', 'update', { fieldId: byName('Colour'), updateFields: { name: 'Color' } }),
				field('List', 'getAll', { returnAll: true }),
				field('Delete', 'delete', { fieldId: byName('Color') }),
			]),
		);
		const first = (node: string) => outputOf(execution, node)[0]?.json;
		expect(first('Create')).toMatchObject({ name: 'Colour', type: 'single_select' });
		expect(first('Get')).toEqual(first('Create'));
		expect(first('Update')).toMatchObject({ id: first('Create')?.id, name: 'Color' });
		expect(outputOf(execution, 'List').map(({ json }) => json.name)).toEqual(['Name', 'Color']);
		expect(first('Delete')).toEqual({ deleted: true, id: first('Create')?.id });
	});

	it('offers both credentials in the HTTP Request node', async () => {
		const { credentials, service, succeed } = bench();
		const request = (type: keyof typeof credentials) => ({
			name: type,
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			executeOnce: true,
			credentials: { [type]: credentials[type] },
			parameters: {
				url: `${service.baseUrl}/workspaces/${service.workspaceId}/cards`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: type,
				options: {},
			},
		});
		const execution = await succeed(
			chain('HTTP Request', [
				manualTrigger(),
				request('workspaceDataApi'),
				request('workspaceDataServiceAccountApi'),
			]),
		);
		expect(outputOf(execution, 'workspaceDataApi')[0]?.json).toHaveProperty('cards');
		expect(outputOf(execution, 'workspaceDataServiceAccountApi')[0]?.json).toHaveProperty('cards');
	});
});
