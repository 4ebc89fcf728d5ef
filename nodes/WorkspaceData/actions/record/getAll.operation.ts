import { filterProperties } from '../../properties/filters';
import {
	noRecordsOption,
	readingOptions,
	recordOptions,
	simplifyProperty,
} from '../../properties/recordOptions';
import { cardLocator } from '../../properties/locators';
import {
	limitProperty,
	returnAllProperty,
	searchProperty,
	sinceNotice,
	sinceProperty,
	sortProperty,
} from '../../properties/readOptions';
import { readFilter, searchTest } from '../../records/filter';
import type { Run } from '../../records/run';
import { SinceLastRun } from '../../records/since';
import { readSort, sortRecords } from '../../records/sort';
import type { DataRecord } from '../../transport/api';
import { InputError } from '../../values/inputError';
import type { JsonObject } from '../../values/json';
import { defineOperation, eachItem, type GetOf } from '../operation/defineOperation';
import { readText } from '../operation/readParameters';
import { openReading } from './openReading';

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
	const limit = get('returnAll') ? Infinity : get('limit');
	const isSince = get('since') === 'new';
	const search = readText(get('search'), searchProperty.displayName).trim();
	const sortBy = get('sort').by ?? [];
	if (isSince && sortBy.length > 0) throw notSorted();
	const opened = await openReading(run, get('cardId'), get('simple'), options);
	const { card, index, output, request } = opened;
	const tests = [
		readFilter(get('filters'), get('matchType'), index, run),
		searchTest(search, index),
	].filter((test) => test !== undefined);
	const passes = (record: DataRecord) => tests.every((test) => test(record));
	const orders = readSort(sortBy, index);
	const results: JsonObject[] = [];
	const add = (record: DataRecord) => results.push(output(record)) === limit;
	if (!isSince && orders.length === 0) {
		const wanted = tests.length > 0 ? Infinity : limit;
		await run.readRecords(card, wanted, (record) => passes(record) && add(record), request);
	} else {
		const found: DataRecord[] = [];
		const take = (record: DataRecord) => void (passes(record) && found.push(record));
		if (!isSince) await run.readRecords(card, Infinity, take, request);
		const inOrder = isSince
			? await since.take(card, passes, limit, request)
			: await sortRecords(run, found, orders);
		for (const record of inOrder.slice(0, limit)) {
			await run.breathe();
			add(record);
		}
	}
	return results.length === 0 && options.ifNotFound === 'empty' ? [{}] : results;
}

const notSorted = (): InputError =>
	new InputError(
		`'${sortProperty.displayName}' can't be used with '${sinceProperty.displayName}'`,
		`New records come oldest first. Remove '${sortProperty.displayName}', or add a Sort node after this one.`,
	);
