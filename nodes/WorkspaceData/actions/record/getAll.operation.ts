import type { JsonObject } from '../../model/shapes';
import { MAX_PAGE_SIZE } from '../../transport/listings';
import { cardLocator } from '../../ui/locators';
import { limitProperty, returnAllProperty } from '../../ui/pagination';
import {
	fieldKeysOption,
	outputFieldsOption,
	timeoutOption,
	recordOptions,
} from '../../ui/recordOptions';
import { simplifyProperty } from '../../ui/simplify';
import { readLimit } from '../limit';
import { defineOperation } from '../operation';
import { matchTypeProperty, readFilter } from './filters';
import { recordOutput } from './output';
import { requestOptions } from './requestOptions';

export const getManyRecords = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many records',
	description: 'Retrieve a list of records',
	properties: [
		cardLocator,
		returnAllProperty,
		limitProperty,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add Condition',
			default: {},
			options: [
				{
					displayName: 'Conditions',
					name: 'conditions',
					values: [
						{
							displayName: 'Field Name or ID',
							name: 'field',
							type: 'options',
							typeOptions: {
								loadOptionsMethod: 'getFilterFields',
								loadOptionsDependsOn: ['cardId.value'],
							},
							default: '',
							description:
								'The field to compare. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
						},
						{
							displayName: 'Condition',
							name: 'condition',
							type: 'options',
							options: [
								{ name: 'Contains', value: 'contains' },
								{ name: 'Does Not Contain', value: 'notContains' },
								{ name: 'Does Not Equal', value: 'notEquals' },
								{ name: 'Ends With', value: 'endsWith' },
								{ name: 'Equals', value: 'equals' },
								{ name: 'Greater Than', value: 'greaterThan' },
								{ name: 'Greater Than or Equal', value: 'greaterOrEqual' },
								{ name: 'Is Empty', value: 'isEmpty' },
								{ name: 'Is Not Empty', value: 'isNotEmpty' },
								{ name: 'Less Than', value: 'lessThan' },
								{ name: 'Less Than or Equal', value: 'lessOrEqual' },
								{ name: 'Starts With', value: 'startsWith' },
							],
							default: 'equals',
							description:
								'How to compare. The conditions about parts of a text ignore upper and lower case; Equals does not.',
						},
						{
							displayName: 'Value',
							name: 'value',
							type: 'string',
							default: '',
							description:
								'The value to compare with; a date as YYYY-MM-DD (in the time zone of the workflow where times are compared), yes or no as true or false',
							displayOptions: { hide: { condition: ['isEmpty', 'isNotEmpty'] } },
						},
					],
				},
			],
			description: 'Conditions that records have to meet',
		},
		matchTypeProperty,
		{
			displayName:
				'The service cannot filter: with conditions, all records of the card are read and filtered here',
			name: 'filterNotice',
			type: 'notice',
			default: '',
		},
		simplifyProperty,
		recordOptions([fieldKeysOption, outputFieldsOption, timeoutOption]),
	],
	async execute({ run, get }) {
		const options = get('options');
		const request = requestOptions(options);
		const limit = readLimit(get('returnAll'), get('limit'));
		const card = await run.card(get('cardId'), request);
		const index = await run.fields(card, request);
		const output = recordOutput(index, get('simple'), options);
		const passes = readFilter(get('filters'), get('matchType'), index, run);
		const listing = run.records(card, passes ? Infinity : limit, request);
		const results: JsonObject[] = [];
		let read = 0;
		while (results.length < limit) {
			const part = await listing.part(read, MAX_PAGE_SIZE);
			if (part.length === 0) break;
			// For a further item the listing is there already: nothing else would pause.
			await run.turn();
			for (const record of part) {
				if (results.length === limit) break;
				read += 1;
				if (!passes || passes(record)) results.push(output(record));
			}
		}
		if (passes && read > MAX_PAGE_SIZE) {
			const advice = limit === Infinity ? '' : " A lower 'Limit' ends the reading earlier.";
			run.hint(
				`${read} records were read to find ${results.length}: the service cannot filter.${advice}`,
			);
		}
		return results;
	},
});
