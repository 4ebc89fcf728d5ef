import { columnsMapper, columnsProperty } from '../../ui/columns';
import { filterNotice, filtersProperty } from '../../ui/filters';
import { cardLocator } from '../../ui/locators';
import {
	emptyValuesOption,
	fieldKeysOption,
	maxParallelOption,
	missingChoicesOption,
	outputFieldsOption,
	recordOptions,
	timeoutOption,
	unknownFieldsOption,
} from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { changeMany, requireConditions } from './bulk';
import { requireData, toRecordData } from './columns';
import { matchTypeProperty } from './filters';
import { fieldsFor, prepareWrite } from './liveFields';
import { recordOutput } from './output';
import { update } from './write';

/** What the editor calls the mapper. */
const VALUES_LABEL = 'Values to Update';

export const updateManyRecords = defineOperation({
	value: 'updateMany',
	name: 'Update Many',
	action: 'Update many records',
	description: 'Change values of all records that meet conditions',
	writes: true,
	properties: [
		cardLocator,
		filtersProperty,
		matchTypeProperty,
		filterNotice,
		{
			...columnsProperty,
			typeOptions: {
				loadOptionsDependsOn: ['cardId.value'],
				resourceMapper: {
					...columnsMapper,
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
			maxParallelOption,
			missingChoicesOption,
			outputFieldsOption,
			timeoutOption,
			unknownFieldsOption,
		]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const conditions = { filters: get('filters'), matchType: get('matchType') };
		requireConditions(conditions);
		const parameters = { cardId: get('cardId'), columns: get('columns'), options };
		const write = await prepareWrite(run, itemIndex, parameters, VALUES_LABEL, true);
		const { card, columns, request } = write;
		const index = write.preview ?? (await run.fields(card, request));
		const typed = await fieldsFor(run, write, index, request);
		await run.turn();
		const data = requireData(toRecordData(run, columns, typed, options), columns);
		const output = recordOutput(index, true, options);
		const updated = await changeMany(
			run,
			card,
			// The conditions are about the fields that there are, in a dry run, too.
			write.preview ? await run.fields(card, request) : index,
			conditions,
			request,
			async (record) => await update(run, write, data, record.id, record),
			'updated',
		);
		return updated.map(({ state }) => output(state));
	},
});
