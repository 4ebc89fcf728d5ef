import { matchColumnsProperty, selectCardNotice, VALUES_LABEL } from '../../properties/columns';
import { ifNotFoundOption, recordOptions } from '../../properties/recordOptions';
import { cardLocator } from '../../properties/locators';
import {
	clearFieldsOption,
	dryRunProperty,
	ignoreCaseOption,
	writeOptions,
} from '../../properties/writeOptions';
import { readMapper } from '../../records/columns';
import { defineOperation } from '../operation/defineOperation';
import { writeItems } from './writeParameters';

export const upsertRecord = defineOperation({
	value: 'upsert',
	name: 'Create or Update',
	action: 'Create or update record',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	writes: true,
	properties: [
		cardLocator,
		selectCardNotice,
		matchColumnsProperty,
		dryRunProperty,
		recordOptions([
			...writeOptions,
			clearFieldsOption,
			{
				...ifNotFoundOption,
				description: "How to continue if no record matches and 'Upsert Mode' is 'Update Only'",
			},
			ignoreCaseOption,
			{
				displayName: 'Multiple Matches',
				name: 'multipleMatches',
				type: 'options',
				options: [
					{ name: 'Throw an Error', value: 'error' },
					{ name: 'Update All', value: 'all', description: 'Update every record that matches' },
					{
						name: 'Update First',
						value: 'first',
						description: 'Update the oldest record that matches',
					},
				],
				default: 'error',
				description: 'How to treat several matching records',
			},
			{
				displayName: 'Upsert Mode',
				name: 'upsertMode',
				type: 'options',
				options: [
					{ name: 'Create Only', value: 'createOnly' },
					{ name: 'Create or Update', value: 'createOrUpdate' },
					{ name: 'Update Only', value: 'updateOnly' },
				],
				default: 'createOrUpdate',
				description: 'If records are created, updated, or both',
			},
		]),
	],
	execute: writeItems(VALUES_LABEL, (get) => {
		const { upsertMode: mode, multipleMatches, ifNotFound, ignoreCase } = get('options');
		const mapper = get('columns');
		const policies = { mode, multipleMatches, ignoresCase: ignoreCase ?? false };
		return {
			...{ mapper, isDry: get('dryRun'), ifNotFound },
			find: { by: 'key', matching: readMapper(mapper), ...policies },
		};
	}),
});
