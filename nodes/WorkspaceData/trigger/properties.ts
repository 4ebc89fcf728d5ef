/** The parameters of the trigger node. */
import type { INodeProperties } from 'n8n-workflow';
import { authenticationProperty } from '../properties/authentication';
import { filtersProperty, matchTypeProperty } from '../properties/filters';
import { cardLocator } from '../properties/locators';
import { fieldKeysOption, simplifyProperty } from '../properties/recordOptions';

export const eventsProperty = {
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	required: true,
	default: ['record.created'],
	description: 'The events that start the workflow',
	options: [
		{ name: 'Card Created', value: 'card.created' },
		{ name: 'Card Updated', value: 'card.updated', description: 'Its name or description changes' },
		{ name: 'Collaborator Added', value: 'collaborator.added' },
		{ name: 'Record Created', value: 'record.created' },
		{ name: 'Record Deleted', value: 'record.deleted' },
		{ name: 'Record Updated', value: 'record.updated', description: 'Fields of a record change' },
	],
} as const satisfies INodeProperties;

/** The names of the events in the editor, by their names at the service. @see service interface, part 6 */
export const EVENTS: ReadonlyMap<string, string> = new Map(
	eventsProperty.options.map(({ name, value }) => [value, name]),
);

export const watchProperty = {
	displayName: 'Watch',
	name: 'watch',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'All Cards', value: 'allCards' },
		{ name: 'One Card', value: 'oneCard' },
	],
	default: 'allCards',
} as const satisfies INodeProperties;

export const optionsProperty: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			...(filtersProperty as unknown as INodeProperties),
			description: 'Conditions that the record of an event must meet',
		},
		{
			displayName: 'Ignore Duplicates',
			name: 'ignoreDuplicates',
			type: 'boolean',
			default: true,
			description: 'Whether to run only once when the service delivers the same event again',
		},
		{
			displayName: 'Max Event Age (Minutes)',
			name: 'maxEventAge',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 0,
			description: 'Max age of an event when it arrives; 0 means any age',
		},
		matchTypeProperty as unknown as INodeProperties,
		fieldKeysOption as unknown as INodeProperties,
		{
			displayName: 'Renew After Silence (Hours)',
			name: 'renewAfterSilence',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 0,
			description:
				'Hours without an event after which to subscribe again, in case the service paused the subscription; 0 means never. Your error workflow runs each time.',
		},
		{
			displayName: 'Watch Field Names or IDs',
			name: 'watchFields',
			type: 'multiOptions',
			typeOptions: { loadOptionsMethod: 'getFieldNames', loadOptionsDependsOn: ['cardId.value'] },
			default: [],
			description:
				'For \'Record Updated\': the fields whose changes start the workflow; all when empty. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		},
	],
};

export const triggerProperties: INodeProperties[] = [
	authenticationProperty,
	eventsProperty,
	watchProperty,
	{
		...(cardLocator as unknown as INodeProperties),
		description: 'The card (table) to watch',
		displayOptions: { show: { watch: ['oneCard'] } },
	},
	simplifyProperty,
	optionsProperty,
];
