/** The node's description and its code tell the same story. */
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { WorkspaceDataTrigger } from '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';
import { findOperation, RESOURCES } from '../../nodes/WorkspaceData/actions/registry';
import { runAction } from '../support/n8n';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

const action = new WorkspaceData();
const trigger = new WorkspaceDataTrigger();

/** The contract's table: resource → operation → parameters, with entries of collections behind a dot. */
const CONTRACT: Record<string, Record<string, string[]>> = {
	card: {
		create: [
			'name',
			'fields',
			'additionalFields.description',
			'additionalFields.customProperties',
			'additionalFields.ifExists',
		],
		createFromItems: ['name', 'options'],
		get: ['cardId'],
		delete: ['cardId', 'dryRun'],
		getAll: ['returnAll', 'limit'],
		update: [
			'cardId',
			'updateFields.name',
			'updateFields.description',
			'updateFields.customProperties',
		],
	},
	field: {
		create: [
			'cardId',
			'name',
			'type',
			'additionalFields.choices',
			'additionalFields.options',
			'additionalFields.customProperties',
		],
		get: ['cardId', 'fieldId'],
		delete: ['cardId', 'fieldId', 'dryRun'],
		getAll: ['cardId', 'returnAll', 'limit'],
		update: [
			'cardId',
			'fieldId',
			'updateFields.name',
			'updateFields.type',
			'updateFields.choices',
			'updateFields.options',
			'updateFields.customProperties',
			'dryRun',
		],
	},
	record: {
		create: ['cardId', 'columns', 'options'],
		upsert: ['cardId', 'columns', 'options'],
		get: ['cardId', 'recordId', 'simple', 'options'],
		getAll: [
			'cardId',
			'returnAll',
			'limit',
			'filters',
			'matchType',
			'search',
			'sort',
			'since',
			'simple',
			'options',
		],
		update: ['cardId', 'recordId', 'columns', 'options'],
		delete: ['cardId', 'recordId', 'options'],
		getPage: ['cardId', 'cursor', 'limit', 'simple', 'options'],
		count: ['cardId', 'filters', 'matchType'],
		ifExists: ['cardId', 'filters', 'matchType'],
		ifNotExists: ['cardId', 'filters', 'matchType'],
		updateMany: ['cardId', 'filters', 'matchType', 'columns', 'maxChanges', 'dryRun', 'options'],
		sync: [
			'cardId',
			'columns',
			'filters',
			'matchType',
			'missingRecords',
			'maxDeletions',
			'dryRun',
			'options',
		],
		deleteMany: ['cardId', 'filters', 'matchType', 'maxChanges', 'dryRun', 'options'],
	},
	apiDescription: { get: ['format'] },
};

const OPTION_NAMES = [
	'oldValues',
	'emptyValues',
	'unknownFields',
	'fieldKeys',
	'outputFields',
	'ifNotFound',
	'multipleMatches',
	'upsertMode',
	'maxParallel',
	'timeout',
	'dryRun',
	'startAgain',
	'missingChoices',
	'ifExists',
	'createRecords',
	'outputFormat',
	'requestsPerSecond',
	'unchanged',
	'numberFormat',
	'dateFormat',
	'booleanWords',
];

const PAIRS = Object.entries(CONTRACT).flatMap(([resource, operations]) =>
	Object.keys(operations).map((operation) => [resource, operation] as const),
);

const shownFor = (resource: string, operation: string): INodeProperties[] =>
	action.description.properties.filter(
		({ displayOptions }) =>
			displayOptions?.show?.resource?.includes(resource) &&
			displayOptions.show.operation?.includes(operation),
	);

/** All parameters, those inside collections too. */
function* everyProperty(properties: INodeProperties[]): Generator<INodeProperties> {
	for (const property of properties) {
		yield property;
		const entries = (property.options ?? []) as Array<INodeProperties | INodePropertyCollection>;
		if (property.type === 'collection') yield* everyProperty(entries as INodeProperties[]);
		if (property.type === 'fixedCollection') {
			for (const { values } of entries as INodePropertyCollection[]) yield* everyProperty(values);
		}
	}
}

const choicesOf = ({ options }: INodeProperties) => (options ?? []) as INodePropertyOptions[];

const NODES = [
	['action', action.description.properties],
	['trigger', trigger.description.properties],
] as const;

test('the selectors offer the contract’s operations, no more and no fewer', () => {
	const offered = action.description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap((selector) =>
			choicesOf(selector).map(({ value }) => `${selector.displayOptions?.show?.resource} ${value}`),
		);
	expect(offered.sort()).toEqual(PAIRS.map((pair) => pair.join(' ')).sort());
	const resources = action.description.properties.find(({ name }) => name === 'resource');
	// By use: the nodes panel shows the actions of the first one first.
	expect(choicesOf(resources as INodeProperties).map(({ value }) => value)).toEqual([
		'record',
		'card',
		'field',
		'apiDescription',
	]);
	expect(Object.keys(CONTRACT).sort()).toEqual(['apiDescription', 'card', 'field', 'record']);
});

