/** The parameters that operations on records have in common when they write. */
import { booleanWordsOption } from '../../properties/writeOptions';
import { mapsNothing, readColumns } from '../../records/columns';
import type { Entry, FieldTypes, WriteSettings } from '../../records/entry';
import type { Run } from '../../records/run';
import type { Formats } from '../../values/formats';
import type { EntryRules } from '../../values/kind';
import { InputError } from '../../values/inputError';
import { isObject } from '../../values/jsonObject';
import { cleanName, foldCase } from '../../values/nameSpelling';
import { plainText } from '../../values/parameterValue';
import { requestOptions } from '../operation/readParameters';

/** The options of operations that write values, as entered. */
export interface WriteOptions {
	emptyValues?: EntryRules['emptyValues'];
	unknownFields?: 'error' | 'ignore' | 'create';
	missingChoices?: EntryRules['missingChoices'];
	numberFormat?: Formats['number'];
	dateFormat?: Formats['date'];
	booleanWords?: unknown;
	/** Only of a card that is made for the items. */
	fieldTypes?: unknown;
	clearFields?: string[];
	maxParallel?: number;
	timeout?: number;
}

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
	let last: { options: Options; settings: WriteSettings } | undefined;
	return (options) => {
		if (last?.options === options) return last.settings;
		const types = typesOf?.(options) ?? new Map();
		const { missingChoices, emptyValues = 'send' } = options;
		const unknownFields = typesOf ? 'create' : options.unknownFields;
		const addsFields = unknownFields === 'create';
		const settings: WriteSettings = {
			request: requestOptions(options),
			rules: {
				...{ zone, emptyValues, formats: readFormats(options), fits: addsFields },
				...(missingChoices && { missingChoices }),
			},
			...{ addsFields, addsChoices: missingChoices === 'add', types, label },
			ignoresUnknown: unknownFields === 'ignore',
			clearFields: options.clearFields ?? [],
		};
		last = { options, settings };
		return settings;
	};
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

/**
 * Reads the values of an item once the fields of its card are known.
 *
 * @param mapper the parameter `columns`
 * @throws InputError if it maps nothing
 */
export function columnsOfItem(
	{ context }: Pick<Run, 'context'>,
	itemIndex: number,
	mapper: unknown,
	{ label, clearFields }: WriteSettings,
): NonNullable<Entry['columns']> {
	const item = itemOf(context, itemIndex);
	const requireValues = (isEmpty: boolean): void => {
		if (!isEmpty || clearFields.length > 0) return;
		throw new InputError(
			`No value in '${label}'`,
			"Map at least one field. With 'Map Automatically', name the item's fields like the card's fields.",
		);
	};
	requireValues(mapsNothing(mapper, item));
	return (index) => {
		const columns = readColumns(mapper, item, index);
		requireValues(columns.entries.length === 0);
		return columns;
	};
}

export const itemOf = (context: Run['context'], itemIndex: number) =>
	context.getInputData()[itemIndex]?.json ?? {};

/**
 * Requires a condition, because without one all records of the card would be written.
 *
 * @param done what would be done to them
 * @throws InputError before anything is sent
 */
export function requireConditions(filters: unknown, done: 'updated' | 'deleted'): void {
	const conditions = isObject(filters) ? filters.conditions : undefined;
	if (Array.isArray(conditions) && conditions.length > 0) return;
	throw new InputError(
		"'Filters' has no condition",
		`Add at least one condition: without one, every record of the card would be ${done}.`,
	);
}
