import { readLocator } from '../../records/locator';
import { cardLocator, recordLocator } from '../../properties/locators';
import { outputOptions, readingOptions, recordOptions } from '../../properties/recordOptions';
import { simplifyProperty } from '../../properties/simplify';
import { defineOperation } from '../operation';
import { findRecord, readNotFound } from '../reading/ifNotFound';
import { recordOutput } from '../outputItems';
import { requestOptions } from '../requestOptions';
import { ifNotFoundOption } from '../../properties/ifNotFound';

export const getRecord = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get record',
	description: 'Retrieve a record by its ID',
	properties: [
		cardLocator,
		recordLocator,
		simplifyProperty,
		recordOptions([ifNotFoundOption, ...outputOptions, ...readingOptions]),
	],
	async execute({ run, get }) {
		const options = get('options');
		const request = requestOptions(options);
		const whenNotFound = readNotFound(options.ifNotFound);
		const { text: recordId } = readLocator(get('recordId'), 'Record');
		const card = await run.cards.find(get('cardId'), request);
		const output = recordOutput(await run.fields.of(card, request), get('simple'), options);
		return await findRecord(run, { card, request }, recordId)
			.then((record) => [output(record)])
			.catch(whenNotFound);
	},
});
