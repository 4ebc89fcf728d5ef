import { filterProperties } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { readFilter } from '../../records/filter';
import { defineOperation, eachItem, type Operation } from '../operation/defineOperation';

export const ifRecordExists = existsOperation(true, {
	value: 'ifExists',
	name: 'If Record Exists',
	action: 'If record exists',
	description: 'Keep the input items for which a record meets the conditions',
});

export const ifRecordDoesNotExist = existsOperation(false, {
	value: 'ifNotExists',
	name: 'If Record Does Not Exist',
	action: "If record doesn't exist",
	description: 'Keep the input items for which no record meets the conditions',
});

/**
 * Defines an operation that passes on input items, depending on a record. Reading stops at the first record that
 * meets the conditions. Without conditions any record counts.
 *
 * @param wanted true to pass on an item if such a record exists; false if none exists
 */
function existsOperation(
	wanted: boolean,
	names: Pick<Operation, 'value' | 'name' | 'action' | 'description'>,
): Operation {
	return defineOperation({
		...names,
		passesOn: true,
		properties: [cardLocator, ...filterProperties],
		execute: eachItem(async (run, get, itemIndex) => {
			const card = await run.findCard(get('cardId'));
			const index = await run.fieldsOf(card);
			const passes = readFilter(get('filters'), get('matchType'), index, run);
			let exists = false;
			await run.readRecords(card, Infinity, (record) => (exists = passes?.(record) !== false));
			const item = run.context.getInputData()[itemIndex];
			return exists === wanted && item ? [item.json] : [];
		}),
	});
}
