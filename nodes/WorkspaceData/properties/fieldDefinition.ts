/** What cards and fields are made of. */

/** The label of the collection in updates of cards and fields. */
export const PROPERTIES_TO_CHANGE = 'Properties to Change';

/** A collection with these properties of a card or a field. */
const collectionOf = <const Name extends string, const Options extends readonly unknown[]>(
	displayName: string,
	name: Name,
	options: Options,
) =>
	({
		displayName,
		name,
		type: 'collection',
		placeholder: 'Add Property',
		default: {},
		options,
	}) as const;

/** What a new card or field may have besides. */
export const additionalProperties = <const Options extends readonly unknown[]>(options: Options) =>
	collectionOf('Additional Properties', 'additionalFields', options);

/** What an update may change. */
export const changedProperties = <const Options extends readonly unknown[]>(options: Options) =>
	collectionOf(PROPERTIES_TO_CHANGE, 'updateFields', options);

/** Properties of cards and fields that the interface doesn't show. */
export const customPropertiesProperty = {
	displayName: 'Custom Properties',
	name: 'customProperties',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. { "color": "green" }',
	description: 'A JSON object of further properties that your service has',
} as const;

export const fieldNameProperty = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	default: '',
	placeholder: 'e.g. Status',
	description: 'The name of the field',
} as const;

/** The type of a field. The list comes from the service. */
export const fieldTypeProperty = {
	displayName: 'Type Name or ID',
	name: 'type',
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getFieldTypes', loadOptionsDependsOn: ['cardId.value'] },
	default: '',
	description:
		'The type of the field, as the service names it. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
} as const;

export const fieldOptionsProperty = {
	displayName: 'Options (JSON)',
	name: 'options',
	type: 'json',
	default: '',
	placeholder: 'e.g. ["Open", "Done"]',
	description: 'The options of the field as JSON, for example choices with IDs or colors',
} as const;

export const choicesProperty = {
	displayName: 'Choices',
	name: 'choices',
	type: 'string',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Choice' },
	default: [],
	placeholder: 'e.g. Open',
	description: 'The choices of a select field',
} as const;

/** The type of a field whose card need not exist yet. */
export const offeredTypeProperty = {
	...fieldTypeProperty,
	typeOptions: { loadOptionsMethod: 'getFieldTypes' },
} as const;

/** The choices of such a field. */
export const choicesTextProperty = {
	displayName: 'Choices',
	name: 'choices',
	type: 'string',
	default: '',
	placeholder: 'e.g. Open, Done',
	description: 'The choices of a select field, with commas between them',
} as const;

export const cardNameProperty = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. Customers',
	description: 'The name of the card',
} as const;

export const cardDescriptionProperty = {
	displayName: 'Description',
	name: 'description',
	type: 'string',
	default: '',
	placeholder: 'e.g. People who bought from us',
	description: 'A description of the card, for example its purpose',
} as const;

export const ifCardExistsProperty = {
	displayName: 'If Card Exists',
	name: 'ifExists',
	type: 'options',
	options: [
		{ name: 'Create Another Card', value: 'create' },
		{
			name: 'Reuse the Card',
			value: 'reuse',
			description: 'Return the existing card unchanged',
		},
		{ name: 'Throw an Error', value: 'error' },
	],
	default: 'create',
	description: 'How to continue if the workspace has a card with this name',
} as const;
