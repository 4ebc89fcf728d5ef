import type { DataRecord } from '../../model/answer/record';
import type { JsonObject } from '../../model/answer/shapes';
import { filterDetails, filtersProperty } from '../../ui/filters';
import { cardLocator } from '../../ui/locators';
import {
	limitProperty,
	noRecordsOption,
	returnAllProperty,
	searchProperty,
	sinceProperty,
	sortProperty,
	simplifyProperty,
	startAgainOption,
} from '../../ui/readOptions';
import {
	fieldKeysOption,
	outputFieldsOption,
	outputFormatOptions,
	requestsPerSecondOption,
	timeoutOption,
	recordOptions,
} from '../../ui/recordOptions';
import { readChoice, readLimit } from '../readParameters';
import { defineOperation } from '../operation';
import { mapInSlices } from '../schedule/yieldToLoop';
import { readFilter, hintAtReading, hintAtShift, scanRecords } from '../reading/scan';
import { recordOutput, wantedFields } from '../outputItems';
import { requestOptions } from '../requestOptions';
import { readSearch } from '../../model/value/recordFilter';
import { notReturnedBefore } from '../reading/since';
import { readSort } from '../reading/sort';

/** A test that passes where all of these do; undefined where there are none. */
function all(
	...tests: Array<((record: DataRecord) => boolean) | undefined>
): ((record: DataRecord) => boolean) | undefined {
	const given = tests.filter((test) => test !== undefined);
	return given.length > 0 ? (record) => given.every((test) => test(record)) : undefined;
}

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
		recordOptions([
			fieldKeysOption,
			noRecordsOption,
			outputFieldsOption,
			...outputFormatOptions,
			requestsPerSecondOption,
			startAgainOption,
			timeoutOption,
		]),
	],
	async execute({ run, get }) {
		const options = get('options');
		const isEmptyWanted = readChoice(noRecordsOption, options.ifNotFound) === 'empty';
		const orEmpty = (found: JsonObject[]): JsonObject[] =>
			found.length === 0 && isEmptyWanted ? [{}] : found;
		const request = requestOptions(options);
		const limit = readLimit(get('returnAll'), get('limit'));
		const by = readChoice(sinceProperty, get('since')) ?? 'all';
		const card = await run.cards.find(get('cardId'), request);
		const index = await run.fields.of(card, request);
		const output = recordOutput(index, get('simple'), options);
		const filter = readFilter(get('filters'), get('matchType'), index, run);
		const passes = all(filter, readSearch(get('search'), index));
		const sort = readSort(get('sort'), index, run);
		if (by !== 'all') {
			const mark = String(options.startAgain ?? '');
			const fields = wantedFields(index, options.outputFields)?.map(({ id }) => id);
			const query = { by, mark, passes, limit, fields };
			const { records, read } = await notReturnedBefore(run, card, index, query, request);
			filter?.requireSeen();
			hintAtReading(run, read, { limit, needsAll: true });
			const inOrder = sort ? await sort(records) : records;
			return orEmpty(await mapInSlices(run.yieldToLoop, inOrder, output));
		}
		const listing = run.records.of(card, passes || sort ? Infinity : limit, request);
		if (sort) {
			const found: DataRecord[] = [];
			const keep = (record: DataRecord): boolean => {
				if (!passes || passes(record)) found.push(record);
				return false;
			};
			const read = await scanRecords(run, listing, keep, true);
			hintAtShift(run, listing, card.name);
			filter?.requireSeen();
			hintAtReading(run, read, { limit, needsAll: true });
			const first = (await sort(found)).slice(0, limit);
			return orEmpty(await mapInSlices(run.yieldToLoop, first, output));
		}
		// At once, so that records and their output are not in memory together.
		const results: JsonObject[] = [];
		const take = (record: DataRecord): boolean => {
			if (!passes || passes(record)) results.push(output(record));
			return results.length === limit;
		};
		const read = await scanRecords(run, listing, take, !passes || limit === Infinity);
		hintAtShift(run, listing, card.name);
		if (results.length < limit) filter?.requireSeen();
		if (passes) hintAtReading(run, read, { limit });
		return orEmpty(results);
	},
});
