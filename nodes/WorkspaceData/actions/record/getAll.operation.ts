import type { DataRecord } from '../../model/record';
import type { JsonObject } from '../../model/shapes';
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
import { hintAtReading, scanRecords } from './scan';

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
		const listing = run.records(card, passes ? Infinity : limit, request);
		const results: JsonObject[] = [];
		const take = (record: DataRecord): boolean => {
			if (!passes || passes(record)) results.push(output(record));
			return results.length === limit;
		};
		const read = await scanRecords(run, listing, take, !passes || limit === Infinity);
		if (passes) {
			const advice = limit === Infinity ? '' : "A lower 'Limit' ends the reading earlier.";
			hintAtReading(run, read, advice);
		}
		return results;
	},
});
