/** What bounds a change: Max Records to Change, Dry Run, Requests per Second; and the flat output. */
import {
	NodeHelpers,
	type IDataObject,
	type INodeParameters,
	type INodeProperties,
} from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { runAction } from '../support/n8n';
import { byId, mapAutomatically, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Bounds',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done', 'Late'] },
		{ name: 'error', type: 'text' },
		{ name: 'fields.id', type: 'text' },
	],
	(made) => ({ workspace, card } = made),
);

const { runCounted: run } = recordRuns(() => ({ workspace, card }));
const changes = () => workspace.requests().filter((request) => !request.startsWith('GET'));
const below = (value: unknown): IDataObject => ({
	filters: { conditions: [{ field: 'Amount', condition: 'lessThan', value }] } as IDataObject,
});
const fill = async (count: number) =>
	await workspace.records(
		card.id,
		Array.from({ length: count }, (_, n) => ({ Key: `k${n}`, Amount: n })),
	);
const onCard = async (resource: string, operation: string, parameters: IDataObject) => {
	workspace.service.control.resetRequests();
	return await runAction({
		credentials: workspace.apiKey,
		parameters: { resource, operation, cardId: byId(card.id), ...parameters },
		items: [{}],
	});
};

describe('Max Records to Change', () => {
	test.each(['updateMany', 'deleteMany'])(
		'%s of more records is refused before anything is sent; as many are changed',
		async (operation) => {
			await fill(5);
			const parameters = { ...below(4), columns: mapEach({ Key: 'new' }) };
			const { error } = await run(operation, { ...parameters, maxChanges: 3 });
			expect(error?.message).toMatch(/^4 records of card '.+' would be (?:updated|deleted), but/);
			expect(error?.message).toContain("'Max Records to Change' is 3");
			expect(changes()).toEqual([]);
			const { json } = await run(operation, { ...parameters, maxChanges: 4 });
			expect(json).toHaveLength(4);
		},
	);

	test('records that have all values already do not count', async () => {
		await fill(5);
		const columns = mapEach({ Key: 'k1' });
		const { json } = await run('updateMany', { ...below(3), columns, maxChanges: 2 });
		expect(json.map(({ action }) => action)).toEqual(['updated', 'unchanged', 'updated']);
	});

	test('-1 is no limit; without the parameter it is 1,000', async () => {
		workspace.service.control.fillCard({ cardId: card.id, count: 1_001 });
		const parameters = {
			filters: { conditions: [{ field: 'id', condition: 'isNotEmpty' }] } as IDataObject,
			dryRun: true,
		};
		const { error } = await run('deleteMany', parameters);
		expect(error?.message).toContain('1001 records');
		const { json } = await run('deleteMany', { ...parameters, maxChanges: -1 });
		expect(json).toHaveLength(1_001);
		expect(changes()).toEqual([]);
	});

	test.each([[0], [''], [-2], [1.5], ['many']])('%j is refused', async (maxChanges) => {
		const { error } = await run('deleteMany', { ...below(4), maxChanges });
		expect(error?.message).toContain("'Max Records to Change' must be a whole number");
		expect(workspace.requests()).toEqual([]);
	});
});

