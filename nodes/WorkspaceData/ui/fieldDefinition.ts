/** Properties of cards and fields beyond those that the interface shows. */
export const customPropertiesProperty = {
	displayName: 'Custom Properties',
	name: 'customProperties',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. { "color": "green" }',
	description: 'More properties to send, as a JSON object, where your service has them',
} as const;

/** The type of a field; the list comes from the service. */
export const fieldTypeProperty = {
	displayName: 'Type Name or ID',
	name: 'type',
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getFieldTypes', loadOptionsDependsOn: ['cardId.value'] },
	default: '',
	description:
		'The type of the field, as the service names it. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
} as const;

/** The options of a field, such as the choices of a select. */
export const fieldOptionsProperty = {
	displayName: 'Options (JSON)',
	name: 'options',
	type: 'json',
	default: '[]',
	placeholder: 'e.g. ["Open", "Done"]',
	description: 'The options of the field as JSON, for example the choices of a select field',
} as const;

/** The choices of a select field as a plain list. */
export const choicesProperty = {
	displayName: 'Choices',
	name: 'choices',
	type: 'string',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Choice' },
	default: [],
	placeholder: 'e.g. Open',
	description:
		"The choices of a select field, as a list of texts. On an update, listed choices that the field has already keep their IDs, and all others are removed. For anything else use 'Options (JSON)'.",
} as const;

/** How to treat a card of the same name. */
export const ifCardExistsProperty = {
	displayName: 'If Card Exists',
	name: 'ifExists',
	type: 'options',
	options: [
		{
			name: 'Create Another Card',
			value: 'create',
			description: 'Create a card, whatever other cards are called',
		},
		{
			name: 'Reuse the Card',
			value: 'reuse',
			description: 'Return the card of this name unchanged, and create it only if there is none',
		},
		{
			name: 'Throw an Error',
			value: 'error',
			description: 'Create nothing if the workspace has a card of this name',
		},
	],
	default: 'create',
	description: 'How to treat a card of this name that the workspace has already',
} as const;
