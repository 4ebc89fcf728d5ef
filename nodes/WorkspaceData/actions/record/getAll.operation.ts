import { filterProperties } from '../../properties/filters';
import { noRecordsOption } from '../../properties/ifNotFound';
import { cardLocator } from '../../properties/locators';
import {
	directionProperty,
	limitProperty,
	returnAllProperty,
	searchProperty,
	sinceNotice,
	sinceProperty,
	sortProperty,
} from '../../properties/readOptions';
import { readingOptions, recordOptions } from '../../properties/recordOptions';
import { simplifyProperty } from '../../properties/simplify';
import { readFilter, readSearch } from '../../records/filter';
import { recordOutput } from '../../records/recordOutput';
import type { Run } from '../../records/run';
import { SinceLastRun } from '../../records/since';
import { readSort, sortRecords } from '../../records/sort';
import type { DataRecord } from '../../transport/api';
import { InputError } from '../../values/inputError';
import type { JsonObject } from '../../values/jsonObject';
import { defineOperation, eachItem, type GetOf } from '../operation';
import { outputOptions, readChoice, readLimit, requestOptions } from '../readParameters';

const properties = [
	cardLocator,
	returnAllProperty,
	limitProperty,
	...filterProperties,
	searchProperty,
	sortProperty,
	sinceProperty,
	sinceNotice,
	simplifyProperty,
	recordOptions([noRecordsOption, ...readingOptions]),
] as const;
type Property = (typeof properties)[number];

export const getManyRecords = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many records',
	description: 'Retrieve records that meet conditions, match a text, or are new',
	properties,
	async execute(run, parameters) {
		const since = new SinceLastRun(run);
		const getMany = eachItem<Property>(async (_, get) => await recordsOf(run, get, since));
		const outcomes = await getMany(run, parameters);
		const isFailed = outcomes.items.some(({ error }) => error !== undefined);
		if (run.continues || !isFailed) await since.save();
		return outcomes;
	},
});

async function recordsOf(
	run: Run,
	get: GetOf<Property>,
	since: SinceLastRun,
): Promise<JsonObject[]> {
	const { request, limit, isSince, ifNone, ...how } = readHow(get);
	const card = await run.findCard(get('cardId'), request);
	const index = await run.fieldsOf(card, request);
	const output = recordOutput(index, how.output);
	const tests = [
		readFilter(get('filters'), get('matchType'), index, run),
		readSearch(get('search'), index),
	].filter((test) => test !== undefined);
	const passes = (record: DataRecord) => tests.every((test) => test(record));
	const orders = readSort(get('sort'), index, toDirection);
	if (isSince && orders.length > 0) throw notSorted();
	const results: JsonObject[] = [];
	let records: DataRecord[] = [];
	if (isSince) records = await since.take(card, passes, limit, request);
	else {
		const wanted = orders.length > 0 || tests.length > 0 ? Infinity : limit;
		// Converted at once if possible, so that records and their items aren't in memory together.
		const take = (record: DataRecord): boolean => {
			if (!passes(record)) return false;
			if (orders.length > 0) records.push(record);
			else results.push(output(record));
			return results.length === limit;
		};
		await run.readRecords(card, wanted, take, request);
		if (orders.length > 0) records = (await sortRecords(run, records, orders)).slice(0, limit);
	}
	records.reverse();
	for (let record = records.pop(); record; record = records.pop()) {
		await run.breathe();
		results.push(output(record));
	}
	return results.length === 0 && ifNone === 'empty' ? [{}] : results;
}

/** Reads the parameters that need no fields. */
function readHow(get: GetOf<Property>) {
	const options = get('options');
	return {
		ifNone: readChoice(noRecordsOption, options.ifNotFound),
		request: requestOptions(options),
		limit: readLimit(get('returnAll'), get('limit')),
		isSince: readChoice(sinceProperty, get('since')) === 'new',
		output: outputOptions(options, get('simple')),
	};
}

const toDirection = (entered: unknown) => readChoice(directionProperty, entered) ?? 'asc';

const notSorted = (): InputError =>
	new InputError(
		`'${sortProperty.displayName}' can't be used with '${sinceProperty.displayName}'`,
		`New records come oldest first. Remove '${sortProperty.displayName}', or add a Sort node after this one.`,
	);
