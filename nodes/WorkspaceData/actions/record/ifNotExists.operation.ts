import { filterNotice, filtersProperty } from '../../ui/filters';
import { cardLocator } from '../../ui/locators';
import { defineOperation } from '../operation';
import { passOnIf } from './exists';
import { matchTypeProperty } from './filters';

export const ifRecordDoesNotExist = defineOperation({
	value: 'ifNotExists',
	name: 'If Record Does Not Exist',
	action: 'If a record does not exist',
	description: 'Keep the input items for which no record meets the conditions',
	passesOn: true,
	properties: [cardLocator, filtersProperty, matchTypeProperty, filterNotice],
	async execute({ run, itemIndex, get }) {
		const parameters = {
			cardId: get('cardId'),
			filters: get('filters'),
			matchType: get('matchType'),
		};
		return await passOnIf(run, itemIndex, parameters, false);
	},
});
