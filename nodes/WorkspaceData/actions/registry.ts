/** The list of all operations, from which selectors, parameters and titles are derived. */
import type { INodeProperties } from 'n8n-workflow';
import { InputError } from '../values/inputError';
import { byCharacter } from '../values/identity';
import { plainText } from '../values/messageText';
import type { Operation, PropertyDefinition, Resource } from './operation/defineOperation';
import { countRecords } from './record/count.operation';
import { createRecord } from './record/create.operation';
import { deleteRecord } from './record/delete.operation';
import { deleteManyRecords } from './record/deleteMany.operation';
import { getRecord } from './record/get.operation';
import { getManyRecords } from './record/getAll.operation';
import { getRecordPageOperation } from './record/getPage.operation';
import { ifRecordDoesNotExist, ifRecordExists } from './record/ifExists.operation';
import { syncRecords } from './record/sync.operation';
import { updateRecord } from './record/update.operation';
import { updateManyRecords } from './record/updateMany.operation';
import { upsertRecord } from './record/upsert.operation';
import { createCard } from './card/create.operation';
import { createCardFromItems } from './card/createFromItems.operation';
import { deleteCard } from './card/delete.operation';
import { getCardOperation } from './card/get.operation';
import { getManyCards } from './card/getAll.operation';
import { updateCard } from './card/update.operation';
import { createField } from './field/create.operation';
import { deleteField } from './field/delete.operation';
import { getField } from './field/get.operation';
import { getManyFields } from './field/getAll.operation';
import { updateField } from './field/update.operation';
import { getApiDescription } from './apiDescription/get.operation';

/** All resources, the most used ones first: the nodes panel keeps this order. */
export const RESOURCES: readonly Resource[] = [
	// The rows of a card.
	{
		value: 'record',
		name: 'Record',
		operations: [
			createRecord,
			upsertRecord,
			countRecords,
			deleteRecord,
			deleteManyRecords,
			getRecord,
			getManyRecords,
			getRecordPageOperation,
			ifRecordDoesNotExist,
			ifRecordExists,
			syncRecords,
			updateRecord,
			updateManyRecords,
		],
	},
	// The tables of a workspace.
	{
		value: 'card',
		name: 'Card',
		operations: [
			getManyCards,
			createCard,
			createCardFromItems,
			deleteCard,
			getCardOperation,
			updateCard,
		],
	},
	// The columns of a card.
	{
		value: 'field',
		name: 'Field',
		operations: [getManyFields, createField, deleteField, getField, updateField],
	},
	{ value: 'apiDescription', name: 'API Description', operations: [getApiDescription] },
];

/**
 * Returns the operation that a node's parameters name.
 *
 * @throws InputError for values that this version doesn't know, because saved workflows may hold any value
 */
export function findOperation(resource: unknown, operation: unknown): Operation {
	const { operations } = oneOf('Resource', RESOURCES, resource);
	return oneOf('Operation', operations, operation);
}

/** Returns the entry with this value. @throws InputError if there is none */
function oneOf<Entry extends { name: string; value: string }>(
	label: string,
	entries: readonly Entry[],
	value: unknown,
): Entry {
	const known = entries.find((entry) => entry.value === value);
	if (known) return known;
	throw new InputError(
		`'${label}' can't be '${plainText(value)}'`,
		`Select one of: ${entries.map(({ name }) => name).join(', ')}.`,
	);
}

const resourceSelector: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: RESOURCES.map(({ name, value }) => ({ name, value })),
	default: 'record',
};

function operationSelector(resource: Resource): INodeProperties {
	const initial = resource.operations[0]?.value ?? '';
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource.value] } },
		options: resource.operations
			.map(({ name, value, action, description }) => ({ name, value, action, description }))
			.sort((a, b) => byCharacter(a.name, b.name)),
		default: initial,
	};
}

/** Shows a parameter only for its operation, in addition to its own conditions. */
function shownFor(
	property: PropertyDefinition,
	resource: string,
	operation: string,
): INodeProperties {
	// Definitions are read-only. n8n's type isn't, but n8n doesn't change them.
	const { displayOptions, ...rest } = property as INodeProperties;
	// In this order: n8n takes the conditions as met at the first parameter that holds an expression.
	const show = { resource: [resource], operation: [operation], ...displayOptions?.show };
	return { ...rest, displayOptions: { ...displayOptions, show } };
}

/** Returns the selectors of resources and operations, and all parameters of all operations. */
export function operationProperties(): INodeProperties[] {
	const ofResources = RESOURCES.flatMap((resource) => [
		operationSelector(resource),
		...resource.operations.flatMap(({ value, properties }) =>
			properties.map((property) => shownFor(property, resource.value, value)),
		),
	]);
	return [resourceSelector, ...ofResources];
}
