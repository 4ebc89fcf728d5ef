import { cardLocator } from '../../properties/locators';
import { pageLimitProperty } from '../../properties/readOptions';
import { readingOptions, recordOptions } from '../../properties/recordOptions';
import { simplifyProperty } from '../../properties/simplify';
import { recordOutput } from '../../records/recordOutput';
import { plainText } from '../../values/parameterValue';
import { defineOperation, eachItem } from '../operation/defineOperation';
import { outputOptions, requestOptions } from '../operation/readParameters';

export const getRecordPageOperation = defineOperation({
	value: 'getPage',
	name: 'Get Page',
	action: 'Get page of records',
	description: 'Retrieve one page of records and the cursor of the next page',
	properties: [
		cardLocator,
		{
			displayName: 'Cursor',
			name: 'cursor',
			type: 'string',
			default: '',
			placeholder: 'e.g. {{ $json.next_cursor }}',
			description: "The 'next_cursor' from the previous page; empty for the first page",
		},
		pageLimitProperty,
		simplifyProperty,
		recordOptions(readingOptions),
	],
	execute: eachItem(async (run, get) => {
		const options = get('options');
		const request = requestOptions(options);
		const limit = get('limit');
		const cursor = plainText(get('cursor') ?? '').trim();
		const how = outputOptions(options, get('simple'));
		const card = await run.findCard(get('cardId'), request);
		const output = recordOutput(await run.fieldsOf(card, request), how);
		const query = { limit, ...(cursor !== '' && { cursor }) };
		const { records, nextCursor } = await run.api.page(card.id, query, request);
		return [{ records: records.map((record) => output(record)), next_cursor: nextCursor }];
	}),
});
