import type { JsonObject } from '../../model/shapes';
import { MAX_PAGE_SIZE } from '../../transport/listings';
import { filterNotice, filtersProperty } from '../../ui/filters';
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
		filtersProperty,
		matchTypeProperty,
		filterNotice,
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
		const results: JsonObject[] = [];
		let read = 0;
		for await (const record of run.records(card, passes ? Infinity : limit, request)) {
			read += 1;
			if (passes && !passes(record)) continue;
			results.push(output(record));
			if (results.length === limit) break;
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
