import { readLocator } from '../../model/locator';
import { columnsMapper, columnsProperty } from '../../ui/columns';
import { cardLocator, recordLocator } from '../../ui/locators';
import {
	emptyValuesOption,
	fieldKeysOption,
	ifNotFoundOption,
	maxParallelOption,
	outputFieldsOption,
	timeoutOption,
	unknownFieldsOption,
	recordOptions,
} from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { readColumns } from './columns';
import { withLiveFields } from './liveFields';
import { isRecordNotFound, readNotFound } from './notFound';
import { recordOutput } from './output';
import { requestOptions } from './requestOptions';
import { update } from './write';

export const updateRecord = defineOperation({
	value: 'update',
	name: 'Update',
	action: 'Update a record',
	description: 'Change values of a record',
	writes: true,
	properties: [
		cardLocator,
		recordLocator,
		{
			...columnsProperty,
			typeOptions: {
				loadOptionsDependsOn: ['cardId.value'],
				resourceMapper: {
					...columnsMapper,
					// The record is chosen above, so there is nothing to match: the mode without matching.
					mode: 'add',
					valuesLabel: 'Values to Update',
					addAllFields: false,
					multiKeyMatch: false,
				},
			},
		},
		recordOptions([
			emptyValuesOption,
			fieldKeysOption,
			ifNotFoundOption,
			maxParallelOption,
			outputFieldsOption,
			timeoutOption,
			unknownFieldsOption,
		]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const request = requestOptions(options);
		const whenNotFound = readNotFound(options.ifNotFound);
		const { text: recordId } = readLocator(get('recordId'), 'Record');
		const columns = readColumns(get('columns'), run.context.getInputData()[itemIndex]?.json ?? {});
		const card = await run.card(get('cardId'), request);
		const write = { card, columns, options, request };
		return await withLiveFields(run, write, async (index, data) => {
			const output = recordOutput(index, true, options);
			return [output(await update(run, write, data, recordId))];
		}).catch((error: unknown) => {
			if (isRecordNotFound(error)) return whenNotFound(error);
			throw error;
		});
	},
});
