import { filterDetails, filtersProperty } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import { defineOperation, type Operation } from '../operation';
import { readFilter, readPassing } from '../reading/scan';

/** The name of an operation in the editor. */
type Names = Pick<Operation, 'value' | 'name' | 'action' | 'description'>;

/**
 * Defines an operation that passes on input items, depending on a record. Reading stops at the first record that
 * meets the conditions. Without conditions any record counts.
 *
 * @param wanted true to pass on an item if such a record exists; false if none exists
 */
export const existsOperation = (names: Names, wanted: boolean): Operation =>
	defineOperation({
		...names,
		passesOn: true,
		properties: [cardLocator, filtersProperty, ...filterDetails],
		async execute({ run, itemIndex, get }) {
			const card = await run.cards.find(get('cardId'));
			const index = await run.fields.of(card);
			const filter = readFilter(get('filters'), get('matchType'), index, run);
			const listing = run.records.of(card, Infinity);
			let exists = false;
			await readPassing(run, { card, listing, filter }, () => (exists = true));
			const item = run.context.getInputData()[itemIndex];
			return exists === wanted && item ? [item.json] : [];
		},
	});

export const ifRecordExists = existsOperation(
	{
		value: 'ifExists',
		name: 'If Record Exists',
		action: 'If record exists',
		description: 'Keep the input items for which a record meets the conditions',
	},
	true,
);
