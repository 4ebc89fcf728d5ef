import { comparedField, filterProperties } from '../../properties/filters';
import {
	ifNotFoundOption,
	limitProperty,
	readingOptions,
	recordOptions,
	returnAllProperty,
	simplifyProperty,
} from '../../properties/recordOptions';
import { cardLocator } from '../../properties/locators';
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

const searchProperty = {
	displayName: 'Search',
	name: 'search',
	type: 'string',
	default: '',
	placeholder: 'e.g. invoice',
	description: 'Text to look for in all fields of the card, in upper or lower case',
} as const;

const sortProperty = {
	displayName: 'Sort',
	name: 'sort',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Field',
	default: {},
	options: [
		{
			displayName: 'Field',
			name: 'by',
			values: [
				{
					...comparedField,
					description:
						'The field to sort by. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
				},
				{
					displayName: 'Direction',
					name: 'direction',
					type: 'options',
					options: [
						{ name: 'Ascending', value: 'asc' },
						{ name: 'Descending', value: 'desc' },
					],
					default: 'asc',
					description: 'Which values come first; records without a value always come last',
				},
			],
		},
	],
	description: 'Fields to sort by; all records are read first',
} as const;

const sinceProperty = {
	displayName: 'Since Last Run',
	name: 'since',
	type: 'options',
	options: [
		{ name: 'All Records', value: 'all' },
		{
			name: 'New Records',
			value: 'new',
			description: 'Return records created since this node last returned some, oldest first',
		},
	],
	default: 'all',
	description: 'Which records to return',
} as const;

const properties = [
	cardLocator,
	returnAllProperty,
	limitProperty,
	...filterProperties,
	searchProperty,
	sortProperty,
	sinceProperty,
	{
		displayName:
			'Counts only when the published workflow runs by itself. Its first run returns all records. A manual run shows what the next one would return.',
		name: 'sinceNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { since: ['new'] } },
	},
	simplifyProperty,
	recordOptions([
		{
			...ifNotFoundOption,
			options: [
				ifNotFoundOption.options[0],
				{
					name: 'Output Nothing',
					value: 'nothing',
					description: 'Return no item; if no input item has one, the branch ends here',
				},
			],
			default: 'nothing',
			description: 'How to continue if there is no record to return',
		},
		...readingOptions,
	]),
] as const;
type Property = (typeof properties)[number];

export const getManyRecords = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many records',
	description: 'Retrieve records that meet conditions, match a search, or are new',
	properties,
	async execute(run, parametersOf) {
		const since = new SinceLastRun(run);
		const getMany = eachItem<Property>(async (_, get) => await recordsOf(run, get, since));
		const outcomes = await getMany(run, parametersOf);
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
