import { readLocator } from '../../model/locator';
import { columnsMapper, columnsProperty } from '../../ui/columns';
import { cardLocator, recordLocator } from '../../ui/locators';
import {
	emptyValuesOption,
	fieldKeysOption,
	ifNotFoundOption,
	maxParallelOption,
	missingChoicesOption,
	outputFieldsOption,
	timeoutOption,
	unknownFieldsOption,
	recordOptions,
} from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { prepareWrite, withLiveFields } from './liveFields';
import { isRecordNotFound, readNotFound } from './notFound';
import { recordOutput } from './output';
import { update } from './write';

/** What the editor calls the mapper. */
const VALUES_LABEL = 'Values to Update';

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
					valuesLabel: VALUES_LABEL,
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
			missingChoicesOption,
			outputFieldsOption,
			timeoutOption,
			unknownFieldsOption,
		]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const whenNotFound = readNotFound(options.ifNotFound);
		const { text: recordId } = readLocator(get('recordId'), 'Record');
		const parameters = { cardId: get('cardId'), columns: get('columns'), options };
		const write = await prepareWrite(run, itemIndex, parameters, VALUES_LABEL);
		return await withLiveFields(run, write, async (index, data) => {
			const output = recordOutput(index, true, options);
			return [output(await update(run, write, data, recordId))];
		}).catch((error: unknown) => {
			if (isRecordNotFound(error)) return whenNotFound(error);
			throw error;
		});
	},
});
