import type { INodeProperties } from 'n8n-workflow';
import { authenticationProperty } from '../properties/authentication';
import { filtersProperty, matchTypeProperty } from '../properties/filters';
import { cardLocator } from '../properties/locators';
import { fieldKeysOption } from '../properties/recordOptions';
import { simplifyProperty } from '../properties/simplify';

/** How long a replaced subscription continues to deliver, in minutes. */
export const DEFAULT_OVERLAP_MINUTES = 15;

/** Time without a delivery before a subscription is renewed, in hours. */
export const DEFAULT_SILENCE_HOURS = 24;

const eventsProperty = {
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	required: true,
	default: ['record.created'],
	description: 'The events that start the workflow',
	options: [
		{ name: 'Card Created', value: 'card.created' },
		{
			name: 'Card Updated',
			value: 'card.updated',
			description: 'The name or the description of a card changes',
		},
		{ name: 'Collaborator Added', value: 'collaborator.added' },
		{ name: 'Record Created', value: 'record.created' },
		{ name: 'Record Deleted', value: 'record.deleted' },
		{ name: 'Record Updated', value: 'record.updated', description: 'Fields of a record change' },
	],
} as const satisfies INodeProperties;

/** The events, as the service names them. @see service interface, part 6 */
export const EVENTS: readonly string[] = eventsProperty.options.map(({ value }) => value);

export const optionsProperty: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Catch Up on Missed Records',
			name: 'catchUp',
			type: 'boolean',
			default: false,
			description:
				"Whether to start the workflow for records that were created while n8n wasn't running. Each start reads all records of the watched cards.",
		},
		{
			...(filtersProperty as unknown as INodeProperties),
			description:
				'Conditions that the record of an event must meet. A field that the event has no value for is empty.',
		},
		{
			displayName: 'Ignore Duplicates',
			name: 'ignoreDuplicates',
			type: 'boolean',
			default: true,
			description:
				'Whether to start the workflow only once when the service delivers the same event again',
		},
		{
			displayName: 'Max Event Age (Minutes)',
			name: 'maxEventAge',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 0,
			description:
				'Ignore events that arrive more than this many minutes after they happened; 0 accepts all',
		},
		{
			...(matchTypeProperty as unknown as INodeProperties),
			description:
				"Whether the record of an event must meet all conditions in 'Filters' or at least one",
		},
		fieldKeysOption as unknown as INodeProperties,
		{
			displayName: 'Overlap After a Restart (Minutes)',
			name: 'overlap',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: DEFAULT_OVERLAP_MINUTES,
			description:
				'How many minutes events of the old subscription still start the workflow after n8n restarts',
		},
		{
			displayName: 'Renew After Silence (Hours)',
			name: 'renewAfterSilence',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: DEFAULT_SILENCE_HOURS,
			description:
				'Hours without an event after which the trigger subscribes again, in case the service paused the subscription; at least 1, or 0 for never',
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

/** The parameters of the trigger node. */
export const triggerProperties: INodeProperties[] = [
	authenticationProperty,
	{
		displayName:
			"The service must be able to reach this n8n. 'Execute step' waits for one event; publish the workflow to run it on every event.",
		name: 'addressNotice',
		type: 'notice',
		default: '',
	},
	eventsProperty,
	{
		displayName: 'Watch',
		name: 'watch',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'All Cards', value: 'allCards' },
			{ name: 'One Card', value: 'oneCard' },
		],
		default: 'allCards',
	},
	{
		...(cardLocator as unknown as INodeProperties),
		description: 'The card (table) to watch',
		displayOptions: { show: { watch: ['oneCard'] } },
	},
	simplifyProperty,
	optionsProperty,
];