describe('Dry Run', () => {
	test.each([
		['updateMany', true, {}],
		['updateMany', false, { dryRun: true }],
		['deleteMany', true, { dryRun: false }],
		['deleteMany', undefined, { dryRun: true }],
	])(
		'%s with the switch %j and the option %j changes nothing',
		async (operation, dryRun, options) => {
			await fill(2);
			const { json, error } = await run(operation, {
				...below(9),
				columns: mapEach({ Key: 'new' }),
				options,
				...(dryRun !== undefined && { dryRun }),
			});
			expect(error).toBeUndefined();
			expect(json.map(({ dry_run }) => dry_run)).toEqual([true, true]);
			expect(changes()).toEqual([]);
		},
	);

	describe('the option next to the switch', () => {
		const { description } = new WorkspaceData();

		/** How often the editor shows the option: in the list of a new one, or because the node has it. */
		function shown(operation: string, options: IDataObject): number {
			const parameters = { resource: 'record', operation, options } as INodeParameters;
			const collection = description.properties.find(
				({ name, displayOptions }) =>
					name === 'options' && displayOptions?.show?.operation?.includes(operation),
			);
			return ((collection?.options ?? []) as INodeProperties[])
				.filter(({ name, type }) => name === 'dryRun' && type !== 'hidden')
				.filter((entry) =>
					NodeHelpers.displayParameterPath(
						{ parameters },
						entry,
						'parameters.options',
						{ typeVersion: 1 },
						description,
					),
				).length;
		}

		/** What the editor saves of a node. */
		const saved = (parameters: INodeParameters) =>
			NodeHelpers.getNodeParameters(
				description.properties,
				parameters,
				false,
				false,
				{ typeVersion: 1 },
				description,
			);

		test.each(['updateMany', 'deleteMany', 'sync'])('%s does not offer it', (operation) => {
			expect(shown(operation, {})).toBe(0);
			expect(shown('upsert', {})).toBe(1);
		});

		test.each([true, false, '={{ $json.dry }}'])(
			'after a change from Create or Update to Sync, %j is shown and stays',
			(dryRun) => {
				expect(shown('sync', { dryRun })).toBe(1);
				const parameters = { resource: 'record', operation: 'sync', options: { dryRun } };
				expect(saved(parameters)).toMatchObject({ options: { dryRun } });
			},
		);
	});

	test('deleting a card tells how much it holds', async () => {
		await fill(7);
		const { json } = await onCard('card', 'delete', { dryRun: true });
		expect(json).toEqual([
			{
				dry_run: true,
				action: 'delete',
				id: card.id,
				before: { name: 'Bounds', fields: 5, records: 7 },
				after: null,
			},
		]);
		expect(changes()).toEqual([]);
	});

	test('deleting a field tells how many values would be lost', async () => {
		await workspace.records(card.id, [{ Key: 'a', Amount: 0 }, { Key: 'b' }, { Amount: 2 }]);
		const fieldId = byId(card.fieldIds.Amount ?? '');
		const { json } = await onCard('field', 'delete', { fieldId, dryRun: true });
		expect(json).toEqual([
			{
				dry_run: true,
				action: 'delete',
				id: card.fieldIds.Amount,
				before: { name: 'Amount', type: 'number', values: 2 },
				after: null,
			},
		]);
		expect(changes()).toEqual([]);
	});

	test('updating a field names the choices that would be removed, with the records that have them', async () => {
		await workspace.records(card.id, [
			{ Status: 'Open' },
			{ Status: 'Late' },
			{ Status: 'Late' },
			{ Key: 'none' },
		]);
		const { json } = await onCard('field', 'update', {
			fieldId: byId(card.fieldIds.Status ?? ''),
			updateFields: { choices: ['Open', 'New'], name: 'State' },
			dryRun: true,
		});
		expect(json).toEqual([
			{
				dry_run: true,
				action: 'update',
				id: card.fieldIds.Status,
				before: {
					name: 'Status',
					type: 'single_select',
					choices: ['Open', 'Done', 'Late'],
					values: 3,
				},
				after: { name: 'State', type: 'single_select', choices: ['Open', 'New'] },
				removed_choices: [
					{ choice: 'Done', records: 0 },
					{ choice: 'Late', records: 2 },
				],
			},
		]);
		expect(changes()).toEqual([]);
	});

	test.each([['card'], ['field']])(
		'a switch that is no yes or no is refused for a %s',
		async (resource) => {
			const { error } = await onCard(resource, 'delete', {
				fieldId: byId(card.fieldIds.Key ?? ''),
				dryRun: 'perhaps',
			});
			expect(error?.message).toContain("'Dry Run' cannot be 'perhaps'");
			expect(changes()).toEqual([]);
		},
	);
});

describe('Output Fields: Flat', () => {
	test('fields are at the top level; names of the record itself are told apart and read back', async () => {
		await workspace.records(card.id, [
			{ Key: 'a', Amount: 1, error: 'none', 'fields.id': 'an id' },
		]);
		const { json } = await run('getAll', { returnAll: true, options: { outputFormat: 'flat' } });
		expect(json).toEqual([
			{
				id: expect.any(String),
				created_at: expect.any(String),
				Key: 'a',
				Amount: 1,
				'fields.error': 'none',
				'fields.fields.id': 'an id',
			},
		]);
		const { json: copied } = await run('create', { columns: mapAutomatically() }, json);
		expect(copied[0]?.fields).toEqual({ Key: 'a', Amount: 1, error: 'none', 'fields.id': 'an id' });
	});

	test('an unknown format is refused before anything is sent', async () => {
		const { error } = await run('getAll', { options: { outputFormat: 'wide' } });
		expect(error?.message).toContain("'Output Fields' cannot be 'wide'");
	});
});

test('Requests per Second spreads the requests of a run', async () => {
	const startedAt = Date.now();
	const items = Array.from({ length: 5 }, (_, n) => ({ Key: `k${n}` }));
	const options = { requestsPerSecond: 4 };
	const { error } = await run('create', { columns: mapAutomatically(), options }, items);
	expect(error).toBeUndefined();
	// The cards, the fields and five records: six pauses of 250 ms, less what may go out at once.
	expect(Date.now() - startedAt).toBeGreaterThan(900);
	const refused = await run('create', {
		columns: mapAutomatically(),
		options: { requestsPerSecond: -1 },
	});
	expect(refused.error?.message).toContain("'Requests per Second' must be a number above 0");
});
