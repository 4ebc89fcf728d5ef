/** Which operations there are, and what the editor shows for each: saved workflows find their parameters by name. */
import type { INodeProperties } from 'n8n-workflow';
import {
	findOperation,
	operationProperties,
	operationTitles,
	RESOURCES,
	resourceSelector,
} from '../../../nodes/WorkspaceData/actions/registry';
import { InputError } from '../../../nodes/WorkspaceData/model/inputError';

const OPERATIONS = RESOURCES.flatMap(({ value: resource, operations }) =>
	operations.map((operation) => ({ id: `${resource}.${operation.value}`, resource, operation })),
);

/** A parameter as a text: `*` where the editor requires it, its choices or parts behind it. */
const shapeOf = ({ name, required, type, options = [] }: INodeProperties): string => {
	const names = options.map((part) => ('value' in part ? String(part.value) : part.name));
	const parts = [...new Set(names)];
	const isList = (type === 'options' || type === 'collection') && parts.length > 0;
	return `${name}${required ? '*' : ''}${isList ? `(${parts.join(' ')})` : ''}`;
};

const FILTERS = 'filters matchType(allConditions anyCondition) filterNotice';
const OUTPUT = 'outputFields outputFormat requestsPerSecond';
const CHOICES_OF_A_FIELD = 'choices customProperties';

test.each([
	[
		'record.create',
		`cardId* columns* options(dateFormat emptyValues fieldKeys maxParallel missingChoices numberFormat ${OUTPUT} timeout unknownFields booleanWords)`,
	],
	[
		'record.upsert',
		`cardId* columns* options(dateFormat dryRun emptyValues fieldKeys ifNotFound maxParallel missingChoices multipleMatches numberFormat ${OUTPUT} oldValues timeout unchanged unknownFields upsertMode booleanWords)`,
	],
	['record.count', `cardId* ${FILTERS}`],
	[
		'record.delete',
		'cardId* recordId* options(dryRun ifNotFound maxParallel requestsPerSecond timeout)',
	],
	[
		'record.deleteMany',
		`cardId* ${FILTERS} maxChanges dryRun options(dryRun maxParallel outputFormat requestsPerSecond timeout)`,
	],
	['record.get', `cardId* recordId* simple options(fieldKeys ifNotFound ${OUTPUT} timeout)`],
	[
		'record.getAll',
		`cardId* returnAll limit ${FILTERS} search sort since(all newOrChanged new) simple options(fieldKeys ifNotFound ${OUTPUT} startAgain timeout)`,
	],
	['record.getPage', `cardId* cursor limit simple options(fieldKeys ${OUTPUT} timeout)`],
	['record.ifNotExists', `cardId* ${FILTERS}`],
	['record.ifExists', `cardId* ${FILTERS}`],
	[
		'record.sync',
		`cardId* columns* ${FILTERS} missingRecords(delete keep) maxDeletions dryRun options(dateFormat dryRun emptyValues fieldKeys maxParallel missingChoices numberFormat ${OUTPUT} oldValues timeout unchanged unknownFields booleanWords)`,
	],
	[
		'record.update',
		`cardId* recordId* columns* options(dateFormat dryRun emptyValues fieldKeys ifNotFound maxParallel missingChoices numberFormat ${OUTPUT} oldValues timeout unknownFields booleanWords)`,
	],
	[
		'record.updateMany',
		`cardId* ${FILTERS} columns* maxChanges dryRun options(dateFormat dryRun emptyValues fieldKeys maxParallel missingChoices numberFormat ${OUTPUT} oldValues timeout unchanged unknownFields booleanWords)`,
	],
	['card.getAll', 'returnAll limit'],
	['card.create', 'name* fields additionalFields(customProperties description ifExists)'],
	[
		'card.createFromItems',
		'name* options(createRecords dateFormat dryRun ifExists maxParallel missingChoices numberFormat requestsPerSecond timeout booleanWords)',
	],
	['card.delete', 'cardId* dryRun'],
	['card.get', 'cardId*'],
	['card.update', 'cardId* updateFields(customProperties description name)'],
	['field.getAll', 'cardId* returnAll limit'],
	['field.create', `cardId* name* type* additionalFields(${CHOICES_OF_A_FIELD} options)`],
	['field.delete', 'cardId* fieldId* dryRun'],
	['field.get', 'cardId* fieldId*'],
	['field.update', `cardId* fieldId* updateFields(${CHOICES_OF_A_FIELD} name options type) dryRun`],
	['apiDescription.get', 'format(json yaml)'],
])(
	'a workflow with %s finds its parameters, and the editor asks for what it needs',
	(id, expected) => {
		const found = OPERATIONS.find((one) => one.id === id);
		const properties = (found?.operation.properties ?? []) as unknown as INodeProperties[];
		expect(properties.map(shapeOf).join(' ')).toBe(expected);
	},
);

