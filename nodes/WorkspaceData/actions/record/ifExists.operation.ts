import { filterNotice, filtersProperty } from '../../ui/filters';
import { cardLocator } from '../../ui/locators';
import { defineOperation } from '../operation';
import { passOnIf } from './exists';
import { matchTypeProperty } from './filters';

export const ifRecordExists = defineOperation({
	value: 'ifExists',
	name: 'If Record Exists',
	action: 'If a record exists',
	description: 'Keep the input items for which a record meets the conditions',
	passesOn: true,
	properties: [cardLocator, filtersProperty, matchTypeProperty, filterNotice],
	async execute({ run, itemIndex, get }) {
		const parameters = {
			cardId: get('cardId'),
			filters: get('filters'),
			matchType: get('matchType'),
		};
		return await passOnIf(run, itemIndex, parameters, true);
	},
});
