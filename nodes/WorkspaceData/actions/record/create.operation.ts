import { columnsMapper, columnsProperty } from '../../ui/columns';
import { cardLocator } from '../../ui/locators';
import {
	emptyValuesOption,
	fieldKeysOption,
	maxParallelOption,
	outputFieldsOption,
	timeoutOption,
	unknownFieldsOption,
	recordOptions,
} from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { readColumns } from './columns';
import { withLiveFields } from './liveFields';
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
			...columnsProperty,
			typeOptions: {
				loadOptionsDependsOn: ['cardId.value'],
				resourceMapper: {
					...columnsMapper,
					mode: 'add',
					valuesLabel: 'Values to Send',
					addAllFields: true,
					multiKeyMatch: false,
				},
			},
		},
		recordOptions([
			emptyValuesOption,
			fieldKeysOption,
			maxParallelOption,
			outputFieldsOption,
			timeoutOption,
			unknownFieldsOption,
		]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const request = requestOptions(options);
		const columns = readColumns(get('columns'), run.context.getInputData()[itemIndex]?.json ?? {});
		const card = await run.card(get('cardId'), request);
		const write = { card, columns, options, request };
		return await withLiveFields(run, write, async (index, data) => {
			const output = recordOutput(index, true, options);
			return [output(await create(run, write, data))];
		});
	},
});
