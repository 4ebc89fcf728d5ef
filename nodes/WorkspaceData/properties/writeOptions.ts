/** How records are written: options and parameters of the operations that change something. */
import { offeredTypeProperty, choicesTextProperty } from './fieldDefinition';
import { sendingOptions } from './recordOptions';

const emptyValuesOption = {
	displayName: 'Empty Values',
	name: 'emptyValues',
	type: 'options',
	options: [
		{ name: 'Clear the Field', value: 'clear' },
		{
			name: 'Ignore',
			value: 'ignore',
			description: 'Empty text leaves the field unchanged',
		},
		{
			name: 'Send as Is',
			value: 'send',
			description: "Empty text is sent unchanged; a field that can't hold it refuses it",
		},
	],
	default: 'send',
	description: 'How to treat empty text of an item or an expression',
} as const;

export const unknownFieldsOption = {
	displayName: 'If Field Is Unknown',
	name: 'unknownFields',
	type: 'options',
	options: [
		{
			name: 'Create the Field',
			value: 'create',
			description:
				'Add the field to the card first, with the type that suits the values of all items',
		},
		{ name: 'Ignore', value: 'ignore' },
		{ name: 'Throw an Error', value: 'error' },
	],
	default: 'error',
	description: "How to treat values for fields that the card doesn't have",
} as const;

export const missingChoicesOption = {
	displayName: 'If Choice Is Missing',
	name: 'missingChoices',
	type: 'options',
	options: [
		{ name: 'Add to the Field', value: 'add' },
		{ name: 'Throw an Error', value: 'error' },
	],
	default: 'error',
	description: "How to treat values that aren't among the choices of a select field",
} as const;

const numberFormatOption = {
	displayName: 'Number Format',
	name: 'numberFormat',
	type: 'options',
	options: [
		{ name: '1 234,5', value: 'commaSpaced', description: 'Also 1234,5' },
		{ name: '1,234.5', value: 'pointGrouped', description: 'Also 1234.5 and 12,34,567.5' },
		{ name: '1.234,5', value: 'comma', description: 'Also 1234,5' },
		{ name: "1'234.5", value: 'pointApostrophe', description: 'Also 1234.5' },
		{ name: '1234.5', value: 'point', description: 'Without a sign between groups of digits' },
	],
	default: 'point',
	description: 'How numbers are written in the text values of the items',
} as const;

const dateFormatOption = {
	displayName: 'Date Format',
	name: 'dateFormat',
	type: 'options',
	options: [
		{ name: 'Day First', value: 'dayFirst', description: 'Text such as 31.03.2026 or 31/3/2026' },
		{
			name: 'Excel Day Numbers',
			value: 'excel',
			description: 'Numbers such as 46205 for 2026-07-02',
		},
		{ name: 'ISO', value: 'iso', description: 'Text such as 2026-03-31' },
		{ name: 'Month First', value: 'monthFirst', description: 'Text such as 03/31/2026' },
	],
	default: 'iso',
	description: 'How dates are written in the items; years have four digits, and ISO is always read',
} as const;

export const booleanWordsOption = {
	displayName: 'Yes and No Words',
	name: 'booleanWords',
	type: 'string',
	default: '',
	placeholder: 'e.g. yes, no',
	description: 'Two words in the text values of the items: the first means true, the second false',
} as const;

/** The types of new fields that the values of a column can't tell. */
export const fieldTypesOption = {
	displayName: 'Field Types',
	name: 'fieldTypes',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Column',
	default: {},
	options: [
		{
			displayName: 'Column',
			name: 'values',
			values: [
				{
					displayName: 'Column',
					name: 'column',
					type: 'string',
					default: '',
					placeholder: 'e.g. Postal Code',
					description: 'The name of the column in the items',
				},
				offeredTypeProperty,
				{
					...choicesTextProperty,
					description:
						'For a select field, with commas between them; by default the values of the column',
				},
			],
		},
	],
	description: 'Types of new fields; by default, the values of a column decide',
} as const;

/** The formats of text values in the items. */
export const formatOptions = [booleanWordsOption, dateFormatOption, numberFormatOption] as const;

export const dryRunProperty = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: false,
	description: 'Whether to only return what would change, without changing it',
} as const;

export const clearFieldsOption = {
	displayName: 'Fields to Clear',
	name: 'clearFields',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getFieldNames', loadOptionsDependsOn: ['cardId.value'] },
	default: [],
	description:
		'Fields whose values are removed; an empty box in the values leaves its field unchanged. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
} as const;

/** Max records that an item may change. */
export const maxChangesProperty = {
	displayName: 'Max Records to Change',
	name: 'maxChanges',
	type: 'number',
	typeOptions: { minValue: -1 },
	default: 1000,
	description: 'If an input item would change more records, nothing is sent; -1 means no limit',
} as const;

/** The same where records are deleted. */
export const maxDeletedProperty = {
	...maxChangesProperty,
	displayName: 'Max Records to Delete',
	description: 'If an input item would delete more records, nothing is deleted; -1 means no limit',
} as const;

export const ignoreCaseOption = {
	displayName: 'Ignore Case',
	name: 'ignoreCase',
	type: 'boolean',
	default: false,
	description:
		"Whether text in 'Fields to match on' matches in upper and lower case, for example emails",
} as const;

/** The options of all operations that write values. */
export const writeOptions = [
	emptyValuesOption,
	...formatOptions,
	missingChoicesOption,
	...sendingOptions,
	unknownFieldsOption,
] as const;
