import { cardLocator } from '../../properties/locators';
import {
	pageLimitProperty,
	readingOptions,
	recordOptions,
	simplifyProperty,
} from '../../properties/recordOptions';
import { recordsOf } from '../../transport/api';
import { plainText } from '../../values/messageText';
import { defineOperation, eachItem } from '../operation/defineOperation';
import { openReading } from './openReading';

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
		const limit = get('limit');
		const cursor = plainText(get('cursor') ?? '').trim();
		const opened = await openReading(run, get('cardId'), get('simple'), get('options'));
		const { card, output, request } = opened;
		const query = { limit, ...(cursor !== '' && { cursor }) };
		const { things: records, nextCursor } = await run.api.page(recordsOf(card.id), query, request);
		return [{ records: records.map((record) => output(record)), next_cursor: nextCursor }];
	}),
});