/** A parameter, and all that it is made of. */
const withParts = (property: INodeProperties): INodeProperties[] => [
	property,
	...((property.options ?? []).flatMap((part) => ('displayName' in part ? [part] : [])) as never[]),
];

test('every input has a label, and a new node has a value for it', () => {
	const properties = operationProperties().flatMap(withParts);
	const unlabelled = properties.filter(
		({
			displayName,
			type,
			name,
			default: initial,
			values,
		}: Partial<INodeProperties> & { values?: unknown }) =>
			!displayName || !name || (!values && (!type || initial === undefined)),
	);
	expect(unlabelled.map(({ name }) => name)).toEqual([]);
});

test('every choice of an input has a name', () => {
	const choices = operationProperties()
		.flatMap(withParts)
		.filter(({ type }) => type === 'options' || type === 'multiOptions')
		.flatMap(({ options = [] }) => options);
	expect(choices.filter((choice) => !choice.name || !('value' in choice))).toEqual([]);
});

test('what changes something says how far it came; what passes items on keeps their files', () => {
	const ids = (is: (one: (typeof OPERATIONS)[number]) => unknown) =>
		OPERATIONS.filter(is).map(({ id }) => id);
	expect(ids(({ operation }) => !operation.writes)).toEqual([
		'record.count',
		'record.get',
		'record.getAll',
		'record.getPage',
		'record.ifNotExists',
		'record.ifExists',
		'card.getAll',
		'card.get',
		'field.getAll',
		'field.get',
		'apiDescription.get',
	]);
	expect(ids(({ operation }) => operation.passesOn)).toEqual([
		'record.ifNotExists',
		'record.ifExists',
	]);
});

test('the selector offers the resources, those used most first', () => {
	expect(resourceSelector()).toEqual({
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Record', value: 'record' },
			{ name: 'Card', value: 'card' },
			{ name: 'Field', value: 'field' },
			{ name: 'API Description', value: 'apiDescription' },
		],
		default: 'record',
	});
});

test.each([
	['record', 'create'],
	['card', 'getAll'],
	['field', 'getAll'],
	['apiDescription', 'get'],
])('the operations of %s come by name, and a new node begins with %s', (resource, initial) => {
	const [selector, ...others] = operationProperties().filter(
		({ name, displayOptions }) =>
			name === 'operation' && displayOptions?.show?.resource?.includes(resource),
	);
	expect(others).toEqual([]);
	const own = OPERATIONS.filter((one) => one.resource === resource)
		.map(({ operation: { name, value, action, description } }) => ({
			name,
			value,
			action,
			description,
		}))
		.sort((a, b) => (a.name < b.name ? -1 : 1));
	expect(selector).toEqual({
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: own,
		default: initial,
	});
});

test('a parameter is shown for its operation only, and only where its own conditions are met', () => {
	const shown = operationProperties().filter(
		({ name }) => name === 'maxDeletions' || name === 'limit',
	);
	expect(shown.map(({ name, displayOptions }) => [name, displayOptions?.show])).toEqual([
		['limit', { returnAll: [false], resource: ['record'], operation: ['getAll'] }],
		['limit', { resource: ['record'], operation: ['getPage'] }],
		['maxDeletions', { missingRecords: ['delete'], resource: ['record'], operation: ['sync'] }],
		['limit', { returnAll: [false], resource: ['card'], operation: ['getAll'] }],
		['limit', { returnAll: [false], resource: ['field'], operation: ['getAll'] }],
	]);
});

describe('a saved workflow may name what this version does not know', () => {
	test('it is found where it is known', () => {
		expect(findOperation('card', 'delete').action).toBe('Delete a card');
	});

	test.each([
		['table', 'get', "'Resource' cannot be 'table'", 'Record, Card, Field, API Description'],
		[
			'field',
			'sync',
			"'Operation' cannot be 'sync' for Field",
			'Get Many, Create, Delete, Get, Update',
		],
	])('%s %s is refused with the choices that there are', (resource, operation, message, names) => {
		const refused = () => findOperation(resource, operation);
		expect(refused).toThrow(InputError);
		expect(refused).toThrow(
			expect.objectContaining({ message, description: `Choose one of: ${names}.` }),
		);
	});
});

test('the canvas names the resource where the operation alone does not tell it', () => {
	expect(operationTitles()).toMatchObject({
		'record.getAll': 'Get Many',
		'record.updateMany': 'Update Many',
		'record.sync': 'Sync',
		'card.getAll': 'Get Many Cards',
		'card.delete': 'Delete Card',
		'card.createFromItems': 'Create From Items',
		'field.getAll': 'Get Many Fields',
		'field.create': 'Create Field',
		'apiDescription.get': 'Get API Description',
	});
});
