/** Operations that write records: the parameters that they have in common, and their work. */
import {
	booleanWordsOption,
	type clearFieldsOption,
	type fieldTypesOption,
	type writeOptions,
} from '../../properties/writeOptions';
import { mapsNothing, readColumns } from '../../records/columns';
import { noValue } from '../../records/convert';
import type { Entry, FieldTypes, WriteSettings } from '../../records/entry';
import type { Filters, MatchType } from '../../records/filter';
import type { Locator } from '../../records/locator';
import type { Run } from '../../records/run';
import { isSync } from '../../records/write';
import { writeRecords } from '../../records/writeRecords';
import type { Formats } from '../../values/formats';
import { InputError } from '../../values/inputError';
import { cleanName, foldCase } from '../../values/nameSpelling';
import { plainText } from '../../values/messageText';
import { onceForEach } from '../../values/onceForEach';
import type {
	Execute,
	GetOf,
	ParameterValues,
	PropertyDefinition,
} from '../operation/defineOperation';
import { readMost, requestOptions } from '../operation/readParameters';

/** The options of operations that write values; the types of fields only of a card that is made for the items. */
export type WriteOptions = Partial<
	ParameterValues<
		(typeof writeOptions)[number] | typeof clearFieldsOption | typeof fieldTypesOption
	>
>;

/**
 * Opens the options of a run. Without expressions they are one object for all items, and are read once.
 *
 * @param label the mapper's name in the editor
 * @param typesOf for a card that is made for the items: reads the types of its fields
 * @returns reads the options of an item; throws InputError for an unknown value
 */
export function openSettings<Options extends WriteOptions>(
	{ zone }: Run,
	label: string,
	typesOf?: (options: Options) => FieldTypes,
): (options: Options) => WriteSettings {
	return onceForEach((options) => {
		const types = typesOf?.(options) ?? new Map();
		const { missingChoices, emptyValues = 'send' } = options;
		const unknownFields = typesOf ? 'create' : options.unknownFields;
		return {
			request: requestOptions(options),
			rules: {
				...{ zone, emptyValues, formats: readFormats(options) },
				...{ addsFields: unknownFields === 'create', addsChoices: missingChoices === 'add' },
			},
			...{ types, label },
			ignoresUnknown: unknownFields === 'ignore',
			clearFields: options.clearFields ?? [],
		};
	});
}

function readFormats({ numberFormat, dateFormat, booleanWords }: WriteOptions): Formats {
	return {
		number: numberFormat,
		date: dateFormat,
		words: readWords(booleanWords),
	};
}

function readWords(value: unknown): Formats['words'] {
	if (value === undefined || value === null) return undefined;
	const words = Array.isArray(value) ? value.map(plainText) : plainText(value).split(',');
	const [yes = '', no = '', ...more] = words.map(cleanName);
	const isPair = yes !== '' && no !== '' && more.length === 0 && foldCase(yes) !== foldCase(no);
	// These are read in any case.
	if (isPair && !/^(?:false|0)$/i.test(yes) && !/^(?:true|1)$/i.test(no)) return [yes, no];
	throw new InputError(
		`'${booleanWordsOption.displayName}' can't be '${plainText(value)}'`,
		'Enter two different words with a comma between them: the word for true, then the word for false.',
	);
}

export const itemOf = (context: Run['context'], itemIndex: number) =>
	context.getInputData()[itemIndex]?.json ?? {};

/**
 * Reads which records are written by their values.
 *
 * @param most the most records that may be written, and its parameter
 * @throws InputError without a condition, because all records of the card would be written
 */
export function readFind(
	filters: Filters,
	matchType: MatchType,
	most: number,
	{ displayName: label }: { displayName: string },
): Entry['find'] {
	if (!filters.conditions || filters.conditions.length === 0) {
		throw new InputError(
			"'Filters' has no condition",
			'Add at least one condition: without one, this would apply to every record of the card.',
		);
	}
	if (most === 0) {
		const must = `'${label}' must be a whole number of at least 1, or -1 for no limit`;
		throw new InputError(must, `Correct '${label}'.`);
	}
	return { by: 'filter', filters, matchType, most: readMost(most), label };
}

/** What an item writes besides its card and its options. */
interface OwnParameters extends Pick<Entry, 'find'> {
	/** The parameter `columns`; undefined for a deletion. */
	mapper?: unknown;
	isDry?: boolean;
	ifNotFound?: Entry['ifNotFound'];
	readsFirst?: boolean;
}

type CommonParametersOf = (itemIndex: number) => {
	(name: 'cardId'): Locator;
	(name: 'options'): WriteOptions;
};

/**
 * Makes an operation that writes records.
 *
 * @param label the mapper's; '' for deletions
 * @param readOwn reads what only this operation has; throws InputError
 */
export function writeItems<P extends PropertyDefinition>(
	label: string,
	readOwn: (get: GetOf<P>) => OwnParameters,
): Execute<P> {
	return async (run, parametersOf) => {
		const commonOf = parametersOf as unknown as CommonParametersOf;
		const settingsOf = openSettings(run, label);
		return await writeRecords(run, {
			async read(itemIndex, result) {
				const get = commonOf(itemIndex);
				const settings = settingsOf(get('options'));
				const own = readOwn(parametersOf(itemIndex));
				const { mapper, isDry = false, find } = own;
				const deletes = label === '';
				const isExact = isSync(own) || deletes || find.by === 'filter';
				const card = await run.findCard(get('cardId'), settings.request, isExact);
				const columns = deletes ? undefined : columnsOfItem(run, itemIndex, mapper, settings);
				const common = settingsInCommon(settings, isDry, find);
				return { ...own, itemIndex, card, isDry, settings, columns, common, result };
			},
			cardOf: async (itemIndex) => await run.findCard(commonOf(itemIndex)('cardId'), {}, true),
		});
	};
}

/** What all items of a card must have in common, by its labels. */
function settingsInCommon(
	{ request, rules }: WriteSettings,
	isDry: boolean,
	find: Entry['find'],
): Entry['common'] {
	const { ignoresCase = false, sync } = find.by === 'key' ? find : {};
	return {
		'Dry Run': isDry,
		'If Field Is Unknown': rules.addsFields,
		'If Choice Is Missing': rules.addsChoices,
		...(rules.addsFields && {
			'Number Format': rules.formats?.number,
			'Date Format': rules.formats?.date,
			'Yes and No Words': rules.formats?.words,
		}),
		'Ignore Case': ignoresCase,
		'Max Parallel Requests': request.maxParallel,
		'Timeout (Seconds)': request.timeoutMs,
		Filters: sync?.filters,
		'Must Match': sync?.matchType,
		'If Record Has No Item': sync?.deletes,
		'Max Records to Delete': sync && String(sync.maxDeletions),
	};
}

/** Reads the values of an item once the fields of its card are known. @throws InputError if it maps nothing */
function columnsOfItem(
	{ context }: Run,
	itemIndex: number,
	mapper: unknown,
	{ label, clearFields }: WriteSettings,
): NonNullable<Entry['columns']> {
	const item = itemOf(context, itemIndex);
	if (mapsNothing(mapper, item) && clearFields.length === 0) throw noValue(label);
	return (index) => readColumns(mapper, item, index);
}
