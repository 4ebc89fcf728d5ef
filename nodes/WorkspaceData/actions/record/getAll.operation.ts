import { filterProperties } from '../../properties/filters';
import { noRecordsOption } from '../../properties/ifNotFound';
import { cardLocator } from '../../properties/locators';
import {
	limitProperty,
	returnAllProperty,
	searchProperty,
	sinceNotice,
	sinceProperty,
	sortProperty,
} from '../../properties/readOptions';
import { readingOptions, recordOptions } from '../../properties/recordOptions';
import { simplifyProperty } from '../../properties/simplify';
import { readFilter, searchTest } from '../../records/filter';
import { recordOutput } from '../../records/recordOutput';
import type { Run } from '../../records/run';
import { SinceLastRun } from '../../records/since';
import { readSort, sortRecords } from '../../records/sort';
import type { DataRecord } from '../../transport/api';
import { InputError } from '../../values/inputError';
import type { JsonObject } from '../../values/jsonObject';
import { defineOperation, eachItem, type GetOf } from '../operation/defineOperation';
import { outputOptions, readText, requestOptions } from '../operation/readParameters';

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
	description: 'Retrieve records that meet conditions, match a search, or are new',
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
	const options = get('options');
	const request = requestOptions(options);
	const limit = get('returnAll') ? Infinity : get('limit');
	const isSince = get('since') === 'new';
	const search = readText(get('search'), searchProperty.displayName).trim();
	const sortBy = get('sort').by ?? [];
	if (isSince && sortBy.length > 0) throw notSorted();
	const how = outputOptions(options, get('simple'));
	const card = await run.findCard(get('cardId'), request);
	const index = await run.fieldsOf(card, request);
	const output = recordOutput(index, how);
	const tests = [
		readFilter(get('filters'), get('matchType'), index, run),
		searchTest(search, index),
	].filter((test) => test !== undefined);
	const passes = (record: DataRecord) => tests.every((test) => test(record));
	const orders = readSort(sortBy, index);
	const results: JsonObject[] = [];
	const add = (record: DataRecord) => results.push(output(record)) === limit;
	if (isSince) await convertAll(run, await since.take(card, passes, limit, request), add);
	else if (orders.length > 0) {
		const records: DataRecord[] = [];
		const take = (record: DataRecord) => void (passes(record) && records.push(record));
		await run.readRecords(card, Infinity, take, request);
		await convertAll(run, (await sortRecords(run, records, orders)).slice(0, limit), add);
	} else {
		const wanted = tests.length > 0 ? Infinity : limit;
		await run.readRecords(card, wanted, (record) => passes(record) && add(record), request);
	}
	return results.length === 0 && options.ifNotFound === 'empty' ? [{}] : results;
}

/** Converts records, and lets go of each: records and their items aren't in memory together. */
async function convertAll(
	run: Run,
	records: DataRecord[],
	add: (record: DataRecord) => unknown,
): Promise<void> {
	records.reverse();
	for (let record = records.pop(); record; record = records.pop()) {
		await run.breathe();
		add(record);
	}
}

const notSorted = (): InputError =>
	new InputError(
		`'${sortProperty.displayName}' can't be used with '${sinceProperty.displayName}'`,
		`New records come oldest first. Remove '${sortProperty.displayName}', or add a Sort node after this one.`,
	);
