import type { DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/jsonObject';
import { filterDetails, filtersProperty } from '../../properties/filters';
import { cardLocator } from '../../properties/locators';
import {
	limitProperty,
	returnAllProperty,
	searchProperty,
	sinceProperty,
	sortProperty,
	startAgainOption,
} from '../../properties/readOptions';
import { simplifyProperty } from '../../properties/simplify';
import { outputOptions, readingOptions, recordOptions } from '../../properties/recordOptions';
import { readChoice, readLimit } from '../readParameters';
import { noRecordsOption } from '../../properties/ifNotFound';
import { defineOperation } from '../operation';
import { eachInSlices } from '../schedule/yieldToLoop';
import { readFilter, readPassing } from '../reading/scan';
import { recordOutput, wantedFields } from '../outputItems';
import { requestOptions } from '../requestOptions';
import { readSearch } from '../../records/filter';
import { notReturnedBefore } from '../reading/since';
import { readSort } from '../reading/sort';

export const getManyRecords = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many records',
	description: 'Retrieve records that meet conditions, match a text, or are new',
	properties: [
		cardLocator,
		returnAllProperty,
		limitProperty,
		filtersProperty,
		...filterDetails,
		searchProperty,
		sortProperty,
		sinceProperty,
		simplifyProperty,
		recordOptions([noRecordsOption, ...outputOptions, ...readingOptions, startAgainOption]),
	],
	async execute({ run, get }) {
		const options = get('options');
		const ifNone = readChoice(noRecordsOption, options.ifNotFound);
		const request = requestOptions(options);
		const limit = readLimit(get('returnAll'), get('limit'));
		const by = readChoice(sinceProperty, get('since')) ?? 'all';
		const card = await run.cards.find(get('cardId'), request);
		const index = await run.fields.of(card, request);
		const output = recordOutput(index, get('simple'), options);
		const filter = readFilter(get('filters'), get('matchType'), index, run);
		const search = readSearch(get('search'), index);
		const hasTests = filter !== undefined || search !== undefined;
		const passes = (record: DataRecord) => filter?.(record) !== false && search?.(record) !== false;
		const sort = readSort(get('sort'), index, run);
		const results: JsonObject[] = [];
		let found: DataRecord[] = [];
		if (by === 'all') {
			const wanted = {
				card,
				listing: run.records.of(card, sort || hasTests ? Infinity : limit, request),
				filter,
				passes,
				toTheEnd: !hasTests || sort !== undefined || limit === Infinity,
			};
			await readPassing(run, wanted, (record) => {
				// Converted immediately if possible, so that records and their output aren't in memory together.
				if (sort) found.push(record);
				else results.push(output(record));
				return results.length === limit;
			});
		} else {
			const mark = String(options.startAgain ?? '');
			const fields = wantedFields(index, options.outputFields)?.map(({ id }) => id);
			const query = { by, mark, filter, passes, limit, fields };
			found = await notReturnedBefore(run, card, index, query, request);
		}
		const inOrder = sort ? (await sort(found)).slice(0, limit) : found;
		await eachInSlices(run.yieldToLoop, inOrder, (record) => void results.push(output(record)));
		return results.length === 0 && ifNone === 'empty' ? [{}] : results;
	},
});