test.each(PAIRS)(
	'%s %s dispatches, and has exactly the contract’s parameters',
	(resource, operation) => {
		expect(findOperation(resource, operation).value).toBe(operation);
		const names = shownFor(resource, operation)
			.filter(({ type }) => type !== 'notice')
			.flatMap((property) =>
				property.type === 'collection' && property.name !== 'options'
					? choicesOf(property).map(({ name }) => `${property.name}.${name}`)
					: [property.name],
			);
		expect(names.sort()).toEqual([...(CONTRACT[resource]?.[operation] ?? [])].sort());
	},
);

test('options exist under the contract’s names only, each somewhere', () => {
	const names = action.description.properties
		.filter(({ name, type }) => name === 'options' && type === 'collection')
		.flatMap((property) => choicesOf(property).map(({ name }) => name));
	expect([...new Set(names)].sort()).toEqual([...OPTION_NAMES].sort());
});

test('a new node starts with the defaults that the contract names', () => {
	const defaults = Object.fromEntries(
		action.description.properties
			.filter(({ name }) => ['authentication', 'resource'].includes(name))
			.map((property) => [property.name, property.default]),
	);
	expect(defaults).toEqual({ authentication: 'apiKey', resource: 'record' });
	expect(action.description.usableAsTool).toBe(true);
});

describe.each(NODES)('%s node', (_name, properties) => {
	const all = [...everyProperty(properties)];

	test('each default of a choice is one of its options', () => {
		const stray = all
			.filter(({ type, typeOptions }) => type === 'options' && !typeOptions?.loadOptionsMethod)
			.filter((property) => !choicesOf(property).some(({ value }) => value === property.default))
			.map(({ name }) => name);
		expect(stray).toEqual([]);
	});

	test('choices stand in alphabetical order', () => {
		for (const property of all) {
			if (!['options', 'multiOptions'].includes(property.type)) continue;
			// Resources stand by use, as the test of the selectors says.
			if (property.name === 'resource') continue;
			const names = choicesOf(property).map(({ name }) => name);
			expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)));
		}
	});

	test('booleans say "Whether", and no description ends in a full stop alone', () => {
		for (const { type, description = '', name } of all) {
			if (type === 'boolean') expect(`${name}: ${description}`).toMatch(/: Whether /);
			const sentences = description.replace(/<[^>]*>/g, '').split(/\.\s/).length;
			if (sentences === 1) expect(description).not.toMatch(/\.$/);
		}
	});
});

test('every method that a parameter names exists', () => {
	const methodsOf = { action: action.methods, trigger: trigger.methods };
	for (const [name, properties] of NODES) {
		const methods = methodsOf[name];
		for (const { typeOptions, modes } of everyProperty([...properties])) {
			const named = [
				['loadOptions', typeOptions?.loadOptionsMethod],
				['resourceMapping', typeOptions?.resourceMapper?.resourceMapperMethod],
				...(modes ?? []).map((mode) => ['listSearch', mode.typeOptions?.searchListMethod]),
			] as const;
			for (const [kind, method] of named) {
				if (method === undefined) continue;
				expect((methods as Record<string, Record<string, unknown>>)[kind ?? '']).toHaveProperty(
					String(method),
					expect.any(Function),
				);
			}
		}
	}
});

test('webhook lifecycle methods are all there', () => {
	expect(Object.keys(trigger.webhookMethods.default).sort()).toEqual([
		'checkExists',
		'create',
		'delete',
	]);
	expect(RESOURCES.length).toBe(Object.keys(CONTRACT).length);
});

describe('saved workflows with values that this version does not know', () => {
	let workspace: TestWorkspace;
	beforeAll(async () => {
		workspace = await startWorkspace();
	});
	afterAll(async () => await workspace.close());

	test.each([
		[{ resource: 'row', operation: 'create' }, "'Resource' cannot be 'row'"],
		[{ resource: 'record', operation: 'copy' }, "'Operation' cannot be 'copy' for Record"],
		[{ resource: 'apiDescription', operation: 'get', format: 'xml' }, "'Format' cannot be 'xml'"],
	])('%j fails clearly before anything is sent', async (parameters, message) => {
		workspace.service.control.resetRequests();
		const { error } = await runAction({ credentials: workspace.apiKey, parameters });
		expect(error?.message).toContain(message);
		expect(error?.description).toEqual(expect.stringContaining('Choose one of'));
		expect(workspace.requests()).toEqual([]);
	});
});
