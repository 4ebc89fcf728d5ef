import { columnsMapper, columnsProperty } from '../../ui/columns';
import { cardLocator } from '../../ui/locators';
import { recordOptions } from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { prepareWrite, withLiveFields } from '../writing/liveFields';
import { recordOutput } from '../output';
import { create } from '../writing/write';
import { writeOptions } from '../../ui/writeOptions';

/** The label of the mapper in the editor. */
const VALUES_LABEL = 'Values to Send';

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
					valuesLabel: VALUES_LABEL,
					addAllFields: true,
					multiKeyMatch: false,
				},
			},
		},
		recordOptions(writeOptions),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const parameters = { cardId: get('cardId'), columns: get('columns'), options };
		const write = await prepareWrite(run, itemIndex, parameters, VALUES_LABEL);
		return await withLiveFields(run, write, async ({ index, data }) => {
			const output = recordOutput(index, true, options);
			return [output(await create(run, write, data))];
		});
	},
});
