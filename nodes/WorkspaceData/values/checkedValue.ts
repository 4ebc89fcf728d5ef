/** Checks parameters by their definition: expressions and saved workflows may hold any value. */
import { InputError } from './inputError';
import { isObject, tryParse, type JsonObject } from './json';
import { plainNumber, plainText } from './messageText';

/** The part of n8n's parameter definition that says what it may hold. */
export interface ParameterDefinition {
	type: string;
	displayName: string;
	default?: unknown;
	typeOptions?: {
		minValue?: number;
		maxValue?: number;
		loadOptionsMethod?: string;
		multipleValues?: boolean;
	};
	/** Choices; the parts of a collection; or the groups of a fixed collection, with the parts of their entries. */
	options?: ReadonlyArray<
		| { name: string; value: unknown }
		| NamedDefinition
		| { name: string; values: readonly NamedDefinition[] }
	>;
}

type NamedDefinition = ParameterDefinition & { name: string };

/** Returns true if n8n evaluates a part of this value: text that begins with `=`, at any depth. */
export function hasExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}

/**
 * Checks the switches, choices, names, numbers and JSON of a parameter, at any depth.
 *
 * @param raw the parameter in the workflow
 * @param value what n8n made of it
 * @returns the value with its type; each group of a fixed collection as a list, JSON parsed
 * @throws InputError for an invalid value, and for an expression that returns none: the default may do what the
 * expression was to prevent, such as a real run instead of a dry run
 */
export function checkedValue(
	definition: ParameterDefinition,
	raw: unknown,
	value: unknown,
): unknown {
	const { type, displayName, default: fallback } = definition;
	if (type === 'collection') return checkedParts(definition, raw, value);
	if (type === 'fixedCollection') return checkedGroups(definition, raw, value);
	const check = CHECKS.get(type);
	if (!check) return value;
	if (value !== undefined && value !== null) return check(definition, value);
	if (type === 'json') return undefined;
	if (type === 'multiOptions') return [];
	if (!hasExpression(raw)) return fallback;
	throw withoutValue(displayName);
}

const withoutValue = (label: string): InputError =>
	new InputError(
		`'${label}' has no value`,
		`The expression of '${label}' returns no value. Correct it, or select a fixed value.`,
	);

const CHECKS: ReadonlyMap<string, (definition: ParameterDefinition, value: unknown) => unknown> =
	new Map([
		['boolean', ({ displayName }, value) => checkedSwitch(displayName, value)],
		['options', checkedChoice],
		['multiOptions', checkedNames],
		['number', checkedNumber],
		['json', ({ displayName }, value) => parsedJson(displayName, value)],
	]);

/** An expression may return text. */
function checkedSwitch(label: string, value: unknown): boolean {
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw new InputError(
		`'${label}' can't be '${plainText(value)}'`,
		'Turn it on or off, or use an expression that returns true or false.',
	);
}

/** Several choices: a list, unchanged because names may have outer spaces, or text with commas. */
function checkedNames(definition: ParameterDefinition, value: unknown): string[] {
	const parts: unknown[] = Array.isArray(value)
		? value
		: plainText(value)
				.split(',')
				.map((part) => part.trim());
	const names = parts.map(plainText).filter((name) => name.trim() !== '');
	for (const name of names) checkedChoice(definition, name);
	return names;
}

/** Lists from the service are checked where they are used. */
function checkedChoice(definition: ParameterDefinition, value: unknown): unknown {
	const { displayName, options = [], typeOptions } = definition;
	if (typeOptions?.loadOptionsMethod !== undefined) return value;
	if (options.some((option) => 'value' in option && option.value === value)) return value;
	const names = options.map((option) => ('displayName' in option ? '' : option.name));
	throw new InputError(
		`'${displayName}' can't be '${plainText(value)}'`,
		`Select one of: ${names.join(', ')}.`,
	);
}

/** A whole number in the range of its definition. */
function checkedNumber(
	{ displayName: label, typeOptions }: ParameterDefinition,
	value: unknown,
): number {
	const { minValue: least = -Infinity, maxValue: most = Infinity } = typeOptions ?? {};
	const number = plainNumber(value);
	const isGiven = plainText(value).trim() !== '';
	if (isGiven && Number.isInteger(number) && number >= least && number <= most) return number;
	const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
	throw new InputError(
		`'${label}' must be a whole number ${range}, not '${plainText(value)}'`,
		`Correct '${label}'.`,
	);
}

/** @returns undefined if nothing was entered */
function parsedJson(label: string, value: unknown): unknown {
	if (typeof value !== 'string') return value;
	if (value.trim() === '') return undefined;
	const parsed = tryParse(value);
	if (parsed) return parsed.value;
	throw new InputError(
		`'${label}' isn't valid JSON`,
		'Check quotes and commas: names and text must be in double quotes.',
	);
}

/** The parts of a collection that were added. */
function checkedParts({ options = [] }: ParameterDefinition, raw: unknown, value: unknown) {
	const parts: JsonObject = {};
	const given = isObject(value) ? value : {};
	for (const option of options) {
		if (!('type' in option) || !(hasPart(raw, option.name) || hasPart(given, option.name)))
			continue;
		parts[option.name] = checkedValue(option, partOf(raw, option.name), given[option.name]);
	}
	return parts;
}

/** The entries of each group. A part that an entry lacks has its default. */
function checkedGroups(definition: ParameterDefinition, raw: unknown, value: unknown): JsonObject {
	const { displayName, options = [] } = definition;
	const groups: JsonObject = {};
	const given = value ?? {};
	if (given !== value && typeof raw === 'string') throw withoutValue(displayName);
	if (!isObject(given)) throw unreadable(displayName);
	for (const group of options) {
		if (!('values' in group)) continue;
		const rawEntries = [partOf(raw, group.name)].flat();
		groups[group.name] = [given[group.name] ?? []].flat().map((entry: unknown, place) => {
			if (!isObject(entry)) throw unreadable(displayName);
			const rawEntry = typeof raw === 'string' ? raw : rawEntries[place];
			const parts = group.values.map((part) => [
				part.name,
				checkedValue(part, partOf(rawEntry, part.name), entry[part.name]),
			]);
			return Object.fromEntries(parts) as JsonObject;
		});
	}
	return groups;
}

const unreadable = (label: string): InputError =>
	new InputError(`'${label}' can't be read`, 'Add its entries again.');

const hasPart = (raw: unknown, name: string): boolean => isObject(raw) && Object.hasOwn(raw, name);

/** An expression in place of an object is the expression of each of its parts. */
const partOf = (raw: unknown, name: string): unknown =>
	typeof raw === 'string' ? raw : hasPart(raw, name) ? (raw as JsonObject)[name] : undefined;
