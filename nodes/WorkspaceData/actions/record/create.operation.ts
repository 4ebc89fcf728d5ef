import { cardLocator } from '../../ui/locators';
import {
	emptyValuesOption,
	fieldKeysOption,
	maxParallelOption,
	outputFieldsOption,
	timeoutOption,
	unknownFieldsOption,
} from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { readColumns } from './columns';
import { recordOutput } from './output';
import { requestOptions } from './requestOptions';
import { create } from './write';

export const createRecord = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create a record',
	description: 'Create a new record',
	writes: true,
	properties: [
		cardLocator,
		{
			displayName: 'Columns',
			name: 'columns',
			type: 'resourceMapper',
			default: { mappingMode: 'defineBelow', value: null },
			noDataExpression: true,
			required: true,
			typeOptions: {
				loadOptionsDependsOn: ['cardId.value'],
				resourceMapper: {
					resourceMapperMethod: 'getColumns',
					mode: 'add',
					valuesLabel: 'Values to Send',
					fieldWords: { singular: 'field', plural: 'fields' },
					addAllFields: true,
					multiKeyMatch: false,
					supportAutoMap: true,
					refreshStaleSchemaOnOpen: true,
				},
			},
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				emptyValuesOption,
				fieldKeysOption,
				maxParallelOption,
				outputFieldsOption,
				timeoutOption,
				unknownFieldsOption,
			],
		},
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const request = requestOptions(options);
		const columns = readColumns(get('columns'), run.context.getInputData()[itemIndex]?.json ?? {});
		const card = await run.card(get('cardId'), request);
		const { record, index } = await create(run, { card, columns, options, request });
		return [recordOutput(index, true, options)(record)];
	},
});
