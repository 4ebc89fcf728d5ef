/** What a node says about itself on the canvas, evaluated by n8n's own expressions. */
import { Workflow, type INode, type INodeParameters, type INodeType } from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { WorkspaceDataTrigger } from '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';
import { nodeTypesOf, prepareN8n } from '../support/n8n';

beforeAll(() => prepareN8n());

/** The subtitle as the editor computes it: from the parameters alone, without a run. */
function subtitleOf(type: INodeType, parameters: INodeParameters): unknown {
	const node: INode = {
		id: 'node-1',
		name: 'Node',
		type: 'ours',
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypesOf({ ours: type }),
	});
	const stored = workflow.getNode('Node');
	if (!stored) throw new Error('the workflow has lost its node');
	return workflow.expression.getSimpleParameterValue(
		stored,
		type.description.subtitle,
		'internal',
		{},
	);
}

const fromList = { __rl: true, mode: 'list', value: 'crd_1', cachedResultName: 'Orders' } as const;
const action = new WorkspaceData();
const trigger = new WorkspaceDataTrigger();

test.each<[string, INodeParameters]>([
	['Create · Orders', { resource: 'record', operation: 'create', cardId: fromList }],
	['Create or Update · Orders', { resource: 'record', operation: 'upsert', cardId: fromList }],
	['Get Many · Orders', { operation: 'getAll', cardId: { ...fromList } }],
	[
		'Create From Items · Orders',
		{ resource: 'card', operation: 'createFromItems', name: 'Orders' },
	],
	[
		'Create From Items',
		{ resource: 'card', operation: 'createFromItems', name: '={{ $json.card }}' },
	],
	['Delete Card · Orders', { resource: 'card', operation: 'delete', cardId: fromList }],
	['Get Many Cards', { resource: 'card', operation: 'getAll' }],
	[
		'Create Field · Orders',
		{ resource: 'field', operation: 'create', cardId: fromList, name: 'Price' },
	],
	['Get Many Fields · Orders', { resource: 'field', operation: 'getAll', cardId: fromList }],
	['Get API Description', { resource: 'apiDescription', operation: 'get' }],
	['Count · Orders', { operation: 'count', cardId: { __rl: true, mode: 'name', value: 'Orders' } }],
	['Count', { operation: 'count', cardId: { __rl: true, mode: 'id', value: 'crd_1' } }],
	['Count', { operation: 'count', cardId: { ...fromList, value: '={{ $json.card }}' } }],
	[
		'Count',
		{ operation: 'count', cardId: { __rl: true, mode: 'name', value: '={{ $json.card }}' } },
	],
	['Count', { operation: 'count', cardId: { __rl: true, mode: 'list', value: '' } }],
])('the canvas says "%s" (M9)', (subtitle, parameters) => {
	expect(subtitleOf(action, { resource: 'record', ...parameters })).toBe(subtitle);
});

test.each<[string, INodeParameters]>([
	['Record Created · Orders', { events: ['record.created'], watch: 'oneCard', cardId: fromList }],
	[
		'Record Created, Card Updated',
		{ events: ['record.created', 'card.updated'], watch: 'allCards', cardId: fromList },
	],
	['', { events: [], watch: 'allCards' }],
])('the canvas says "%s" for a trigger (M9)', (subtitle, parameters) => {
	expect(subtitleOf(trigger, parameters)).toBe(subtitle);
});

test('every operation has a title of its own on the canvas (M9)', () => {
	const operations = action.description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options = [] }) =>
			options.map((option) => ({
				resource: String(displayOptions?.show?.resource?.[0]),
				operation: 'value' in option ? String(option.value) : '',
			})),
		);
	const titles = operations.map((parameters) => subtitleOf(action, parameters));
	expect(titles.every((title) => typeof title === 'string' && title !== '')).toBe(true);
	expect(new Set(titles).size).toBe(operations.length);
});
