import { plainText } from '../../values/parameterValue';
import { cardLocator } from '../../properties/locators';
import { pageLimitProperty } from '../../properties/readOptions';
import { simplifyProperty } from '../../properties/simplify';
import { outputOptions, readingOptions, recordOptions } from '../../properties/recordOptions';
import { readLimit } from '../readParameters';
import { defineOperation } from '../operation';
import { recordOutput } from '../outputItems';
import { requestOptions } from '../requestOptions';
import { getRecordPage } from '../../transport/recordListing';

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
		recordOptions([...outputOptions, ...readingOptions]),
	],
	async execute({ run, get }) {
		const options = get('options');
		const request = requestOptions(options);
		const limit = readLimit(undefined, get('limit'));
		const cursor = plainText(get('cursor') ?? '').trim();
		const card = await run.cards.find(get('cardId'), request);
		const output = recordOutput(await run.fields.of(card, request), get('simple'), options);
		const query = { limit, ...(cursor !== '' && { cursor }) };
		const page = await getRecordPage(run.session, card.id, query, request);
		return [{ records: page.records.map(output), next_cursor: page.nextCursor }];
	},
});
