/** Properties of cards and fields that the interface does not show. */
export const customPropertiesProperty = {
	displayName: 'Custom Properties',
	name: 'customProperties',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. { "color": "green" }',
	description: 'More properties to send, as a JSON object, if your service has them',
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
